/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_numbers: numbers at any address within a filesystem's blocks: XFS and JBD2 are
 * big-endian, ext4 is little-endian. The caller sees to it that the bytes are there.
 */
#ifndef FS_NUMBERS_H
#define FS_NUMBERS_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t fl_be32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static inline uint64_t fl_be64(const uint8_t *p)
{
	return (uint64_t)fl_be32(p) << 32 | fl_be32(p + 4);
}

static inline uint16_t fl_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t fl_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crc: CRC32C as the log uses it: Castagnoli, seeded with ~0, not inverted at the
 * end, over an object whose own checksum field counts as zero.
 */
#ifndef CRC_H
#define CRC_H

#include <isa-l/crc.h>
#include <stddef.h>
#include <stdint.h>

#define FL_CRC_SEED 0xffffffffu

/* Go on from @crc over @n bytes; @n must fit an int (a unit always does). */
static inline uint32_t fl_crc(uint32_t crc, const void *p, size_t n)
{
	return crc32_iscsi((unsigned char *)(uintptr_t)p, (int)n, crc);
}

/* An object of @n bytes whose 4-byte checksum field is at @field. */
static inline uint32_t fl_crc_object(const void *p, size_t n, size_t field)
{
	static const uint8_t zero[4];
	const uint8_t *b = p;
	uint32_t crc = fl_crc(FL_CRC_SEED, b, field);

	crc = fl_crc(crc, zero, sizeof(zero));
	return fl_crc(crc, b + field + 4, n - field - 4);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * checksum: the CRC32C of a unit, put together from those of its payloads.
 *
 * Takes   the checksum of what stands before a payload, and that of the payload
 *	   alone, taken with seed 0.
 * Gives   the checksum of both, in a time that does not depend on the length.
 * Relies  on CRC being linear: crc(seed, data) = shift(seed, length) ^ crc(0, data),
 *	   where shift(seed, n) is the checksum of n zero bytes. It is linear in
 *	   seed, so 32 words hold it for one n, and those for n + n follow.
 *
 * So each payload is summed by the task that wrote it, on its own CPU and while it
 * is in the cache, and the one thread that writes the log does not have to read it.
 */
#include <linux/bitops.h>
#include <linux/crc32c.h>
#include <linux/kernel.h>

#include "fluxlog.h"

/* Payloads are padded to log blocks, and those are at least this long. */
#define STEP_SHIFT	SECTOR_SHIFT
#define NR_STEPS	12	/* up to 2 MiB - 512, a longest write is 1 MiB */

/* steps[k][i]: the seed with only bit i set, behind 512 << k zero bytes */
static u32 steps[NR_STEPS][32];

static u32 step(const u32 *matrix, u32 seed)
{
	u32 crc = 0;

	for (; seed; seed &= seed - 1)
		crc ^= matrix[__ffs(seed)];
	return crc;
}

u32 fluxlog_checksum_append(u32 crc, u32 payload_crc, unsigned int bytes)
{
	unsigned int k;

	for (k = 0, bytes >>= STEP_SHIFT; bytes; k++, bytes >>= 1)
		if (bytes & 1)
			crc = step(steps[k], crc);
	return crc ^ payload_crc;
}

void fluxlog_checksum_init(void)
{
	static const u8 zeros[1 << STEP_SHIFT];
	unsigned int i, k;

	BUILD_BUG_ON(FLUXLOG_MAX_BIO >> STEP_SHIFT >= 1 << NR_STEPS);
	for (i = 0; i < 32; i++)
		steps[0][i] = crc32c(BIT(i), zeros, sizeof(zeros));
	for (k = 1; k < NR_STEPS; k++)
		for (i = 0; i < 32; i++)
			steps[k][i] = step(steps[k - 1], steps[k - 1][i]);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stamp: sectors that describe themselves (struct fluxlog_stamp).
 *
 * fluxlog-load makes them, the judge recognises them in payloads, dump and asm
 * write them as one word. No allocation, no state.
 */
#ifndef STAMP_H
#define STAMP_H

#include <stdbool.h>
#include <stdint.h>

/* What a stamp says, in host byte order; offset is in bytes. */
struct fl_stamp {
	uint64_t run, file, offset, gen;
};

/* Write the 512 bytes of @s to @sector. */
void fl_stamp_make(uint8_t *sector, const struct fl_stamp *s);

/* True iff @sector is exactly what fl_stamp_make() writes for *@out: magic,
 * checksum, reserved fields and body are all right. False: nothing is known. */
bool fl_stamp_read(const uint8_t *sector, struct fl_stamp *out);

/* The quick form for the judge: magic and checksum only. */
bool fl_stamp_peek(const uint8_t *sector, struct fl_stamp *out);

#endif

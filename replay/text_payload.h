/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_payload: the data of a write as text, both ways.
 *
 *	zero*N  fill:HH*N  stamp:RUN:FILE:OFFSET:GEN*N  hex:DIGITS*N
 *
 * joined by commas; N counts sectors and may be left out if it is 1. The offset
 * of a run of stamps rises by 512. Digits shorter than a sector are followed by
 * zeros.
 */
#ifndef TEXT_PAYLOAD_H
#define TEXT_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes that grow; starts as zeros, end with free(p). */
struct fl_bytes {
	uint8_t *p;
	size_t len, cap;
};

/* Replace @out with the sectors that @text names. NULL, or what is wrong in words
 * written to @why (@n bytes). */
const char *fl_payload_parse(const char *text, struct fl_bytes *out, char *why, size_t n);

/* Replace @out with @nr sectors of zeros, at most as many as fit a unit. */
const char *fl_payload_zeros(uint64_t nr, struct fl_bytes *out, char *why, size_t n);

/* Write @nr sectors as text. */
void fl_payload_print(FILE *out, const uint8_t *p, uint64_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_print: which crash images hold the same bytes.
 *
 * Takes   a group and cuts in rising order.
 * Gives   a 128-bit print of the `durable` and of the `all` image of each cut. Equal
 *	   prints mean that every sector of every device comes from the same version (or
 *	   is zeros in both), so the bytes are the same; different prints mean nothing.
 *	   Where the log never wrote there are zeros, unless @based: then zeros that it
 *	   wrote are something else.
 *
 * Both sets only grow with the cut, and of a set the version with the largest done tick
 * is there, so one sweep over all versions gives all prints: each version changes the
 * print where it takes over a segment.
 */
#ifndef IMAGE_PRINT_H
#define IMAGE_PRINT_H

#include "crash_image.h"

struct fl_print {
	uint64_t a, b;
};

/* @cut: @n ticks, rising; @out: n prints. @kind: FL_DURABLE_ONLY or FL_ALL. */
void fl_prints(const struct fl_group *g, bool based, enum fl_variant_kind kind,
	       const uint64_t *cut, size_t n, struct fl_print *out);

#endif

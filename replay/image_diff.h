/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_diff: where two crash images of one device differ, and by which versions.
 *
 * Takes   two images of devices of one size, and a base that is common to both.
 * Gives   the extents whose bytes differ, in order, each with the version that either
 *	   image has there. What is equal by its bytes is equal, whoever wrote it.
 */
#ifndef IMAGE_DIFF_H
#define IMAGE_DIFF_H

#include "crash_image.h"

/* An extent that differs in every sector; a, b: NULL for the base. */
struct fl_extent {
	uint64_t sector, nr;
	const struct fl_ver *a, *b;
};

/* The extents of a comparison; free() .extent. */
struct fl_diff {
	struct fl_extent *extent;
	size_t nr, room;
	uint64_t sectors;
};

/* 0, or -errno with @err: the sizes differ, or something could not be read. */
int fl_image_diff(struct fl_diff *out, const struct fl_image *a, const struct fl_image *b,
		  int base, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_write: a crash image onto a file or block device.
 *
 * Takes   an image, its base, a target.
 * Gives   a target that holds the image and nothing else: what it held before is gone,
 *	   also behind the image's end on a larger device.
 *
 * A file is made anew, with holes where there are zeros. On a device every sector is
 * written, or zeroed by BLKZEROOUT, which promises zeros (a discard does not).
 */
#ifndef IMAGE_WRITE_H
#define IMAGE_WRITE_H

#include "crash_image.h"

/*
 * Write @img, with @base as for fl_image_read(), to @path. -errno with @err, and what
 * is on the target is worth nothing then: not writable, too small, in use (mounted, or
 * part of another device), or one of the logs of @g or the base: these are not touched.
 */
int fl_image_write(const struct fl_image *img, const struct fl_group *g, int base,
		   const char *path, struct fl_err *err);

#endif

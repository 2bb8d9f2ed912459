/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_name: crash images by their ids, CUT/VARIANT or, in a group of several logs,
 * CUT/VARIANT.devN with N the number of the device in its group (super.dev).
 */
#ifndef IMAGE_NAME_H
#define IMAGE_NAME_H

#include "crash_image.h"

#define FL_IMAGE_NAME (FL_VARIANT_NAME + 16)

/* The second half of the id, the one canonical form; @dev is a place in the group. */
const char *fl_image_name(char buf[FL_IMAGE_NAME], const struct fl_group *g,
			  unsigned int dev, const struct fl_variant *var);

/* The reverse. -EINVAL with @err: no such variant, or no such device, or the device is
 * not named although there are several. */
int fl_image_parse(const struct fl_group *g, const char *name, struct fl_variant *var,
		   unsigned int *dev, struct fl_err *err);

/*
 * Open the image @id. "CUT" alone is CUT/all. @dev: super.dev of the device where the
 * id does not name it, -1 for none. -EINVAL with @err.
 */
int fl_image_find(struct fl_image *img, const struct fl_cuts *cuts, const char *id, int dev,
		  struct fl_err *err);

/* Open a base for reading; -1 in *@fd where @path is NULL or "-", for zeros. */
int fl_base_open(const char *path, int *fd, struct fl_err *err);

#endif

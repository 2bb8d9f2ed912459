/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_fuse_ops: what the kernel asks of a mount, answered.
 *
 * Takes   requests that libfuse has taken apart, in any number of threads.
 * Gives   answers, from the tree of nodes (image_tree).
 */
#ifndef IMAGE_FUSE_OPS_H
#define IMAGE_FUSE_OPS_H

#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include "image_tree.h"

#define FL_FS_REQUEST (1u << 20)	/* the most that a kernel asks for at once */

/**
 * struct fl_served - what the operations get as their session's user data
 * @tree: what is there
 * @read_only: images cannot be written to
 * @born: time stamp of all files
 */
struct fl_served {
	struct fl_tree *tree;
	bool read_only;
	struct timespec born;
};

extern const struct fuse_lowlevel_ops fl_fs_ops;

/* Memory for the calling thread to answer from; it must have it before it does. */
#define FL_FS_LENT (FL_FS_REQUEST + 2 * FL_SECTOR)
void fl_fs_lend(uint8_t *buf);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_xfs: what the blocks of an XFS in a crash image belong to.
 *
 * Takes   an image and extents of it.
 * Gives   for each block of the extents what xfs_db (blockget, blockuse) says.
 * Relies  on xfsprogs, and on being allowed to mount (image_fuse).
 *
 * xfs_db reads the metadata as they are, without log recovery: blocks of what is only
 * in the XFS log so far are free to it.
 */
#ifndef IMAGE_XFS_H
#define IMAGE_XFS_H

#include "image_diff.h"

/**
 * struct fl_xfs - what xfs_db said about one image
 * @block: sectors of a filesystem block
 * @sector_size: of the filesystem, in bytes
 * @blocks: blocks of the filesystem
 * @what, @nr: for each block of each extent, in order: "TYPE" or "TYPE inode N PATH" as
 *	xfs_db says it, NULL outside of the filesystem
 */
struct fl_xfs {
	uint64_t block, sector_size, blocks;
	char **what;
	size_t nr;
};

/* Ask about the extents of @d in both of the images that it compares. -errno with @err:
 * not mounted, no xfs_db, no XFS. */
int fl_xfs_ask(struct fl_xfs x[2], const struct fl_cuts *cuts, const struct fl_image img[2],
	       int base, const struct fl_diff *d, struct fl_err *err);
void fl_xfs_free(struct fl_xfs *x);

/* Number of the block that holds @sector, of all blocks of all extents; @before: of
 * those of the extents before @e. */
size_t fl_xfs_place(const struct fl_xfs *x, const struct fl_extent *e, size_t before,
		    uint64_t sector);

/* How many blocks an extent touches. */
size_t fl_xfs_blocks(const struct fl_xfs *x, const struct fl_extent *e);

/* For people: "AGF", "file data, inode 132, d/f1". */
const char *fl_xfs_words(char *buf, size_t n, const struct fl_xfs *x, size_t place,
			 uint64_t sector);

#endif

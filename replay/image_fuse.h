/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_fuse: every cut is a folder, every crash image a file.
 *
 * Takes   a group and its cuts, which must outlive it; where to mount.
 * Gives   a FUSE filesystem that this process serves from threads of its own:
 *
 *	     start/ flush-1/ mark-TEXT/ promise-1/ flush-2/ ... end/	by tick
 *		   durable all			 one log
 *		   durable.dev0 all.dev0 ...	 several logs, by super.dev
 *
 *	   Any other cut and variant (crash_cut.h, crash_image.h) is there as well,
 *	   though not listed: tick-123/drop=45,46, flush-3/torn=45:ff.dev1.
 * Relies  on crash_image for the bytes and on image_cow for what is written to them.
 *
 * A file is as large as its device. What is written to it is kept in memory, is seen by
 * all who have it open, and is gone with the last of them, so that who opens it next
 * gets the crash image again. Reading waits for nobody else's reading.
 *
 * The mount is plain mount(2) for root, in whatever mount namespace the caller is;
 * others need fusermount3. If the process dies, the kernel ends the connection: whoever
 * uses a file then gets ENOTCONN.
 */
#ifndef IMAGE_FUSE_H
#define IMAGE_FUSE_H

#include "image_name.h"

struct fl_fs;

/**
 * struct fl_fs_opts - how to serve
 * @base: base[i] shows where log i never wrote, -1 for zeros; NULL for zeros
 *	everywhere; the files stay the caller's and must stay open
 * @keep: what was written to an image stays after its last close, until the end
 * @read_only: images cannot be written to
 * @threads: how many serve, 0 for a number that fits the machine
 */
struct fl_fs_opts {
	const int *base;
	bool keep, read_only;
	unsigned int threads;
};

/* Mount on the folder @dir and serve. 0 and *@out, or -errno with @err. */
int fl_fs_start(struct fl_fs **out, const struct fl_group *g, const struct fl_cuts *cuts,
		const struct fl_fs_opts *o, const char *dir, struct fl_err *err);

/* A file descriptor that becomes readable when somebody else has unmounted it. */
int fl_fs_ended(const struct fl_fs *fs);

/* Unmount, end the threads, free all; NULL is fine. Never waits for users. */
void fl_fs_stop(struct fl_fs *fs);

/*
 * Whether any of the @nr sectors from @sector on of the image @id ("flush-17/durable":
 * its path in the mount, see image_name.h) was written to since it was opened. Kept by pages of 4 KiB:
 * may be true for a neighbour of what was written; false is certain. An image that
 * nobody has opened was not written to.
 */
bool fl_fs_written(struct fl_fs *fs, const char *id, uint64_t sector, uint64_t nr);

/* How many have the image @id open. After the last close(2) this is 0 as soon as the
 * kernel has said so, which it has before it asks for anything that comes after. */
unsigned int fl_fs_users(struct fl_fs *fs, const char *id);

#endif

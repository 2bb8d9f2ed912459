/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_mount: loop devices, mounting, and running a fsck, for one worker of the walk.
 *
 * Relies on being root in a mount namespace of its own: whatever is mounted here is
 * gone when the process is, and the loop devices detach themselves with their last
 * user. So nothing has to be cleaned up after a process that was killed.
 */
#ifndef FS_MOUNT_H
#define FS_MOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "fs_detect.h"

#define FL_LOOP_PATH 32

/* Unshare the mount namespace and keep its mounts private. */
int fl_ns_private(struct fl_err *err);

/*
 * Whether images of @t can be mounted only one after the other. btrfs before 6.7 tells
 * filesystems apart by their uuids, which all images share, and refuses an image that is
 * older than the one that it saw last: fl_fs_forget() before each mount makes it forget.
 */
bool fl_fs_alone(const struct fl_fs_type *t);
void fl_fs_forget(void);

/**
 * struct fl_loop - a loop device; detaches itself when it is closed and unmounted
 * @fd: open, or -1
 * @path: "/dev/loop7"
 */
struct fl_loop {
	int fd;
	char path[FL_LOOP_PATH];
};

/* Attach @file; @block_size is the logical block size in bytes. */
int fl_loop_attach(struct fl_loop *lo, const char *file, uint32_t block_size,
		   struct fl_err *err);
void fl_loop_detach(struct fl_loop *lo);

/**
 * struct fl_ran - how a command ended
 * @signal: the signal that killed it, or 0
 * @exit: its exit code, if no signal did
 * @out: the end of what it printed on stdout and stderr
 */
struct fl_ran {
	int signal, exit;
	char out[192];
};

/* Run @command by sh, with no standard input. -errno with @err if it cannot be run. */
int fl_run(const char *command, struct fl_ran *ran, struct fl_err *err);

#endif

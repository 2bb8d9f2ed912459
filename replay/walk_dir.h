/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_dir: the empty folders that workers mount on.
 *
 * They lie in one that the walk makes in $TMPDIR, locks, and removes at its end. A walk
 * that was killed cannot remove its own; the next walk does. The lock is held by the walk
 * and by each of its workers, so a folder that can be locked is in nobody's use.
 */
#ifndef WALK_DIR_H
#define WALK_DIR_H

#include "err.h"

#define FL_WALK_DIRS 64		/* folders in it at most */
#define FL_WALK_PATH 96

struct fl_walk_dir {
	char path[FL_WALK_PATH - 16];
	int fd;
};

/* Remove what killed walks left, and make one. */
int fl_walk_dir_make(struct fl_walk_dir *d, struct fl_err *err);

/* Once no worker lives. */
void fl_walk_dir_remove(struct fl_walk_dir *d);

/* The path of worker @i's folder, which need not exist yet. */
const char *fl_walk_dir_path(char buf[FL_WALK_PATH], const struct fl_walk_dir *d,
			     unsigned int i);

#endif

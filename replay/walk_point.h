/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_point: one crash image, recovered and judged.
 *
 * Takes   a point of the plan.
 * Gives   its findings: it serves the image as a file, mounts it through loop (log
 *	   recovery), compares every promise in force with the files, unmounts, and runs
 *	   the check-only fsck if asked to.
 * Relies  on being the only thing that its process does: a mount can hang, and then the
 *	   process is killed (walk.c), which takes mount, loop and images with it.
 */
#ifndef WALK_POINT_H
#define WALK_POINT_H

#include "fs_compare.h"
#include "fs_detect.h"
#include "walk_plan.h"

/**
 * struct fl_judge_opts - how to judge; all of it stays the caller's
 * @g, @cuts, @rq, @where: what was recorded, promised, and found
 * @base: as for fl_fs_opts
 * @how: how files are compared
 * @fsck: run the filesystem's fsck after unmounting
 * @fsck_cmd: another fsck: a command for sh in which %d is the device
 * @mount_cmd: another way to mount: %d is the device, %m the folder
 * @mount_opts: more mount options, "" for none
 */
struct fl_judge_opts {
	const struct fl_group *g;
	const struct fl_cuts *cuts;
	const struct fl_require *rq;
	const struct fl_fs_where *where;
	const int *base;
	enum fl_compare_how how;
	bool fsck;
	const char *fsck_cmd, *mount_cmd, *mount_opts;
};

struct fl_judge;

/* Once a process, which has one thread: its own mount namespace, images served below the
 * empty folder @dir. Returns in a child of the caller; the caller itself serves the
 * images until the child ends, and ends then. */
int fl_judge_open(struct fl_judge **out, const struct fl_judge_opts *o, const char *dir,
		  struct fl_err *err);
void fl_judge_close(struct fl_judge *j);

/* Judge @p; findings go to @out. *@bytes: promised bytes that were compared. -errno with
 * @err: this machine could not do it, and nothing is said about the image. */
int fl_judge_point(struct fl_judge *j, const struct fl_point *p, struct fl_fs_findings *out,
		   uint64_t *bytes, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_setup: everything that must be known of a group before a walk.
 */
#ifndef WALK_SETUP_H
#define WALK_SETUP_H

#include "checker.h"
#include "crash_cut.h"
#include "fs_detect.h"
#include "fs_require.h"
#include "walk_point.h"
#include "walk_report.h"

/**
 * struct fl_setup - a group, judged at the block level, with its filesystem found
 * @base: for each log a file, or -1
 * @unnamed: promised files whose path nobody told
 */
struct fl_setup {
	struct fl_group *g;
	struct fl_cuts cuts;
	struct fl_require rq;
	struct fl_check ck;
	struct fl_fs_where where;
	int base[FL_GROUP_MAX];
	bool based;
	uint64_t unnamed;
};

/* @base: path of the base of the filesystem's device, or NULL. Returns 0, or -errno with
 * @err; also where this machine cannot walk: not root, no loop device. */
int fl_setup_open(struct fl_setup *s, char *const *log, int nr, const char *base,
		  struct fl_err *err);
void fl_setup_close(struct fl_setup *s);

/* Fill in what a judge must know of the group. */
void fl_setup_judge(const struct fl_setup *s, struct fl_judge_opts *o);

/* Fill what a results file says of the group; @how: the options that results depend on. */
void fl_setup_head(const struct fl_setup *s, struct fl_walk_head *h, char *const *log,
		   int nr, const char *how);

/* Add to the command that shows a finding again; @value, if not NULL, is quoted. */
void fl_head_again(struct fl_walk_head *h, const char *option, const char *value);

#endif

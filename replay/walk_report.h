/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_report: what a walk, or several merged, found; for people, as JSON lines, as KTAP.
 */
#ifndef WALK_REPORT_H
#define WALK_REPORT_H

#include <stdio.h>

#include "walk_line.h"

/**
 * struct fl_walk_head - what was walked; the first line of a results file
 * @what: the logs' uuids, the filesystem and how it was judged: results can be put
 *	together iff this is the same
 * @shard, @shards: which part of the points this is
 * @points: in this part; @unborn: cuts before the filesystem was born
 * @fs: "xfs"
 * @again: options and logs of the command that shows a finding again, but for the image
 * @complete: every log is complete
 * @imported: a log is one of dm-log-writes, whose order is no evidence
 * @unnamed: promised files whose path nobody told
 */
struct fl_walk_head {
	char what[1024];
	uint64_t shard, shards, points, unborn, unnamed;
	char fs[16];
	char again[2048];
	bool complete, imported;
};

/* Results in order, and sums over them. */
struct fl_tally {
	uint64_t points, good, bad, same, errors, none, bytes, promises;
	uint64_t codes[FL_FS_NR_CODES];
};

void fl_tally(struct fl_tally *t, const struct fl_result *r, uint64_t n);

/* @max: findings to print; @rate: points a second or 0; @why_ended: or "". */
void fl_walk_print(FILE *out, const struct fl_walk_head *h, const struct fl_result *r,
		   uint64_t n, uint64_t max, double rate, const char *why_ended);

void fl_walk_ktap(FILE *out, const struct fl_result *r, uint64_t n);

/* FL_EXIT_*: 1 with findings, 2 where something could not be or was not judged. */
int fl_walk_exit(const struct fl_walk_head *h, const struct fl_tally *t);

/* The head as a line; free() it. And back; -EINVAL if it is none. */
char *fl_head_make(const struct fl_walk_head *h);
int fl_head_parse(const char *line, struct fl_walk_head *h);

/* All of it as JSON lines. "-" is standard output. */
int fl_walk_write(const char *path, const struct fl_walk_head *h, const struct fl_result *r,
		  uint64_t n, struct fl_err *err);

#endif

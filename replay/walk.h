/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk: many crash images, judged by many workers.
 *
 * Takes   a plan and how to judge a point.
 * Gives   a result for each point, in the order of the plan, and a journal of them as
 *	   they come.
 * Owns    the workers: processes with a mount namespace each. One that takes too long
 *	   is killed and replaced, and its point is a finding; one that dies is a finding
 *	   as well. Killing the walk itself leaves nothing mounted: workers die with it,
 *	   and what they mounted with them.
 */
#ifndef WALK_H
#define WALK_H

#include "walk_line.h"
#include "walk_plan.h"
#include "walk_point.h"

enum fl_walk_order { FL_WALK_UP, FL_WALK_DOWN, FL_WALK_RANDOM };

/**
 * struct fl_walk_opts - how to walk
 * @jobs: workers at the same time
 * @order, @seed: in which order points are visited; results do not depend on it
 * @timeout_s: seconds for one point
 * @time_limit_s: end the walk after this many seconds, 0: never
 * @max_findings: end the walk after this many bad points, 0: never
 * @journal: file that results are appended to, or -1
 * @quiet: no progress
 */
struct fl_walk_opts {
	unsigned int jobs;
	enum fl_walk_order order;
	uint64_t seed, timeout_s, time_limit_s, max_findings;
	int journal;
};

/**
 * struct fl_walk - a walk and what it found
 * @result: for each point of the plan; verdict FL_POINT_NONE: not visited
 * @visited, @good, @bad, @same, @errors, @not_visited: points
 * @resumed: points whose results came from the journal
 * @seconds: wall clock of this run; @visited_now: points mounted in it
 * @why_ended: why points were not visited, "" if all were
 */
struct fl_walk {
	const struct fl_plan *plan;
	struct fl_result *result;
	uint64_t visited, good, bad, same, errors, not_visited, resumed, visited_now;
	double seconds;
	const char *why_ended;
};

void fl_walk_init(struct fl_walk *w, const struct fl_plan *plan);
void fl_walk_free(struct fl_walk *w);

/* Take over a result of an earlier run; false: no point of this plan. */
bool fl_walk_resume(struct fl_walk *w, struct fl_result *r);

/* Visit what has no result yet. -errno with @err if no worker can be had. */
int fl_walk_run(struct fl_walk *w, const struct fl_judge_opts *jo,
		const struct fl_walk_opts *o, struct fl_err *err);

#endif

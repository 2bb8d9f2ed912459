/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crash_cut: the instants at which power can be lost, and their names.
 *
 *   flush-N     right after the N-th flush or FUA write was done, from 1 in the order
 *		 of done ticks over all logs of the group; whether it succeeded or not
 *   promise-N   right after the message of the N-th promise, from 1
 *   mark-TEXT   right after the mark; the N-th of equal ones is mark-TEXT.N, from 2;
 *		 in a name, / and bytes outside of printable ASCII are written as '_'
 *   tick-T      right after tick T
 *   start, end  before the first event; after the last one
 *
 * A cut is a tick: what happened at it or before has happened. Names are stable: they
 * follow from the log alone.
 */
#ifndef CRASH_CUT_H
#define CRASH_CUT_H

#include "group.h"

#define FL_CUT_NAME 192

enum fl_cut_kind {
	FL_CUT_FLUSH, FL_CUT_PROMISE, FL_CUT_MARK, FL_CUT_TICK, FL_CUT_START, FL_CUT_END,
};

struct fl_mark {
	uint64_t tick;
	char name[FL_CUT_NAME];		/* with "mark-" in front, unique in the group */
};

/**
 * struct fl_cuts - all named cuts of a group
 * @flush, @nr_flush: ticks of the flush points, rising; flush-N is flush[N - 1]
 * @mark, @nr_mark: by tick
 * @last: the last tick of any record (at most the horizon, if a log ends early)
 */
struct fl_cuts {
	const struct fl_group *g;
	uint64_t *flush;
	uint64_t nr_flush;
	struct fl_mark *mark;
	uint64_t nr_mark;
	uint64_t last;
};

/* Whether a cut right after @r was done is a flush point. */
bool fl_is_flush_point(const struct fl_rec *r);

void fl_cuts_build(struct fl_cuts *cuts, const struct fl_group *g);
void fl_cuts_free(struct fl_cuts *cuts);

/* The tick that @name (of @len bytes) stands for. -EINVAL with @err: no such cut; the
 * sentence names it. A cut beyond the horizon is refused: nothing is known there. */
int fl_cut_find(const struct fl_cuts *cuts, const char *name, size_t len, uint64_t *tick,
		struct fl_err *err);

/* "flush-17" and so on for number @nr (from 1) of @kind; TICK: @nr is the tick. */
const char *fl_cut_name(char buf[FL_CUT_NAME], const struct fl_cuts *cuts,
			enum fl_cut_kind kind, uint64_t nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_bisect: why a cut fails.
 *
 * Takes   a cut, and a variant of it that fails (or none: durable and all are tried).
 * Gives   the smallest set of floating writes whose loss, or whose arrival, makes the
 *	   image fail; and the last good and the first bad flush point.
 *
 * Sets are tried by single writes first, then by delta debugging: what comes out fails,
 * and without any one of its writes it does not.
 */
#ifndef WALK_BISECT_H
#define WALK_BISECT_H

#include "walk.h"

enum fl_bisect_what {
	FL_BISECT_GOOD,		/* nothing fails at this cut */
	FL_BISECT_LOSS,		/* it fails when these are lost */
	FL_BISECT_ARRIVAL,	/* it fails when these arrive */
	FL_BISECT_ALWAYS,	/* it fails whatever floats */
};

/**
 * struct fl_bisect - the answer
 * @what: see above
 * @set: the writes, by issue tick
 * @alone: more writes of which each alone does the same
 * @images: how many images were judged
 * @kind: FL_DURABLE_ONLY or FL_ALL: the images that the flush points were tried with
 * @last_good, @first_bad: numbers of flush points, 0: there is none
 */
struct fl_bisect {
	enum fl_bisect_what what;
	uint64_t set[FL_VARIANT_RECS];
	unsigned int nr_set;
	uint64_t alone[FL_VARIANT_RECS];
	unsigned int nr_alone;
	uint64_t images;
	enum fl_variant_kind kind;
	uint64_t last_good, first_bad;
};

/* @given: NULL, or a variant to be explained. -errno with @err: an image could not be
 * judged, or there are too many writes to name. */
int fl_bisect(struct fl_bisect *b, const struct fl_judge_opts *jo,
	      const struct fl_walk_opts *wo, uint64_t birth, uint64_t cut,
	      const struct fl_variant *given, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_plan: which crash images a walk visits.
 *
 * Takes   what --cuts and --images ask for.
 * Gives   the points, by cut and then in the order of the images, each once; and which
 *	   of them need not be visited because another holds the same bytes.
 *
 * Of several images with the same bytes the one with the most promises in force is
 * visited: if that is good so are the others, since what is asked for only grows. If it
 * is not, the others are visited as well.
 */
#ifndef WALK_PLAN_H
#define WALK_PLAN_H

#include "checker.h"
#include "crash_image.h"
#include "fs_require.h"

#define FL_NO_POINT UINT32_MAX

/**
 * struct fl_point - a crash image to be judged
 * @cut: tick
 * @cut_name: "flush-17"
 * @var: variant
 * @same: the point that is visited for this one, or FL_NO_POINT
 */
struct fl_point {
	uint64_t cut;
	char cut_name[FL_CUT_NAME];
	struct fl_variant *var;		/* one of fl_plan.var */
	uint32_t same;
};

/* What is asked for; texts as on the command line. */
struct fl_plan_opts {
	const char *cuts, *images;
	uint64_t shard, shards;		/* points i with i % shards == shard - 1 */
	uint64_t birth;			/* earlier cuts have no filesystem */
	bool based;			/* images have a base that is not zeros */
};

/**
 * struct fl_plan - the points
 * @point, @nr: all points of this shard
 * @unborn: cuts that were asked for and lie before the filesystem's birth
 * @same: points with fl_point.same set
 */
struct fl_plan {
	struct fl_point *point;
	uint32_t nr, room;
	uint64_t unborn;
	uint32_t same;
	struct fl_variant **var;
	uint32_t nr_var, room_var;
};

int fl_plan_build(struct fl_plan *plan, const struct fl_cuts *cuts, const struct fl_check *ck,
		  const struct fl_plan_opts *o, struct fl_err *err);
void fl_plan_free(struct fl_plan *plan);

/* "flush-17/durable" */
#define FL_POINT_NAME (FL_CUT_NAME + FL_VARIANT_NAME + 1)
const char *fl_point_name(char buf[FL_POINT_NAME], const struct fl_point *p);

#endif

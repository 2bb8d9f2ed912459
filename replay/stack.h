/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack: what was found below a layer, leg by leg.
 *
 * Takes   a judged group whose first log is above the layer (FL_GROUP_STACKED).
 * Gives   counts for each leg; how many promises rest on a failed flush.
 */
#ifndef STACK_H
#define STACK_H

#include <stdio.h>

#include "checker.h"

struct json_object;

/**
 * struct fl_leg - a device below the layer
 * @writes: writes and write-zeroes; @failed_writes of them failed
 * @flushes: @failed_flushes of them failed, @swallowed never reached the device
 * @broken: promises of which a part is lost there
 */
struct fl_leg {
	uint64_t writes, failed_writes, flushes, failed_flushes, swallowed, broken;
};

/**
 * struct fl_stack - all of them
 * @leg: by the place of the log in the group; that of the log above counts what the
 *	layer was given, and promises of which nothing was found below
 * @on_failed_flush: promises of which a part was covered in time only by a flush that
 *	failed or was swallowed
 */
struct fl_stack {
	struct fl_leg leg[FL_GROUP_MAX];
	uint64_t on_failed_flush;
};

void fl_stack_count(struct fl_stack *st, const struct fl_group *g,
		    const struct fl_check *ck);

/* A table, a line for each leg, and what rests on failed flushes. */
void fl_stack_report(FILE *out, const struct fl_group *g, const struct fl_check *ck);
struct json_object *fl_stack_json(const struct fl_group *g, const struct fl_check *ck);

#endif

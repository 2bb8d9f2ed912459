/* SPDX-License-Identifier: GPL-2.0 */
/*
 * layer: does a layer keep what a flush of it stands for?
 *
 * Takes   a group: log 0 was recorded above a layer (linear, striped, mirrored,
 *	   encrypted...), the others below it, one for each lower device; and a map of
 *	   sectors, or none.
 * Gives   a finding wherever something that the log above calls durable is not.
 *
 * The rule. Each write that a flush above covers (or that is FUA) must, once that
 * flush is done above, be durable on each lower device that the layer wrote it to, by
 * the rules of durability.h: some flush of that device must have been issued after the
 * write there was done, and be done by then, with success; or the write there was
 * FUA; or something newer and durable has replaced it. Whether the flush above or an
 * earlier one caused that flush does not matter.
 *
 * Each write is judged by the first flush above that made it durable. If it holds
 * there, it holds for each later one, so a layer is right iff nothing is found.
 *
 * Which writes below are those of write W above: those that were issued after W was
 * issued and done before W was done, since ticks are common and a layer that says
 * done has had its own writes done, and that
 *   with a map	lie on the sectors to which it takes those of W, on each device that
 *		it names for them (a mirror has two);
 *   without	carry a sector of W, by its bytes (layer_content.c). Of several on one
 *		device one must be durable. What has nothing to be known by (sectors of one
 *		byte repeated) is not judged, but counted.
 */
#ifndef LAYER_H
#define LAYER_H

#include "group.h"

/* Ordered by how much each explains. Codes are stable and of this table only. */
enum fl_layer_code {
	FL_LAYER_NOT_WRITTEN,
	FL_LAYER_WRITE_FAILED,
	FL_LAYER_FLUSH_FAILED,
	FL_LAYER_FLUSH_SWALLOWED,
	FL_LAYER_FLUSH_LATE,
	FL_LAYER_FLUSH_EARLY,
	FL_LAYER_NOT_FLUSHED,
	FL_LAYER_NR_CODES,
};

struct fl_layer_problem {
	const char *id, *name, *text;
};

extern const struct fl_layer_problem fl_layer_problem[FL_LAYER_NR_CODES];

/**
 * struct fl_layer_map - sectors above that lie on one device below
 * @start, @len: sectors above
 * @below: the log, by its place in the group (1 and up)
 * @at: where @start lies there
 */
struct fl_layer_map {
	uint64_t start, len;
	unsigned int below;
	uint64_t at;
};

/* "US LEN DEV LS": sector above, sectors, number of the lower log from 1, sector below. */
int fl_layer_map_parse(const char *text, struct fl_layer_map *out, struct fl_err *err);

/**
 * struct fl_layer_finding - writes that a flush above promised and a device below lacks
 * @code: what is wrong
 * @flush: the flush above, or the FUA write itself
 * @above: the first such write above
 * @below: the log of the device, by its place in the group
 * @write: that write below, NULL for FL_LAYER_NOT_WRITTEN
 * @sector: first sector below that is meant
 * @leg_flush: the flush below that the code speaks of, or NULL
 * @writes: how many writes above, of the same flush, device and code
 */
struct fl_layer_finding {
	enum fl_layer_code code;
	const struct fl_rec *flush;
	const struct fl_ver *above;
	unsigned int below;
	const struct fl_ver *write;
	uint64_t sector;
	const struct fl_rec *leg_flush;
	uint64_t writes;
};

/**
 * struct fl_layer - a layer, judged
 * @g: the group
 * @map, @nr_map: the map; 0: by content
 * @by_done, @nr_by_done: successful flushes above by done tick
 * @flushes, @flushes_failed: flushes above
 * @judged: writes above that were judged
 * @unknown: that have nothing to be known by (content)
 * @lost: that were found nowhere below (content): the layer changes data
 * @f, @nr, @room: findings in the order of the writes
 */
struct fl_layer {
	const struct fl_group *g;
	const struct fl_layer_map *map;
	unsigned int nr_map;
	const struct fl_rec **by_done;
	uint32_t nr_by_done;
	uint64_t flushes, flushes_failed;
	uint64_t judged, unknown, lost;
	struct fl_layer_finding *f;
	uint64_t nr, room;
};

/* Judge. -errno with @err: a write above lies outside of the map, the map names no log of
 * the group or goes past a device, a payload cannot be read. */
int fl_layer_run(struct fl_layer *ly, const struct fl_group *g,
		 const struct fl_layer_map *map, unsigned int nr_map, struct fl_err *err);
void fl_layer_free(struct fl_layer *ly);

/* FL_EXIT_*: logs that end early, or nothing that was judged, are no verdict. */
int fl_layer_exit(const struct fl_layer *ly);

/* ---- between the files of the layer's judge ---------------------------------- */

/* Successful writes below are judged as one: true iff one of them needs no more than
 * was done by the end of @above's flush. */
bool fl_layer_is_safe(const struct fl_dev *low, const struct fl_ver *w, uint64_t sector,
		      uint64_t by);
/* @w on device @below is not durable when it should be. */
void fl_layer_accuse(struct fl_layer *ly, const struct fl_ver *above, unsigned int below,
		     const struct fl_ver *w, uint64_t sector);
/* Whether @w can be a part of what @above became. */
static inline bool fl_layer_within(const struct fl_ver *w, const struct fl_ver *above)
{
	return w->rec->kind != FLUXLOG_DISCARD && w->rec->issue > above->rec->issue &&
	       w->rec->done < above->rec->done;
}

/* Judge all writes by what they carry. 0 or -errno with @err. */
int fl_layer_by_content(struct fl_layer *ly, struct fl_err *err);

#endif

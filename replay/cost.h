/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cost: what flushes cost, and what they were good for.
 *
 * Takes   a group.
 * Gives   counts, bytes and times of writes and flushes, in all and for each promise;
 *	   flushes that made nothing new durable; flushes that overtook earlier ones;
 *	   and how many of the fsyncs could have gone without a flush of their own.
 */
#ifndef COST_H
#define COST_H

#include "group.h"

/* Quantiles of a time in nanoseconds; all 0 if there was nothing to measure. */
struct fl_times {
	uint64_t p50, p90, p99, max;
};

/**
 * struct fl_cost - sums over a group
 * @writes, @write_bytes, @fua, @discards: counts
 * @journal, @journal_bytes: writes that begin with the magic of an XFS log record or a
 *	JBD2 block: the journal's own (a write that goes on with an earlier record is not
 *	recognised)
 * @flushes, @failed: empty flushes; those that failed
 * @idle: successful flushes by which no write became durable
 * @in_flight: the most flushes in flight together on one device
 * @overtook: flushes that were done before one that was issued earlier
 * @flush_time, @write_time: from issue to done
 * @promises: FILE and SECTORS promises whose call was a sync
 * @skippable: of the FILE ones, those that needed no flush of their own: see
 *	fl_cost_skippable
 * @seconds: from the first issue to the last done
 */
struct fl_cost {
	uint64_t writes, write_bytes, fua, discards, journal, journal_bytes;
	uint64_t flushes, failed, idle, in_flight, overtook;
	struct fl_times flush_time, write_time;
	uint64_t promises, skippable;
	double seconds;
};

/*
 * When an fsync could have skipped its flush: its data was done, then some flush was
 * issued and done, and all that before the flush was issued that the fsync waited for
 * last. A log does not say which thread sent a flush; the fsync's own is taken to be the
 * one that was done last before the call returned. So this is an estimate.
 */

/* -errno with @err if a payload cannot be read. */
int fl_cost(struct fl_cost *c, const struct fl_group *g, struct fl_err *err);

#endif

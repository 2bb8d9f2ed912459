/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cost: what flushes cost, and what they were good for.
 *
 * Takes   a group; which of its logs, and a span of it.
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
 * struct fl_cost_of - the span that is counted: what was issued after one cut and by another
 * @after, @until: ticks; 0 and FL_NEVER are everything
 * @log: number of the log in the group, or FL_ALL_LOGS. Promises of the whole group count
 *	in any case, so that figures for each promise of the legs of a layer add up
 */
#define FL_ALL_LOGS FL_GROUP_MAX
struct fl_cost_of {
	uint64_t after, until;
	unsigned int log;
};

/**
 * struct fl_cost - sums over a span
 * @writes, @write_bytes, @fua, @discards: counts
 * @journal, @journal_bytes: of the writes, the journal's (journal.h)
 * @meta: of the others, those with the flag META
 * @data, @data_bytes: the rest
 * @flushes, @failed: empty flushes; those that failed
 * @idle: successful flushes by which no write became durable
 * @in_flight: the most flushes in flight together on one device
 * @overtook: flushes that were done before one that was issued earlier
 * @flush_time, @write_time: from issue to done
 * @flush_ns: the sum of these for flushes
 * @promises: FILE and SECTORS promises whose call was a sync
 * @skippable: of the FILE ones whose data is in these logs, those that needed no flush of
 *	their own: see below
 * @seconds: from the first issue to the last done
 */
struct fl_cost {
	uint64_t writes, write_bytes, fua, discards, journal, journal_bytes;
	uint64_t meta, data, data_bytes;
	uint64_t flushes, failed, idle, in_flight, overtook, flush_ns;
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
int fl_cost(struct fl_cost *c, const struct fl_group *g, const struct fl_cost_of *span,
	    struct fl_err *err);

#endif

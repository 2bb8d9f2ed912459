/* SPDX-License-Identifier: GPL-2.0 */
/*
 * durability: what a device may hold after a power cut.
 *
 * Takes   the records of one log (log_reader).
 * Gives   for each write the instant from which it is durable, and for any
 *	   segment and cut the versions that rule 4 allows.
 * Relies  on ticks being one total order and on nothing else: this file and its
 *	   .c are the durability rules of DESIGN.md section 3, to be read beside it.
 *
 *   durable    W succeeded, and W was FUA (from W.done on) or some successful flush
 *		F has W.done < F.issue (from F.done on; of several, the first done).
 *		What the target did not pass down (INJECTED) did not succeed, whatever
 *		its status says
 *   replaces   U replaces V iff V.done < U.issue
 *   allowed    at a cut: each version that was issued by then and that no durable
 *		version replaces; and the base (what the device held before the
 *		log began) iff no version is durable
 *
 * A durable version that another durable one replaces is not allowed; a floating
 * one neither: both are the one test above. A failed write is never durable and
 * so floats until a durable one replaces it. A discard may always leave the old
 * contents, so it is never durable and replaces nothing. A write-zeroes is a
 * write. A write with PREFLUSH is a flush as well, if it succeeded.
 */
#ifndef DURABILITY_H
#define DURABILITY_H

#include "log_reader.h"
#include "range_index.h"

#define FL_NEVER UINT64_MAX

/**
 * struct fl_ver - a version of some sectors: a write, write-zeroes or discard
 * @rec: its record
 * @dur: tick from which it is durable, or FL_NEVER
 * @dur_ns: the same on the clock; not the time of @dur, but the first instant by
 *	which a flush that covers it was done (ticks and clocks are not read as one)
 * @carrier, @nr_carrier: its stamps (carrier.h), if any were looked for
 */
struct fl_ver {
	const struct fl_rec *rec;
	uint64_t dur, dur_ns;
	uint32_t carrier, nr_carrier;
};

/**
 * struct fl_dev - one recorded device
 * @log: its log
 * @ver, @nr_ver: all versions by issue tick; a version's number is its place here
 * @floor_ns: floor_ns[i] is the smallest issue_ns from version i on
 * @flush, @nr_flush: all flushes by issue tick, failed ones too
 * @flush_done: the largest done tick of flushes 0 to i
 * @cover, @cover_ns: for flush i, the first done tick (clock) of any successful
 *	flush from i on, FL_NEVER without one; nr_flush + 1 places
 * @index: which versions cover a sector
 * @max_done, @min_dur, @min_dur_ns: beside index.entry, over the entries of a node
 *	up to this one
 */
struct fl_dev {
	const struct fl_log *log;
	struct fl_ver *ver;
	uint32_t nr_ver;
	uint64_t *floor_ns;
	const struct fl_rec **flush;
	uint32_t nr_flush;
	uint64_t *flush_done;
	uint64_t *cover, *cover_ns;
	struct fl_index index;
	uint64_t *max_done, *min_dur, *min_dur_ns;
};

/*
 * By whose rule a flush makes writes durable.
 * FL_RULE_TRUE: the rule above.
 * FL_RULE_LOG_WRITES: as the log of dm-log-writes would have it: a write belongs to the
 *	flush that was submitted first after it was done, and is in the log when that one
 *	is done, however it ends; a later flush that is done earlier does not count. This
 *	accuses correct kernels, and is here to show it.
 */
enum fl_rule { FL_RULE_TRUE, FL_RULE_LOG_WRITES };

/* Build from a loaded log, which must outlive it. -EFBIG with more than 2^29
 * versions. */
int fl_dev_build(struct fl_dev *dev, const struct fl_log *log, enum fl_rule rule,
		 struct fl_err *err);
void fl_dev_free(struct fl_dev *dev);

/*
 * A cut is given by a tick, or by an instant on the clock (a promise's). What
 * happened at the tick itself has happened. On the clock, what was done at the
 * very nanosecond has been done; what was issued in it has not.
 */
struct fl_cut {
	bool on_clock;
	uint64_t at;
};

/* It reached the device, and that said that it succeeded. */
static inline bool fl_took_effect(const struct fl_rec *r)
{
	return !r->status && !(r->flags & FLUXLOG_F_INJECTED);
}

bool fl_issued_by(const struct fl_rec *rec, struct fl_cut cut);
bool fl_done_by(const struct fl_rec *rec, struct fl_cut cut);
bool fl_durable_by(const struct fl_ver *v, struct fl_cut cut);

static inline bool fl_replaces(const struct fl_rec *u, const struct fl_rec *v)
{
	return v->done < u->issue;
}

/* What makes a version replace those before it, for fl_front(). */
enum fl_level {
	FL_DURABLE,	/* it is durable at the cut: the front is what rule 4 allows */
	FL_DONE,	/* it succeeded and was done by the cut: the front is what the
			 * layer above wrote last, were there no cache */
};

/* Called with a version of the front; anything but 0 ends the walk. */
typedef int (*fl_front_fn)(void *arg, const struct fl_ver *v);

/**
 * fl_front() - walk over the versions of a segment that are not replaced
 * @dev: device
 * @seg: a segment of dev->index, or FL_NO_SEG
 * @cut: when power is lost
 * @level: what counts as replacing; FL_DURABLE for what rule 4 allows
 * @fn: called for each version that was issued by the cut and is not replaced,
 *	in no order
 * @arg: for @fn
 * @base: set to whether what the segment held before the log is not replaced
 *
 * Costs a search and a step for each floating version of the segment at that
 * cut, not one for each version that it ever had.
 * Return: what @fn ended the walk with, else 0.
 */
int fl_front(const struct fl_dev *dev, uint32_t seg, struct fl_cut cut,
	     enum fl_level level, fl_front_fn fn, void *arg, bool *base);

/* The place in dev->flush of the first flush that was issued after @tick. */
uint32_t fl_flush_after(const struct fl_dev *dev, uint64_t tick);

/* The number of versions that can have been issued by @cut: all from there on
 * were issued later. (On the clock, some below may have been issued later too.) */
uint32_t fl_issued_below(const struct fl_dev *dev, struct fl_cut cut);

#endif

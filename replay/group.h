/* SPDX-License-Identifier: GPL-2.0 */
/*
 * group: the logs that are judged together.
 *
 * Takes   paths of logs.
 * Gives   their devices (durability), carriers, promises, and up to which tick
 *	   all of it is known.
 * Refuses logs that share no tick counter (epoch) or name the same device twice, and,
 *	   where promises are to be judged, ticks that stand for two events or that the
 *	   clock contradicts. Of a stack also promises that were not made above, or
 *	   that name sectors: which sectors of the legs these are is not known.
 */
#ifndef GROUP_H
#define GROUP_H

#include "carrier.h"
#include "durability.h"
#include "progress.h"

/* A promise and where it stands. */
struct fl_prom {
	const struct fl_log *log;
	const struct fl_rec *rec;
	uint64_t run, file, start, len, gen, at_ns;	/* as struct fluxlog_promise */
	uint16_t kind, call;
};

/**
 * struct fl_group - one to FL_GROUP_MAX logs of one machine
 * @log: the logs as given
 * @dev: dev[i] is what log[i] recorded
 * @nr: how many
 * @log_writes: judged by FL_RULE_LOG_WRITES
 * @stacked: log[0] was recorded above a layer, the others below it, one for each
 *	device that the layer uses (its legs); see judge_stack.c
 * @carriers: of all of them
 * @prom, @nr_prom: all promises by the tick at which they came in
 * @horizon: promises that came in up to this tick have all their reasons in the
 *	logs; FL_NEVER when every log is complete. A log that is cut off holds all
 *	that was known to the layer above when any of its records was issued, so
 *	its last issue tick is safe; of several the smallest counts.
 */
#define FL_GROUP_MAX 64
struct fl_group {
	struct fl_log *log[FL_GROUP_MAX];
	struct fl_dev dev[FL_GROUP_MAX];
	unsigned int nr;
	bool log_writes, stacked;
	struct fl_carriers carriers;
	struct fl_prom *prom;
	uint64_t nr_prom;
	uint64_t horizon;
};

#define FL_GROUP_STAMPS 0x1	/* look for carriers and promises */
#define FL_GROUP_LOG_WRITES 0x2	/* FL_RULE_LOG_WRITES instead of the true rule */
#define FL_GROUP_STACKED 0x4	/* the first log is above a layer, the others below it */

/* Open and load @nr logs. Returns 0 and *@out, or -errno with @err. Logs that end
 * early are no error; fl_log.end tells. */
int fl_group_open(struct fl_group **out, char *const *path, int nr, unsigned int flags,
		  struct fl_err *err);
void fl_group_close(struct fl_group *g);	/* NULL is fine */

/* The device with number @dev (super.dev), or NULL. */
const struct fl_dev *fl_group_dev(const struct fl_group *g, uint64_t dev);

/* The first log whose device keeps anything: what is above a layer does not. */
static inline unsigned int fl_group_first(const struct fl_group *g)
{
	return g->stacked;
}

/* True iff every log is complete. */
bool fl_group_complete(const struct fl_group *g);

#endif

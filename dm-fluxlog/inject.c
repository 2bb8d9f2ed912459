// SPDX-License-Identifier: GPL-2.0
/*
 * inject: faults and delays on purpose, so that rare orders of events happen.
 *
 * Takes   rules, from a table line or by message.
 * Gives   for each bio what is to become of it, and keeps back the ends of those
 *	   that shall be late.
 * Relies  on end_io being called again when a bio that was kept back is ended.
 *
 * A delay is put behind the device, not before it: the issue tick is taken and the
 * flush is passed down as ever, and only its end is kept back, before the done tick.
 * So the log shows what the layer above sees: a flush that was sent early and done
 * late, which others overtake. To take the done tick later than the device was done is
 * safe: nothing is called durable too early, and the layer above knows no better.
 *
 * What fails or is swallowed is never passed down. Its record says so, INJECTED,
 * since the status alone would make a swallowed flush look like a real one.
 */

#include "fluxlog.h"

#define DELAY_MS_MAX	60000U

static struct workqueue_struct *late_queue;

/* --- rules -------------------------------------------------------------- */

/* "0", "EVERY" or "EVERY@FIRST-LAST"; counting begins anew. */
static int nth_parse(struct fluxlog_nth *nth, const char *value)
{
	struct fluxlog_nth new = { .first = 1, .last = U64_MAX };
	int end = 0, fields;

	fields = sscanf(value, "%llu%n@%llu-%llu%n", &new.every, &end, &new.first,
			&new.last, &end);
	if ((fields != 1 && fields != 3) || value[end] || !new.first ||
	    new.last < new.first)
		return -EINVAL;
	*nth = new;
	return 0;
}

/* Whether the rule hits this one, the next in its counting. */
static bool nth_hits(struct fluxlog_nth *nth)
{
	u64 n;

	if (!nth->every)
		return false;
	n = ++nth->seen;
	return n >= nth->first && n <= nth->last &&
	       (n - nth->first + 1) % nth->every == 0;
}

/* "0" or "SECTOR+SECTORS". */
static int range_parse(struct fluxlog_inject *inj, const char *value)
{
	u64 start, len, sum;
	int end = 0;

	if (!strcmp(value, "0")) {
		inj->fail_len = 0;
		return 0;
	}
	if (sscanf(value, "%llu+%llu%n", &start, &len, &end) != 2 || value[end] ||
	    !len || check_add_overflow(start, len, &sum))
		return -EINVAL;
	inj->fail_start = start;
	inj->fail_len = len;
	return 0;
}

static int delay_parse(unsigned int *ms, const char *value)
{
	unsigned int new;

	if (kstrtouint(value, 10, &new) || new > DELAY_MS_MAX)
		return -EINVAL;
	*ms = new;
	return 0;
}

static void seed_set(struct fluxlog_inject *inj)
{
	prandom_seed_state(&inj->random, inj->seed);
}

static int seed_parse(struct fluxlog_inject *inj, const char *value)
{
	int r = kstrtou64(value, 10, &inj->seed);

	if (!r)
		seed_set(inj);
	return r;
}

static void active_set(struct fluxlog_inject *inj)
{
	WRITE_ONCE(inj->active, inj->delay_ms || inj->jitter_ms || inj->hold ||
		   inj->fail.every || inj->swallow.every || inj->fail_len);
}

/* In the order of the table line. */
enum rule { DELAY, JITTER, SEED, HOLD, FAIL, SWALLOW, WRITE_FAIL, NR_RULES };

static const struct {
	const char *name;
	char *error;
} rules[NR_RULES] = {
	[DELAY] = { "flush_delay_ms", "flush_delay_ms must be from 0 to 60000" },
	[JITTER] = { "flush_jitter_ms", "flush_jitter_ms must be from 0 to 60000" },
	[SEED] = { "seed", "seed must be a number below 2^64" },
	[HOLD] = { "flush_hold", "flush_hold must be a number below 2^32" },
	[FAIL] = { "flush_fail", "flush_fail must be EVERY or EVERY@FIRST-LAST" },
	[SWALLOW] = { "flush_swallow", "flush_swallow must be EVERY or EVERY@FIRST-LAST" },
	[WRITE_FAIL] = { "write_fail", "write_fail must be SECTOR+SECTORS or 0" },
};

static int rule_set(struct fluxlog_inject *inj, enum rule rule, const char *value)
{
	switch (rule) {
	case DELAY:
		return delay_parse(&inj->delay_ms, value);
	case JITTER:
		return delay_parse(&inj->jitter_ms, value);
	case SEED:
		return seed_parse(inj, value);
	case HOLD:
		return kstrtouint(value, 10, &inj->hold);
	case FAIL:
		return nth_parse(&inj->fail, value);
	case SWALLOW:
		return nth_parse(&inj->swallow, value);
	case WRITE_FAIL:
		return range_parse(inj, value);
	default:
		return -ENOENT;
	}
}

int fluxlog_inject_set(struct fluxlog_inject *inj, const char *name,
		       const char *value, char **error)
{
	unsigned long flags;
	enum rule rule;
	int r;

	for (rule = 0; rule < NR_RULES; rule++)
		if (!strcmp(rules[rule].name, name))
			break;
	if (rule == NR_RULES)
		return -ENOENT;
	spin_lock_irqsave(&inj->lock, flags);
	r = rule_set(inj, rule, value);
	active_set(inj);
	spin_unlock_irqrestore(&inj->lock, flags);
	if (r)
		*error = rules[rule].error;
	return r;
}

static size_t nth_emit(const char *name, const struct fluxlog_nth *nth, char *buf,
		       size_t size)
{
	if (!nth->every)
		return 0;
	if (nth->first == 1 && nth->last == U64_MAX)
		return scnprintf(buf, size, " %s %llu", name, nth->every);
	return scnprintf(buf, size, " %s %llu@%llu-%llu", name, nth->every, nth->first,
			 nth->last);
}

static size_t number_emit(const char *name, u64 number, char *buf, size_t size)
{
	return number ? scnprintf(buf, size, " %s %llu", name, number) : 0;
}

static size_t rule_emit(const struct fluxlog_inject *inj, enum rule rule, char *buf,
			size_t size)
{
	const char *name = rules[rule].name;

	switch (rule) {
	case DELAY:
		return number_emit(name, inj->delay_ms, buf, size);
	case JITTER:
		return number_emit(name, inj->jitter_ms, buf, size);
	case SEED:
		return number_emit(name, inj->seed, buf, size);
	case HOLD:
		return number_emit(name, inj->hold, buf, size);
	case FAIL:
		return nth_emit(name, &inj->fail, buf, size);
	case SWALLOW:
		return nth_emit(name, &inj->swallow, buf, size);
	case WRITE_FAIL:
		return inj->fail_len ? scnprintf(buf, size, " %s %llu+%llu", name,
						 inj->fail_start, inj->fail_len) : 0;
	default:
		return 0;
	}
}

unsigned int fluxlog_inject_emit(struct fluxlog_inject *inj, char *buf, size_t size)
{
	unsigned int words = 0;
	unsigned long flags;
	size_t n = 0, len;
	enum rule rule;

	*buf = '\0';
	spin_lock_irqsave(&inj->lock, flags);
	for (rule = 0; rule < NR_RULES; rule++) {
		len = rule_emit(inj, rule, buf + n, size - n);
		words += len ? 2 : 0;
		n += len;
	}
	spin_unlock_irqrestore(&inj->lock, flags);
	return words;
}

/* --- what becomes of a bio ---------------------------------------------- */

static void late_pick(struct fluxlog_inject *inj, struct fluxlog_late *late)
{
	u32 ms = inj->delay_ms;

	if (inj->hold) {
		inj->hold--;
		active_set(inj);
		late->how = FLUXLOG_HELD;
		return;
	}
	if (inj->jitter_ms)
		ms += prandom_u32_state(&inj->random) % (inj->jitter_ms + 1);
	late->delay = msecs_to_jiffies(ms);
	if (late->delay)
		late->how = FLUXLOG_DELAYED;
}

static enum fluxlog_fate flush_pick(struct fluxlog_inject *inj,
				    struct fluxlog_late *late)
{
	bool fails = nth_hits(&inj->fail);
	bool swallowed = nth_hits(&inj->swallow) && !fails;

	late_pick(inj, late);
	inj->nr_failed += fails;
	inj->nr_swallowed += swallowed;
	if (fails)
		return FLUXLOG_FAIL;
	return swallowed ? FLUXLOG_SWALLOW : FLUXLOG_PASS;
}

static enum fluxlog_fate write_pick(struct fluxlog_inject *inj, const struct bio *bio)
{
	u64 start = bio->bi_iter.bi_sector;

	if (!inj->fail_len || bio_op(bio) == REQ_OP_DISCARD ||
	    start >= inj->fail_start + inj->fail_len ||
	    bio_end_sector(bio) <= inj->fail_start)
		return FLUXLOG_PASS;
	inj->nr_failed_writes++;
	return FLUXLOG_FAIL;
}

enum fluxlog_fate fluxlog_inject_pick(struct fluxlog_inject *inj, struct bio *bio,
				      struct fluxlog_late *late)
{
	enum fluxlog_fate fate;
	unsigned long flags;

	spin_lock_irqsave(&inj->lock, flags);
	if (bio_sectors(bio))
		fate = write_pick(inj, bio);
	else
		fate = flush_pick(inj, late);
	spin_unlock_irqrestore(&inj->lock, flags);
	late->bio = bio;
	return fate;
}

/* --- ends that are late ------------------------------------------------- */

/* Let the work run when the first delayed bio is due. Under the lock. */
static void late_arm(struct fluxlog_inject *inj)
{
	struct fluxlog_late *late;
	unsigned long now = jiffies, wait = MAX_JIFFY_OFFSET;

	list_for_each_entry(late, &inj->delayed, node)
		wait = min(wait, time_after(late->due, now) ? late->due - now : 0);
	if (!list_empty(&inj->delayed))
		mod_delayed_work(late_queue, &inj->work, wait);
}

bool fluxlog_inject_keep_back(struct fluxlog_inject *inj, struct fluxlog_late *late)
{
	unsigned long flags;
	bool kept;

	spin_lock_irqsave(&inj->lock, flags);
	kept = late->how != FLUXLOG_IN_TIME && !inj->letting_go;
	if (kept && late->how == FLUXLOG_HELD) {
		list_add_tail(&late->node, &inj->held);
		inj->nr_held++;
	} else if (kept) {
		late->due = jiffies + late->delay;
		list_add_tail(&late->node, &inj->delayed);
		inj->nr_delayed++;
		late_arm(inj);
	}
	/* the next time that it ends, it ends */
	late->how = FLUXLOG_IN_TIME;
	spin_unlock_irqrestore(&inj->lock, flags);
	return kept;
}

static void late_end(struct list_head *list)
{
	struct fluxlog_late *late, *next;

	/* ending a bio frees what @late is part of */
	list_for_each_entry_safe(late, next, list, node)
		bio_endio(late->bio);
}

static void late_work(struct work_struct *work)
{
	struct fluxlog_inject *inj = container_of(to_delayed_work(work),
						  struct fluxlog_inject, work);
	struct fluxlog_late *late, *next;
	LIST_HEAD(due);

	spin_lock_irq(&inj->lock);
	list_for_each_entry_safe(late, next, &inj->delayed, node)
		if (!time_after(late->due, jiffies))
			list_move_tail(&late->node, &due);
	late_arm(inj);
	spin_unlock_irq(&inj->lock);
	late_end(&due);
}

void fluxlog_inject_release(struct fluxlog_inject *inj)
{
	LIST_HEAD(list);

	spin_lock_irq(&inj->lock);
	list_splice_init(&inj->held, &list);
	inj->nr_held = 0;
	inj->hold = 0;
	active_set(inj);
	spin_unlock_irq(&inj->lock);
	late_end(&list);
}

void fluxlog_inject_let_go(struct fluxlog_inject *inj, bool on)
{
	LIST_HEAD(list);

	spin_lock_irq(&inj->lock);
	inj->letting_go = on;
	if (on) {
		list_splice_init(&inj->held, &list);
		list_splice_tail_init(&inj->delayed, &list);
		inj->nr_held = 0;
	}
	spin_unlock_irq(&inj->lock);
	late_end(&list);
}

/* --- life --------------------------------------------------------------- */

void fluxlog_inject_off(struct fluxlog_inject *inj)
{
	spin_lock_irq(&inj->lock);
	inj->delay_ms = 0;
	inj->jitter_ms = 0;
	inj->fail.every = 0;
	inj->swallow.every = 0;
	inj->fail_len = 0;
	spin_unlock_irq(&inj->lock);
	fluxlog_inject_release(inj);
}

void fluxlog_inject_create(struct fluxlog_inject *inj)
{
	spin_lock_init(&inj->lock);
	INIT_LIST_HEAD(&inj->held);
	INIT_LIST_HEAD(&inj->delayed);
	INIT_DELAYED_WORK(&inj->work, late_work);
	seed_set(inj);
}

void fluxlog_inject_destroy(struct fluxlog_inject *inj)
{
	cancel_delayed_work_sync(&inj->work);
}

int fluxlog_inject_init(void)
{
	late_queue = alloc_workqueue("fluxlog", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return late_queue ? 0 : -ENOMEM;
}

void fluxlog_inject_exit(void)
{
	destroy_workqueue(late_queue);
}

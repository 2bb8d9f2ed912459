// SPDX-License-Identifier: GPL-2.0
/* See group.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "group.h"

/* ---- loading ----------------------------------------------------------------- */

struct loader {
	struct fl_group *g;
	unsigned int dev;
	struct fl_progress *meter;
	struct fl_err *err;
};

static int see_record(void *arg, const struct fl_log *log, uint64_t idx,
		      const uint8_t *payload)
{
	struct loader *l = arg;

	if (idx > UINT32_MAX)
		return fl_fail(l->err, EFBIG, "%s: more than %u records", log->path,
			       UINT32_MAX);
	if (payload)
		fl_carriers_see(&l->g->carriers, l->dev, (uint32_t)idx, payload,
				log->rec[idx].nr);
	return 0;
}

static void see_progress(void *arg, uint64_t bytes)
{
	struct loader *l = arg;

	fl_progress_step(l->meter, bytes);
}

static int load(struct fl_group *g, unsigned int i, const char *path, unsigned int flags,
		struct fl_err *err)
{
	struct fl_progress meter;
	struct loader l = { g, i, &meter, err };
	struct fl_visitor v = { .progress = see_progress, .arg = &l };
	int ret;

	ret = fl_log_open(&g->log[i], path, err);
	if (ret)
		return ret;
	g->nr = i + 1;
	if (flags & FL_GROUP_STAMPS)
		v.record = see_record;
	fl_progress_begin(&meter, "reading the log", g->log[i]->bytes);
	ret = fl_log_load(g->log[i], &v, err);
	fl_progress_end(&meter);
	return ret ? ret : fl_dev_build(&g->dev[i], g->log[i],
				  flags & FL_GROUP_LOG_WRITES ? FL_RULE_LOG_WRITES
							      : FL_RULE_TRUE, err);
}

static int check_pair(const struct fl_log *a, const struct fl_log *b, struct fl_err *err)
{
	if (memcmp(a->sup.epoch, b->sup.epoch, sizeof(a->sup.epoch)))
		return fl_fail(err, EINVAL,
			       "%s and %s: recorded with different tick counters, so they have no common order",
			       a->path, b->path);
	if (!memcmp(a->sup.uuid, b->sup.uuid, sizeof(a->sup.uuid)))
		return fl_fail(err, EINVAL, "%s and %s: the same log twice", a->path,
			       b->path);
	if (a->sup.dev == b->sup.dev)
		return fl_fail(err, EINVAL, "%s and %s: both are device %u of their group",
			       a->path, b->path, a->sup.dev);
	return 0;
}

static int check_group(const struct fl_group *g, struct fl_err *err)
{
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < g->nr && !ret; i++)
		for (k = 0; k < i && !ret; k++)
			ret = check_pair(g->log[k], g->log[i], err);
	return ret;
}

/* ---- promises ---------------------------------------------------------------- */

static int cmp_prom(const void *a, const void *b)
{
	const struct fl_prom *x = a, *y = b;

	return x->rec->issue < y->rec->issue ? -1 : x->rec->issue > y->rec->issue;
}

static void add_promise(struct fl_group *g, const struct fl_log *log,
			const struct fl_rec *rec)
{
	struct fl_promise p;

	fl_promise_get(log, rec, &p);
	g->prom[g->nr_prom++] = (struct fl_prom){
		.log = log, .rec = rec, .run = p.run, .file = p.file, .start = p.start,
		.len = p.len, .gen = p.gen, .at_ns = p.at_ns, .kind = p.kind,
		.call = p.call,
	};
}

static void collect_promises(struct fl_group *g)
{
	uint64_t n = 0, r;
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		for (r = 0; r < g->log[i]->nr_rec; r++)
			n += g->log[i]->rec[r].kind == FLUXLOG_PROMISE;
	g->prom = fl_alloc(n + 1, sizeof(*g->prom));
	for (i = 0; i < g->nr; i++)
		for (r = 0; r < g->log[i]->nr_rec; r++)
			if (g->log[i]->rec[r].kind == FLUXLOG_PROMISE)
				add_promise(g, g->log[i], &g->log[i]->rec[r]);
	qsort(g->prom, g->nr_prom, sizeof(*g->prom), cmp_prom);
}

/* ---- how far the logs reach -------------------------------------------------- */

static uint64_t last_issue(const struct fl_log *log)
{
	uint64_t last = 0, r;

	for (r = 0; r < log->nr_rec; r++)
		if (log->rec[r].issue > last)
			last = log->rec[r].issue;
	return last;
}

static void set_horizon(struct fl_group *g)
{
	unsigned int i;

	g->horizon = FL_NEVER;
	for (i = 0; i < g->nr; i++)
		if (g->log[i]->end != FL_END_COMPLETE && last_issue(g->log[i]) < g->horizon)
			g->horizon = last_issue(g->log[i]);
}

/* ---- ticks against the clock -------------------------------------------------- */

struct moment {
	uint64_t tick, ns;
	const struct fl_log *log;
	bool is_done;
};

static int cmp_moment(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static uint64_t collect_moments(const struct fl_group *g, struct moment *m)
{
	uint64_t n = 0, r;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		for (r = 0; r < g->log[i]->nr_rec; r++) {
			const struct fl_rec *rec = &g->log[i]->rec[r];

			if (rec->kind > FLUXLOG_ZEROES)
				continue;
			m[n++] = (struct moment){ rec->issue, rec->issue_ns, g->log[i], false };
			m[n++] = (struct moment){ rec->done, rec->done_ns, g->log[i], true };
		}
	}
	return n;
}

/* The order in which the format says that clock and tick are read must show, else a
 * promise, which has an instant on the clock only, cannot be placed among ticks. */
static int check_clock(const struct fl_group *g, struct fl_err *err)
{
	uint64_t n = 0, i, issued = 0;
	struct moment *m;
	int ret = 0;

	for (i = 0; i < g->nr; i++)
		n += g->log[i]->nr_rec;
	m = fl_alloc(2 * n + 1, sizeof(*m));
	n = collect_moments(g, m);
	qsort(m, n, sizeof(*m), cmp_moment);
	for (i = 0; i < n && !ret; i++) {
		if (i && m[i].tick == m[i - 1].tick)
			ret = fl_fail(err, EINVAL, "%s: tick %llu stands for two events",
				      m[i].log->path, (unsigned long long)m[i].tick);
		else if (!m[i].is_done)
			issued = m[i].ns > issued ? m[i].ns : issued;
		else if (m[i].ns < issued)
			ret = fl_fail(err, EINVAL,
				      "%s: the clock contradicts the ticks: what was done at tick %llu was done %llu ns before something that was issued earlier",
				      m[i].log->path, (unsigned long long)m[i].tick,
				      (unsigned long long)(issued - m[i].ns));
	}
	free(m);
	return ret;
}

/* What a promise's bytes became below is known by what they carry, and only of what
 * came from above. */
static int check_stack(const struct fl_group *g, struct fl_err *err)
{
	uint64_t i;

	if (g->nr < 2)
		return fl_fail(err, EINVAL, "%s: recorded above a layer, and no log below it",
			       g->log[0]->path);
	for (i = 0; i < g->nr_prom; i++) {
		const struct fl_prom *p = &g->prom[i];

		if (p->log != g->log[0])
			return fl_fail(err, EINVAL,
				       "%s: a promise (tick %llu) made below the layer; only those above are judged",
				       p->log->path, (unsigned long long)p->rec->issue);
		if (p->kind == FLUXLOG_PROMISE_SECTORS)
			return fl_fail(err, EINVAL,
				       "%s: a promise of sectors (tick %llu): which sectors these are below the layer is not known",
				       p->log->path, (unsigned long long)p->rec->issue);
	}
	return 0;
}

bool fl_group_complete(const struct fl_group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		if (g->log[i]->end != FL_END_COMPLETE)
			return false;
	return true;
}

int fl_group_open(struct fl_group **out, char *const *path, int nr, unsigned int flags,
		  struct fl_err *err)
{
	struct fl_group *g;
	int i, ret = 0;

	if (nr < 1 || nr > FL_GROUP_MAX)
		return fl_fail(err, EINVAL, "a group has 1 to %d logs, not %d",
			       FL_GROUP_MAX, nr);
	g = fl_alloc(1, sizeof(*g));
	g->log_writes = flags & FL_GROUP_LOG_WRITES;
	g->stacked = flags & FL_GROUP_STACKED;
	for (i = 0; i < nr && !ret; i++)
		ret = load(g, (unsigned int)i, path[i], flags, err);
	if (!ret)
		ret = check_group(g, err);
	if (!ret && (flags & FL_GROUP_STAMPS))
		ret = check_clock(g, err);
	if (!ret && (flags & FL_GROUP_STAMPS))
		ret = fl_carriers_build(&g->carriers, g->dev, err);
	if (!ret)
		collect_promises(g);
	if (!ret && g->stacked)
		ret = check_stack(g, err);
	if (ret) {
		fl_group_close(g);
		return ret;
	}
	set_horizon(g);
	*out = g;
	return 0;
}

void fl_group_close(struct fl_group *g)
{
	unsigned int i;

	if (!g)
		return;
	fl_carriers_free(&g->carriers);
	for (i = 0; i < g->nr; i++) {
		fl_dev_free(&g->dev[i]);
		fl_log_close(g->log[i]);
	}
	free(g->prom);
	free(g);
}

const struct fl_dev *fl_group_dev(const struct fl_group *g, uint64_t dev)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		if (g->log[i]->sup.dev == dev)
			return &g->dev[i];
	return NULL;
}

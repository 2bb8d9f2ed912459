// SPDX-License-Identifier: GPL-2.0
/* See cost.h. */
#include <stdlib.h>

#include "cost.h"
#include "journal.h"
#include "sorted.h"

static bool in_span(const struct fl_cost_of *span, const struct fl_rec *r)
{
	return r->issue > span->after && r->issue <= span->until;
}

/* ---- times --------------------------------------------------------------------- */

struct times {
	uint64_t *v;
	size_t nr, room;
};

static void add_time(struct times *t, const struct fl_rec *r)
{
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->v = fl_realloc(t->v, t->room, sizeof(*t->v));
	}
	t->v[t->nr++] = r->done_ns - r->issue_ns;
}

static void quantiles(struct times *t, struct fl_times *out)
{
	if (t->nr) {
		fl_sort_u64(t->v, t->nr);
		out->p50 = t->v[t->nr / 2];
		out->p90 = t->v[t->nr * 9 / 10];
		out->p99 = t->v[t->nr * 99 / 100];
		out->max = t->v[t->nr - 1];
	}
	free(t->v);
}

/* ---- writes -------------------------------------------------------------------- */

static int add_write(struct fl_cost *c, const struct fl_journal *j, const struct fl_log *log,
		     const struct fl_rec *r, struct fl_err *err)
{
	uint64_t bytes = r->nr * FL_SECTOR;
	int journal = fl_journal_has(j, log, r, err);

	if (journal < 0)
		return journal;
	c->writes++;
	c->write_bytes += bytes;
	c->fua += !!(r->flags & FLUXLOG_F_FUA);
	if (journal) {
		c->journal++;
		c->journal_bytes += bytes;
	} else if (r->flags & FLUXLOG_F_META) {
		c->meta++;
	} else {
		c->data++;
		c->data_bytes += bytes;
	}
	return 0;
}

static int add_versions(struct fl_cost *c, const struct fl_dev *dev,
			const struct fl_cost_of *span, struct times *t, struct fl_err *err)
{
	struct fl_journal journal;
	int ret = fl_journal_find(&journal, dev, err);
	uint32_t i;

	for (i = 0; i < dev->nr_ver && !ret; i++) {
		const struct fl_rec *r = dev->ver[i].rec;

		if (!in_span(span, r))
			continue;
		if (r->kind == FLUXLOG_DISCARD) {
			c->discards++;
			continue;
		}
		ret = add_write(c, &journal, dev->log, r, err);
		add_time(t, r);
	}
	return ret;
}

/* ---- flushes ------------------------------------------------------------------- */

/* Ticks at which a write became durable, sorted. */
static uint64_t *durable_ticks(const struct fl_dev *dev, size_t *nr)
{
	uint64_t *v = fl_alloc((size_t)dev->nr_ver + 1, sizeof(*v));
	uint32_t i;

	for (i = 0, *nr = 0; i < dev->nr_ver; i++)
		if (dev->ver[i].dur != FL_NEVER)
			v[(*nr)++] = dev->ver[i].dur;
	fl_sort_u64(v, *nr);
	return v;
}

/* Flushes come by issue: one overtook if an earlier one was done later. */
static void add_flushes(struct fl_cost *c, const struct fl_dev *dev,
			const struct fl_cost_of *span, struct times *t)
{
	size_t nr;
	uint64_t *durable = durable_ticks(dev, &nr), last_done = 0;
	uint32_t i;

	for (i = 0; i < dev->nr_flush; i++) {
		const struct fl_rec *f = dev->flush[i];
		size_t k = fl_up_to(durable, nr, f->done);
		bool overtook = f->done < last_done;

		if (f->kind != FLUXLOG_FLUSH)
			continue;
		last_done = overtook ? last_done : f->done;
		if (!in_span(span, f))
			continue;
		c->flushes++;
		c->failed += !!f->status;
		c->idle += fl_took_effect(f) && !(k && durable[k - 1] == f->done);
		c->overtook += overtook;
		c->flush_ns += f->done_ns - f->issue_ns;
		add_time(t, f);
	}
	free(durable);
}

static uint64_t most_in_flight(const struct fl_dev *dev, const struct fl_cost_of *span)
{
	uint64_t *done = fl_alloc((size_t)dev->nr_flush + 1, sizeof(*done)), most = 0;
	uint32_t i;

	for (i = 0; i < dev->nr_flush; i++)
		done[i] = dev->flush[i]->done;
	fl_sort_u64(done, dev->nr_flush);
	for (i = 0; i < dev->nr_flush; i++) {
		uint64_t now = i + 1 - fl_up_to(done, dev->nr_flush, dev->flush[i]->issue);

		if (in_span(span, dev->flush[i]))
			most = now > most ? now : most;
	}
	free(done);
	return most;
}

/* ---- promises ------------------------------------------------------------------ */

/* The last write, by done, that carries the promise's first sector with its generation
 * and was done by the promise; NULL: none. */
static const struct fl_ver *data_of(const struct fl_group *g, const struct fl_prom *p,
				    const struct fl_dev **dev)
{
	const struct fl_carriers *cs = &g->carriers;
	const struct fl_file *f = fl_carriers_file(cs, p->run, p->file);
	struct fl_list list[FL_INDEX_LISTS];
	const struct fl_ver *best = NULL;
	unsigned int n, i;
	uint32_t k;

	if (!f || p->start / FL_SECTOR >= f->sectors)
		return NULL;
	n = fl_index_lists(&cs->index,
			   fl_index_seg(&cs->index, f->base + p->start / FL_SECTOR), list);
	for (i = 0; i < n; i++) {
		for (k = 0; k < list[i].n; k++) {
			const struct fl_carrier *c = &cs->c[list[i].id[k]];
			const struct fl_ver *v = &g->dev[c->dev].ver[c->rec];

			if (c->gen < p->gen || v->rec->done_ns > p->at_ns)
				continue;
			if (best && best->rec->done > v->rec->done)
				continue;
			best = v;
			*dev = &g->dev[c->dev];
		}
	}
	return best;
}

/* The successful flush that was done last by @at_ns, of those issued after @tick. */
static const struct fl_rec *last_flush(const struct fl_dev *dev, uint64_t tick, uint64_t at_ns)
{
	const struct fl_rec *best = NULL;
	uint32_t i;

	for (i = fl_flush_after(dev, tick); i < dev->nr_flush; i++) {
		const struct fl_rec *f = dev->flush[i];

		if (f->issue_ns >= at_ns)
			break;
		if (fl_took_effect(f) && f->done_ns <= at_ns && (!best || f->done > best->done))
			best = f;
	}
	return best;
}

static bool takes_log(const struct fl_cost_of *span, const struct fl_group *g,
		      const struct fl_dev *dev)
{
	return span->log == FL_ALL_LOGS || dev == &g->dev[span->log];
}

static bool skippable(const struct fl_group *g, const struct fl_cost_of *span,
		      const struct fl_prom *p)
{
	const struct fl_dev *dev = NULL;
	const struct fl_ver *v = p->kind == FLUXLOG_PROMISE_FILE ? data_of(g, p, &dev) : NULL;
	const struct fl_rec *own;

	if (!v || !takes_log(span, g, dev))
		return false;
	own = last_flush(dev, v->rec->done, p->at_ns);
	return own && v->dur < own->issue;
}

static void add_promises(struct fl_cost *c, const struct fl_group *g,
			 const struct fl_cost_of *span)
{
	uint64_t i;

	for (i = 0; i < g->nr_prom; i++) {
		if (g->prom[i].call == FLUXLOG_CALL_NONE || !in_span(span, g->prom[i].rec))
			continue;
		c->promises++;
		c->skippable += skippable(g, span, &g->prom[i]);
	}
}

/* ---- all ----------------------------------------------------------------------- */

static void measure_run(struct fl_cost *c, const struct fl_group *g,
			const struct fl_cost_of *span)
{
	uint64_t first = UINT64_MAX, last = 0, r;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		for (r = 0; r < g->log[i]->nr_rec; r++) {
			const struct fl_rec *rec = &g->log[i]->rec[r];

			if (!in_span(span, rec))
				continue;
			first = rec->issue_ns < first ? rec->issue_ns : first;
			last = rec->done_ns > last ? rec->done_ns : last;
		}
	}
	c->seconds = last > first ? (double)(last - first) / 1e9 : 0;
}

int fl_cost(struct fl_cost *c, const struct fl_group *g, const struct fl_cost_of *span,
	    struct fl_err *err)
{
	struct times flushes = { 0 }, writes = { 0 };
	unsigned int i;
	int ret = 0;

	*c = (struct fl_cost){ 0 };
	for (i = 0; i < g->nr && !ret; i++) {
		uint64_t most;

		if (!takes_log(span, g, &g->dev[i]))
			continue;
		most = most_in_flight(&g->dev[i], span);
		ret = add_versions(c, &g->dev[i], span, &writes, err);
		add_flushes(c, &g->dev[i], span, &flushes);
		c->in_flight = most > c->in_flight ? most : c->in_flight;
	}
	quantiles(&flushes, &c->flush_time);
	quantiles(&writes, &c->write_time);
	add_promises(c, g, span);
	measure_run(c, g, span);
	return ret;
}

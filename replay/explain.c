// SPDX-License-Identifier: GPL-2.0
/*
 * See explain.h. The story is a list of events with one line each; who is in it is
 * decided first (the cast), then the events are put in order and told. Ticks order
 * them; the promise has an instant on the clock only and is placed by that.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "explain.h"
#include "report.h"

#define CAST_MAX 16	/* actors: writes and flushes */
#define AFTER_MAX 2	/* flushes that covered the write when it was too late */

struct actor {
	const struct fl_rec *rec;
	const struct fl_dev *dev;
	char name[16];
	const char *issued, *done;	/* what the moment means for the promise */
};

struct event {
	uint64_t tick, ns;
	const struct actor *actor;	/* NULL: the promise itself */
	bool is_done;
};

struct story {
	const struct fl_group *g;
	const struct fl_finding *f;
	const struct fl_prom *prom;
	const struct fl_dev *dev;
	struct actor cast[CAST_MAX];
	unsigned int nr_cast, nr_flush;
	struct event event[2 * CAST_MAX + 1];
	unsigned int nr_event;
};

/* ---- the cast ---------------------------------------------------------------- */

static struct actor *add_actor(struct story *st, const struct fl_dev *dev,
			       const struct fl_rec *rec)
{
	struct actor *a;
	unsigned int i;

	for (i = 0; i < st->nr_cast; i++)
		if (st->cast[i].rec == rec)
			return NULL;
	if (st->nr_cast == CAST_MAX)
		return NULL;
	a = &st->cast[st->nr_cast++];
	*a = (struct actor){ .rec = rec, .dev = dev, .issued = "", .done = "" };
	return a;
}

static void add_write(struct story *st, const struct fl_ver *v, const char *name,
		      const char *issued)
{
	struct actor *a = v ? add_actor(st, st->dev, v->rec) : NULL;

	if (!a)
		return;
	snprintf(a->name, sizeof(a->name), "%s", name);
	a->issued = issued;
	a->done = v->rec->status ? "failed: it may or may not be there, for ever"
		: !fl_took_effect(v->rec) ? "swallowed by the target: it may not be there"
		: v->rec->kind == FLUXLOG_DISCARD ? "from here on zeros or the old contents"
		: v->rec->flags & FLUXLOG_F_FUA ? "FUA: durable from here on" : "";
}

/* What flush @f does for the promised write, in words. */
static void judge_flush(const struct story *st, struct actor *a)
{
	const struct fl_rec *f = a->rec, *w = st->f->write->rec;
	struct fl_cut at = { true, st->prom->at_ns };

	if (st->g->stacked && a->dev == &st->g->dev[0] && a->dev != st->dev) {
		a->issued = "above the layer: is worth what the layer made of it";
		a->done = f->status ? "failed above" : "succeeded above";
		return;
	}
	if (a->dev != st->dev) {
		a->issued = "of another device: covers nothing of this one";
		return;
	}
	if (f->issue < w->done) {
		a->issued = f->done < w->issue ? "before the write was issued: does not cover it"
					       : "before the write was done: does not cover it";
		return;
	}
	a->issued = "after the write was done: covers it";
	if (f->status)
		a->done = "failed: makes nothing durable";
	else if (!fl_took_effect(f))
		a->done = "swallowed by the target: makes nothing durable";
	else if (fl_done_by(f, at))
		a->done = "makes the write durable, in time";
	else
		a->done = "makes the write durable, after the promise";
}

static void add_flush(struct story *st, const struct fl_dev *dev, const struct fl_rec *f)
{
	struct actor *a = add_actor(st, dev, f);

	if (!a)
		return;
	snprintf(a->name, sizeof(a->name), "flush F%u", ++st->nr_flush);
	judge_flush(st, a);
}

/* The flush before the write, those in flight with it, and the first after it. */
static void cast_flushes(struct story *st)
{
	const struct fl_dev *dev = st->dev;
	const struct fl_rec *w = st->f->write->rec;
	uint32_t after = fl_flush_after(dev, w->done), i;

	if (st->f->flush)
		add_flush(st, dev, st->f->flush);
	for (i = after; i-- > 0 && st->nr_cast < CAST_MAX / 2;) {
		if (dev->flush[i]->done > w->issue)
			add_flush(st, dev, dev->flush[i]);
		else if (dev->flush_done[i] < w->issue)
			break;
	}
	for (i = fl_flush_after(dev, w->issue); i-- > 0;) {
		if (dev->flush[i]->done < w->issue) {
			add_flush(st, dev, dev->flush[i]);
			break;
		}
	}
	for (i = after; i < dev->nr_flush && i < after + AFTER_MAX; i++)
		add_flush(st, dev, dev->flush[i]);
}

/* Flushes of the other devices between the write and the promise's message. */
static void cast_elsewhere(struct story *st)
{
	unsigned int d;

	for (d = 0; d < st->g->nr; d++) {
		const struct fl_dev *dev = &st->g->dev[d];
		uint32_t i;

		if (dev == st->dev)
			continue;
		i = fl_flush_after(dev, st->f->write->rec->done);
		if (i < dev->nr_flush && dev->flush[i]->issue < st->prom->rec->issue)
			add_flush(st, dev, dev->flush[i]);
	}
}

static void cast(struct story *st)
{
	add_write(st, st->f->write, "the write", "carries what was promised");
	if (st->f->other != st->f->write)
		add_write(st, st->f->other, "the other", "what may be there instead");
	if (!st->f->write)
		return;
	cast_flushes(st);
	cast_elsewhere(st);
}

/* ---- the events -------------------------------------------------------------- */

static int cmp_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* The promise stands before the first event that the clock puts after it. */
static void insert_promise(struct story *st)
{
	unsigned int i = 0, n = st->nr_event++;

	while (i < n && st->event[i].ns <= st->prom->at_ns)
		i++;
	memmove(&st->event[i + 1], &st->event[i], (n - i) * sizeof(st->event[0]));
	st->event[i] = (struct event){ .ns = st->prom->at_ns };
}

static void collect_events(struct story *st)
{
	unsigned int i;

	for (i = 0; i < st->nr_cast; i++) {
		const struct actor *a = &st->cast[i];

		st->event[st->nr_event++] = (struct event){
			.tick = a->rec->issue, .ns = a->rec->issue_ns, .actor = a };
		st->event[st->nr_event++] = (struct event){
			.tick = a->rec->done, .ns = a->rec->done_ns, .actor = a,
			.is_done = true };
	}
	qsort(st->event, st->nr_event, sizeof(st->event[0]), cmp_event);
	insert_promise(st);
}

/* ---- telling ----------------------------------------------------------------- */

static void tell_event(FILE *out, const struct story *st, const struct event *e)
{
	double us = ((double)e->ns - (double)st->prom->at_ns) / 1e3;
	bool nothing = st->prom->call == FLUXLOG_CALL_NONE;
	const struct actor *a = e->actor;
	const char *note;

	if (!a) {
		fprintf(out, "  %12s  %+14.3f  ===== %s%s: the promise =====\n", "-",
			us, nothing ? "promised without a sync" : fl_call_name(st->prom->call),
			nothing ? "" : " returned 0");
		return;
	}
	note = e->is_done ? a->done : a->issued;
	fprintf(out, "  %12" PRIu64 "  %+14.3f  %-10s %s%s%s\n", e->tick, us, a->name,
		!e->is_done ? "issued" : a->rec->status ? "FAILED" : "done",
		note[0] ? "   <- " : "", note);
}

static void tell_cast(FILE *out, const struct story *st)
{
	char buf[FL_LINE];

	if (st->f->write)
		fprintf(out, "the write   %s\n", fl_say_write(buf, st->g, st->f->dev,
							      st->f->write));
	else
		fprintf(out, "the write   there is none\n");
	if (st->f->other && st->f->other != st->f->write)
		fprintf(out, "the other   %s\n", fl_say_write(buf, st->g, st->f->dev,
							      st->f->other));
	if (st->g->stacked && st->f->dev != FL_NO_DEV)
		fprintf(out, "%-11s %s\n", st->f->dev ? "the leg" : "above",
			st->g->log[st->f->dev]->path);
}

static void tell_exposure(FILE *out, const struct story *st)
{
	const struct fl_ver *w = st->f->write;

	if (!w || st->f->code > FL_NOT_COVERED)
		return;
	if (st->f->code == FL_NOT_BELOW)
		fprintf(out, "exposed     from the promise on: nothing below the layer has it\n");
	else if (w->dur == FL_NEVER)
		fprintf(out, "exposed     from the promise to the end of the log: it never became durable\n");
	else
		fprintf(out, "exposed     from the promise until tick %" PRIu64
			": at each cut in between the write may be lost\n", w->dur);
}

void fl_explain(FILE *out, const struct fl_group *g, const struct fl_check *ck, uint64_t nr)
{
	const struct fl_finding *f = &ck->findings.f[nr];
	const struct fl_problem *pb = &fl_problem[f->code];
	struct story st = { .g = g, .f = f, .prom = &g->prom[f->prom] };
	char buf[FL_LINE];
	unsigned int i;

	if (f->dev != FL_NO_DEV)
		st.dev = &g->dev[f->dev];
	cast(&st);
	collect_events(&st);
	fprintf(out, "finding %" PRIu64 " of %" PRIu64 ": %s %s\n%s.\n\n", nr + 1,
		ck->findings.nr, pb->id, pb->name, pb->text);
	fprintf(out, "promise     %s\n", fl_say_promise(buf, g, f->prom));
	fprintf(out, "part        %s\n", fl_say_range(buf, st.prom, f->start, f->len));
	tell_cast(out, &st);
	fprintf(out, "\n  %12s  %14s\n", "tick", "time (us)");
	for (i = 0; i < st.nr_event; i++)
		tell_event(out, &st, &st.event[i]);
	fprintf(out, "\n");
	tell_exposure(out, &st);
	fprintf(out, "rule        %s\nremedy      %s\n", pb->rule, pb->remedy);
}

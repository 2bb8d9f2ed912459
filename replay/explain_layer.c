// SPDX-License-Identifier: GPL-2.0
/*
 * explain_layer: the story of one finding of a layer.
 *
 * Takes   a layer, judged, and the place of a finding.
 * Gives   the write and the flush above, the write below, and what the flushes of its
 *	   device were good for, in the order of their ticks, with the rule and a remedy.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "explain.h"
#include "report.h"

#define FLUSH_MAX 6	/* of the device below, around the write */
#define CAST_MAX (3 + FLUSH_MAX)

struct actor {
	const struct fl_rec *rec;
	char name[24];
	const char *issued, *done;
};

struct event {
	uint64_t tick, ns;
	const struct actor *actor;
	bool is_done;
};

struct story {
	const struct fl_layer_finding *f;
	const struct fl_dev *low;
	struct actor cast[CAST_MAX];
	unsigned int nr_cast, nr_flush;
};

static const char *const remedy[FL_LAYER_NR_CODES] = {
	[FL_LAYER_NOT_WRITTEN] = "a write must be done below before it is done above",
	[FL_LAYER_WRITE_FAILED] = "the error of a write below must reach the layer above",
	[FL_LAYER_FLUSH_FAILED] = "the error of a flush below must reach the layer above",
	[FL_LAYER_FLUSH_SWALLOWED] = "a flush must be passed down to the device that holds the write",
	[FL_LAYER_FLUSH_LATE] = "a flush must be done above only when it is done below",
	[FL_LAYER_FLUSH_EARLY] = "a flush must be issued below after the writes that it covers above are done there",
	[FL_LAYER_NOT_FLUSHED] = "a flush must be sent to each device that holds writes which it covers",
};

/* The first mention counts. */
static void add(struct story *st, const struct fl_rec *rec, const char *name,
		const char *issued, const char *done)
{
	struct actor *a = &st->cast[st->nr_cast];
	unsigned int i;

	for (i = 0; i < st->nr_cast; i++)
		if (st->cast[i].rec == rec)
			return;
	if (st->nr_cast == CAST_MAX)
		return;
	*a = (struct actor){ .rec = rec, .issued = issued, .done = done };
	snprintf(a->name, sizeof(a->name), "%s", name);
	st->nr_cast++;
}

static const char *worth(const struct story *st, const struct fl_rec *flush)
{
	if (flush->status)
		return "failed: makes nothing durable";
	if (!fl_took_effect(flush))
		return "swallowed: makes nothing durable";
	if (flush->issue < st->f->write->rec->done)
		return "";
	return flush->done <= st->f->above->dur ? "makes the write below durable, in time"
						: "makes the write below durable, too late";
}

static void add_flush(struct story *st, const struct fl_rec *flush)
{
	char name[24];

	if (st->nr_flush == FLUSH_MAX)
		return;
	snprintf(name, sizeof(name), "below: flush F%u", ++st->nr_flush);
	add(st, flush, name, flush->issue < st->f->write->rec->done ?
	    "before the write below was done: does not cover it" :
	    "after the write below was done: covers it", worth(st, flush));
}

/* The flush that the finding speaks of, those in flight with the write below, and those
 * after it until the first that came too late. */
static void cast_flushes(struct story *st)
{
	const struct fl_dev *low = st->low;
	uint32_t i = fl_flush_after(low, st->f->write->rec->issue);

	if (st->f->leg_flush)
		add_flush(st, st->f->leg_flush);
	while (i > 0 && low->flush_done[i - 1] > st->f->write->rec->issue)
		i--;
	for (; i < low->nr_flush; i++) {
		if (low->flush[i] != st->f->leg_flush)
			add_flush(st, low->flush[i]);
		if (low->flush[i]->issue > st->f->above->dur)
			break;
	}
}

static void cast(struct story *st)
{
	const struct fl_layer_finding *f = st->f;
	const struct fl_rec *w = f->write ? f->write->rec : NULL;

	add(st, f->above->rec, "above: write", "",
	    f->flush == f->above->rec ? "FUA: durable above from here on, and must be below" : "");
	add(st, f->flush, "above: flush", "",
	    "the write is durable above from here on, and must be below");
	if (!w)
		return;
	add(st, w, "below: write", "what the layer made of it", w->status ? "failed" :
	    !fl_took_effect(w) ? "swallowed by the target" : "");
	cast_flushes(st);
}

static int cmp_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static void tell_event(FILE *out, const struct story *st, const struct event *e)
{
	const struct actor *a = e->actor;
	const char *note = e->is_done ? a->done : a->issued;

	fprintf(out, "  %12" PRIu64 "  %+14.3f  %-16s %*s%s%s\n", e->tick,
		((double)e->ns - (double)st->f->flush->done_ns) / 1e3, a->name,
		note[0] ? -6 : 0, !e->is_done ? "issued" : a->rec->status ? "FAILED" : "done",
		note[0] ? "   <- " : "", note);
}

static void tell_events(FILE *out, const struct story *st)
{
	struct event event[2 * CAST_MAX];
	unsigned int i;

	for (i = 0; i < st->nr_cast; i++) {
		const struct actor *a = &st->cast[i];

		event[2 * i] = (struct event){ a->rec->issue, a->rec->issue_ns, a, false };
		event[2 * i + 1] = (struct event){ a->rec->done, a->rec->done_ns, a, true };
	}
	qsort(event, 2 * st->nr_cast, sizeof(event[0]), cmp_event);
	fprintf(out, "\n  %12s  %14s\n", "tick", "time (us)");
	for (i = 0; i < 2 * st->nr_cast; i++)
		tell_event(out, st, &event[i]);
}

void fl_explain_layer(FILE *out, const struct fl_layer *ly, uint64_t nr)
{
	const struct fl_layer_finding *f = &ly->f[nr];
	const struct fl_layer_problem *pb = &fl_layer_problem[f->code];
	struct story st = { .f = f, .low = &ly->g->dev[f->below] };
	char buf[FL_LINE];

	cast(&st);
	fprintf(out, "finding %" PRIu64 " of %" PRIu64 ": %s %s\n%s.\n\n", nr + 1, ly->nr,
		pb->id, pb->name, pb->text);
	fprintf(out, "above       %s\n", fl_say_write(buf, ly->g, 0, f->above));
	if (f->writes > 1)
		fprintf(out, "            and %" PRIu64 " more writes of the same flush\n",
			f->writes - 1);
	fprintf(out, "lower log   %s, sector %" PRIu64 "\n", ly->g->log[f->below]->path,
		f->sector);
	if (f->write)
		fprintf(out, "below       %s\n", fl_say_write(buf, ly->g, f->below, f->write));
	else
		fprintf(out, "below       there is none\n");
	tell_events(out, &st);
	fprintf(out, "\nrule        what a flush above made durable must be durable on each device below by then\n");
	fprintf(out, "remedy      %s\n", remedy[f->code]);
}

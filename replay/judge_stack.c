// SPDX-License-Identifier: GPL-2.0
/*
 * judge_stack: a write above a layer, kept or lost by what the layer made of it.
 *
 * Takes   a piece of a promise and a write above that carries it.
 * Gives   whether the layer's devices keep it: each write below that carries the same
 *	   bytes on ("part") must do so by the rules of a single device.
 * Relies  on the layer leaving data as it is, and each sector in one place for good
 *	   (linear, striped, mirrored): a part is known by its stamps, and by having been
 *	   issued and done while the write above was in flight. If another write above
 *	   had the same bytes in flight at the same time, a part may be of either.
 */
#include "judge_piece.h"

#define ABOVE 0		/* the place in the group of the log above */

static const struct fl_rec *rec_of(const struct fl_piece *pc, const struct fl_carrier *c)
{
	return pc->g->dev[c->dev].ver[c->rec].rec;
}

/* The first carrier of list @i that was issued after @tick. */
static uint32_t first_issued_after(const struct fl_piece *pc, unsigned int i, uint64_t tick)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	const struct fl_list *l = &pc->list[i];
	uint32_t lo = 0, hi = l->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (rec_of(pc, &cs->c[l->id[mid]])->issue > tick)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void fl_stack_parts(struct fl_piece *pc, const struct fl_carrier *c, fl_candidate_fn fn,
		    void *arg)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	const struct fl_rec *w = rec_of(pc, c);
	unsigned int i;
	uint32_t n;

	for (i = 0; i < pc->nr_list; i++) {
		for (n = first_issued_after(pc, i, w->issue); n < pc->list[i].n; n++) {
			const struct fl_carrier *p = &cs->c[pc->list[i].id[n]];
			const struct fl_rec *r = rec_of(pc, p);

			if (r->issue > w->done)
				break;
			if (p->dev != ABOVE && p->gen == c->gen && r->done < w->done)
				fn(pc, p, arg);
		}
	}
}

/* Whether another write above had the same bytes in flight together with that of @c. */
static bool another_in_flight(const struct fl_piece *pc, const struct fl_carrier *c)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	const struct fl_rec *w = rec_of(pc, c);
	unsigned int i;
	uint32_t n;

	for (i = 0; i < pc->nr_list; i++) {
		for (n = first_issued_after(pc, i, w->done); n-- > 0;) {
			const struct fl_carrier *o = &cs->c[pc->list[i].id[n]];

			if (o->dev == ABOVE && o->gen == c->gen && rec_of(pc, o) != w &&
			    rec_of(pc, o)->done > w->issue)
				return true;
		}
	}
	return false;
}

/* What the layer above the layer wrote there after the write, before the promise. */
static int find_replaced(void *arg, const struct fl_ver *v)
{
	struct fl_place *pl = arg;

	if (!fl_replaces(v->rec, pl->ver->rec) || !fl_done_by(v->rec, pl->pc->at) ||
	    fl_place_suits(pl, v))
		return 0;
	pl->bad = v;
	return 1;
}

static bool replaced_above(struct fl_place *pl, struct fl_finding *f)
{
	uint32_t seg = fl_index_seg(&pl->dev->index, pl->sector);
	bool base;

	if (!fl_front(pl->dev, seg, pl->pc->at, FL_DONE, find_replaced, pl, &base))
		return false;
	f->code = FL_REPLACED;
	f->other = pl->bad;
	return true;
}

struct parts {
	unsigned int nr, lost;
	struct fl_finding *f;
};

static void judge_part(struct fl_piece *pc, const struct fl_carrier *c, void *arg)
{
	struct parts *ps = arg;
	struct fl_place pl = fl_place_of(pc, c);
	struct fl_finding f = *ps->f;

	ps->nr++;
	if (fl_place_keeps(&pl, &f))
		return;
	if (!ps->lost++ || f.code > ps->f->code)
		*ps->f = f;
}

enum fl_verdict fl_stack_keeps(struct fl_piece *pc, const struct fl_carrier *c,
			       struct fl_finding *f)
{
	struct fl_place above = fl_place_of(pc, c);
	struct parts ps = { .f = f };

	f->write = above.ver;
	f->dev = ABOVE;
	f->sector = above.sector;
	f->other = NULL;
	f->flush = NULL;
	f->code = FL_NOT_BELOW;
	if (replaced_above(&above, f))
		return FL_BROKEN;
	fl_stack_parts(pc, c, judge_part, &ps);
	if (ps.nr && !ps.lost)
		return FL_KEPT;
	return another_in_flight(pc, c) ? FL_BEYOND : FL_BROKEN;
}

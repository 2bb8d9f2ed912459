// SPDX-License-Identifier: GPL-2.0
/*
 * judge_file: promises of bytes of a file (see checker.h).
 *
 * A promise is cut into pieces in which nothing changes: all carriers cover the
 * piece whole, and at each place of the devices where one of them put it, so do all
 * versions. Each piece is then judged like a single sector.
 */
#include <stdlib.h>

#include "judge_piece.h"

struct fl_place fl_place_of(const struct fl_piece *pc, const struct fl_carrier *c)
{
	const struct fl_dev *dev = &pc->g->dev[c->dev];
	const struct fl_ver *v = &dev->ver[c->rec];

	return (struct fl_place){ .pc = pc, .dev = dev, .ver = v,
				  .sector = fl_carrier_at(c, v, pc->off) };
}

/* Each carrier of the piece that may be the reason of the promise: good enough and
 * issued before it (of a stack: above); the newest of each list first. */
static void each_candidate(struct fl_piece *pc, fl_candidate_fn fn, void *arg)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	unsigned int i;

	for (i = 0; i < pc->nr_list; i++) {
		const uint64_t *max_gen = cs->max_gen + pc->list[i].pos;
		uint32_t n;

		for (n = pc->n[i]; n && max_gen[n - 1] >= pc->prom->gen; n--) {
			const struct fl_carrier *c = &cs->c[pc->list[i].id[n - 1]];
			const struct fl_dev *dev = &pc->g->dev[c->dev];

			if (c->gen >= pc->prom->gen && !(pc->g->stacked && c->dev) &&
			    fl_issued_by(dev->ver[c->rec].rec, pc->at))
				fn(pc, c, arg);
		}
	}
}

/* ---- one place --------------------------------------------------------------- */

/* Whether version @v holds the promised bytes, or later ones of the same file and
 * place, at the place. @gen: what it holds if it is of that file and place. */
static bool holds_file(const struct fl_place *pl, const struct fl_ver *v, uint64_t *gen)
{
	const struct fl_carriers *cs = &pl->pc->g->carriers;
	const struct fl_carrier *c = fl_carried(cs, v, pl->sector);

	if (!c || &cs->file[c->file] != pl->pc->file ||
	    fl_carrier_at(c, v, pl->pc->off) != pl->sector)
		return false;
	*gen = c->gen;
	return true;
}

bool fl_place_suits(const struct fl_place *pl, const struct fl_ver *v)
{
	uint64_t gen;

	return holds_file(pl, v, &gen) && gen >= pl->pc->prom->gen;
}

static int good_enough(void *arg, const struct fl_ver *v)
{
	struct fl_place *pl = arg;

	if (fl_place_suits(pl, v))
		return 0;
	pl->bad = v;
	return 1;
}

/* Why a version that is allowed beside a durable one breaks the promise. */
static enum fl_code why_bad(const struct fl_place *pl)
{
	uint64_t gen;

	if (holds_file(pl, pl->bad, &gen))
		return FL_OLDER_DATA;
	return fl_replaces(pl->bad->rec, pl->ver->rec) ? FL_REPLACED : FL_RACE;
}

/* The first carrier in list @i that may have been issued after the promise. */
static uint32_t first_after(const struct fl_piece *pc, unsigned int i)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	uint32_t n = pc->n[i];

	while (n && cs->ceil_ns[pc->list[i].id[n - 1]] >= pc->at.at)
		n--;
	return n;
}

/* A version that was issued after the promise and puts older data there. */
static const struct fl_ver *older_data_later(const struct fl_place *pl)
{
	const struct fl_piece *pc = pl->pc;
	const struct fl_carriers *cs = &pc->g->carriers;
	unsigned int i;

	for (i = 0; i < pc->nr_list; i++) {
		const struct fl_list *l = &pc->list[i];
		const uint64_t *min_gen = cs->min_gen + l->pos;
		uint32_t n;

		for (n = first_after(pc, i); n < l->n && min_gen[n] < pc->prom->gen; n++) {
			const struct fl_carrier *c = &cs->c[l->id[n]];
			struct fl_place at = fl_place_of(pc, c);

			if (c->gen < pc->prom->gen && at.dev == pl->dev &&
			    at.sector == pl->sector && !fl_issued_by(at.ver->rec, pc->at))
				return at.ver;
		}
	}
	return NULL;
}

bool fl_place_keeps(struct fl_place *pl, struct fl_finding *f)
{
	const struct fl_piece *pc = pl->pc;
	uint32_t seg = fl_index_seg(&pl->dev->index, pl->sector);
	bool base;

	fl_front(pl->dev, seg, pc->at, FL_DURABLE, good_enough, pl, &base);
	if (!base && !pl->bad)
		pl->bad = older_data_later(pl);
	if (!base && !pl->bad)
		return true;
	f->write = pl->ver;
	f->dev = (uint32_t)(pl->dev - pc->g->dev);
	f->sector = pl->sector;
	f->other = NULL;
	f->code = fl_why_not_durable(pl->dev, pl->ver, pc->prom->at_ns,
				     pc->prom->rec->issue, &f->flush);
	if (f->code == FL_NR_CODES) {
		f->other = pl->bad;
		f->code = why_bad(pl);
	}
	return false;
}

/* ---- one piece --------------------------------------------------------------- */

static void shorten_one(struct fl_piece *pc, const struct fl_carrier *c, void *arg)
{
	struct fl_place pl = fl_place_of(pc, c);
	uint64_t len = fl_index_until(&pl.dev->index, pl.sector) - pl.sector;

	(void)arg;
	if (len < pc->len)
		pc->len = len;
}

static void shorten(struct fl_piece *pc, const struct fl_carrier *c, void *arg)
{
	shorten_one(pc, c, arg);
	if (pc->g->stacked)
		fl_stack_parts(pc, c, shorten_one, arg);
}

/* The best that any place can say: kept, else the finding furthest down the table; of a
 * stack also that neither can be said. */
struct best {
	bool kept, any, unsure;
	struct fl_finding f;
};

static enum fl_verdict candidate_keeps(struct fl_piece *pc, const struct fl_carrier *c,
				       struct fl_finding *f)
{
	struct fl_place pl = fl_place_of(pc, c);

	if (pc->g->stacked)
		return fl_stack_keeps(pc, c, f);
	return fl_place_keeps(&pl, f) ? FL_KEPT : FL_BROKEN;
}

static void judge_candidate(struct fl_piece *pc, const struct fl_carrier *c, void *arg)
{
	struct best *best = arg;
	struct fl_finding f = best->f;
	enum fl_verdict verdict;

	if (best->kept)
		return;
	verdict = candidate_keeps(pc, c, &f);
	best->kept = verdict == FL_KEPT;
	best->unsure |= verdict == FL_BEYOND;
	if (!best->any || f.code > best->f.code)
		best->f = f;
	best->any = true;
}

static void find_lists(struct fl_piece *pc, uint32_t seg)
{
	const struct fl_carriers *cs = &pc->g->carriers;
	uint32_t lo = 0, hi = cs->nr;
	unsigned int i;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (cs->floor_ns[mid] >= pc->at.at)
			hi = mid;
		else
			lo = mid + 1;
	}
	pc->nr_list = fl_index_lists(&cs->index, seg, pc->list);
	for (i = 0; i < pc->nr_list; i++)
		pc->n[i] = fl_list_below(&pc->list[i], lo);
}

/* Judge what begins at pc->off and is at most pc->len long; sets pc->len to what
 * was judged. Returns 0 or FL_UNSURE. */
static int judge_piece(struct fl_piece *pc, uint64_t prom, struct fl_findings *out)
{
	struct best best = { .f = { .code = FL_NEVER_WRITTEN, .prom = prom,
				    .dev = FL_NO_DEV } };
	const struct fl_index *ix = &pc->g->carriers.index;
	uint64_t pos = pc->file->base + pc->off;
	uint32_t seg = fl_index_seg(ix, pos);

	if (fl_index_until(ix, pos) - pos < pc->len)
		pc->len = fl_index_until(ix, pos) - pos;
	find_lists(pc, seg);
	each_candidate(pc, shorten, NULL);
	each_candidate(pc, judge_candidate, &best);
	if (best.kept || best.unsure)
		return best.kept ? 0 : FL_UNSURE;
	best.f.start = pc->off * FL_SECTOR;
	best.f.len = pc->len * FL_SECTOR;
	fl_findings_add(out, &best.f);
	return 0;
}

int fl_judge_file(const struct fl_group *g, uint64_t prom, struct fl_findings *out,
		  struct fl_err *err)
{
	const struct fl_prom *p = &g->prom[prom];
	struct fl_piece pc = { .g = g, .prom = p, .at = { true, p->at_ns },
			    .file = fl_carriers_file(&g->carriers, p->run, p->file) };
	uint64_t end = (p->start + p->len) / FL_SECTOR;
	int ret = 0;

	(void)err;
	for (pc.off = p->start / FL_SECTOR; pc.off < end; pc.off += pc.len) {
		pc.len = end - pc.off;
		if (pc.file && pc.off < pc.file->sectors) {
			if (pc.file->sectors - pc.off < pc.len)
				pc.len = pc.file->sectors - pc.off;
			ret |= judge_piece(&pc, prom, out);
		} else {
			fl_findings_add(out, &(struct fl_finding){
				.code = FL_NEVER_WRITTEN, .prom = prom, .dev = FL_NO_DEV,
				.start = pc.off * FL_SECTOR, .len = pc.len * FL_SECTOR });
		}
	}
	return ret;
}

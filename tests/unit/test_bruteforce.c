// SPDX-License-Identifier: GPL-2.0
/*
 * bruteforce: the judge against a model that builds every crash image.
 *
 * The model knows DESIGN.md section 3 and nothing of the code that it tests: it takes
 * the rules at their word. At each cut it goes through all subsets of the writes that
 * float, and through all orders that rule 3 allows (whatever no other member of the
 * subset replaces may be the last), looks at what a sector then holds, and asks whether
 * a promise can live with that. Logs are small and random, and there are many.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checker.h"
#include "testlib.h"

#ifdef __SANITIZE_ADDRESS__
#define LOGS 20000
#else
#define LOGS 120000
#endif

#define SECTORS 3
#define MAX_IO 9
#define MAX_PROM 3
#define MAX_TICK (2 * MAX_IO + 2 * MAX_PROM + 4)
#define ZEROS 1000		/* content numbers; stamps are off * 10 + gen */
#define FOREIGN 2000

struct io {
	int kind, sector, nr, issue, done, flags, status;
	int content[SECTORS];	/* by sector of the device */
};

struct promise {
	int kind, start, nr, gen, message;
	uint64_t at;
};

struct world {
	struct io io[MAX_IO];
	int nr_io;
	struct promise prom[MAX_PROM];
	int nr_prom;
	int last_tick;
};

/* ---- the model --------------------------------------------------------------- */

/* A cut: at an instant on the clock (a tick is 1000 ns), where what is issued in the
 * very nanosecond is not issued yet; or right after a tick. */
struct when {
	bool instant;
	uint64_t ns;
};

static bool m_issued(const struct io *io, struct when w)
{
	uint64_t ns = (uint64_t)io->issue * 1000;

	return w.instant ? ns < w.ns : ns <= w.ns;
}

static bool m_done(const struct io *io, struct when w)
{
	return (uint64_t)io->done * 1000 <= w.ns;
}

static bool m_is_flush(const struct io *io)
{
	return io->kind == FLUXLOG_FLUSH || (io->flags & FLUXLOG_F_PREFLUSH);
}

/* Rule 2, word for word. */
static bool m_durable(const struct world *wd, const struct io *v, struct when w)
{
	int i;

	if (v->status || v->kind == FLUXLOG_DISCARD || v->kind == FLUXLOG_FLUSH)
		return false;
	if ((v->flags & FLUXLOG_F_FUA) && m_done(v, w))
		return true;
	for (i = 0; i < wd->nr_io; i++) {
		const struct io *f = &wd->io[i];

		if (m_is_flush(f) && !f->status && v->done < f->issue && m_done(f, w))
			return true;
	}
	return false;
}

static bool m_covers(const struct io *v, int sector)
{
	return v->kind != FLUXLOG_FLUSH && sector >= v->sector && sector < v->sector + v->nr;
}

/* Go through all subsets of @may that hold all of @must, and set in *@last the members
 * that can be the last to reach the medium; true: the sector may hold its base. */
static bool m_subsets(const struct world *wd, unsigned int must, unsigned int may,
		      unsigned int *last)
{
	unsigned int s, i, k;
	bool base = false;

	*last = 0;
	for (s = 0; s < 1u << wd->nr_io; s++) {
		if ((s & must) != must || (s & ~may))
			continue;
		base |= !s;
		for (i = 0; i < (unsigned int)wd->nr_io; i++) {
			bool replaced = !(s >> i & 1);

			for (k = 0; k < (unsigned int)wd->nr_io && !replaced; k++)
				replaced = (s >> k & 1) && wd->io[i].done < wd->io[k].issue;
			if (!replaced)
				*last |= 1u << i;
		}
	}
	return base;
}

/* Rule 4: what @sector may hold after the cut. */
static bool m_allowed(const struct world *wd, int sector, struct when w, unsigned int *last)
{
	unsigned int must = 0, may = 0;
	int i;

	for (i = 0; i < wd->nr_io; i++) {
		if (!m_covers(&wd->io[i], sector) || !m_issued(&wd->io[i], w))
			continue;
		may |= 1u << i;
		if (m_durable(wd, &wd->io[i], w))
			must |= 1u << i;
	}
	return m_subsets(wd, must, may, last);
}

/* What the layer above wrote last and was done: the newest that may be there if only
 * failures and discards are uncertain. -1: nothing. */
static int m_promised(const struct world *wd, int sector, struct when w)
{
	unsigned int must = 0, may = 0, last;
	int i, best = -1;

	for (i = 0; i < wd->nr_io; i++) {
		const struct io *v = &wd->io[i];

		if (!m_covers(v, sector) || !m_done(v, w))
			continue;
		may |= 1u << i;
		if (!v->status && v->kind != FLUXLOG_DISCARD)
			must |= 1u << i;
	}
	m_subsets(wd, must, may, &last);
	for (i = 0; i < wd->nr_io; i++)
		if ((last >> i & 1) && (best < 0 || wd->io[i].issue > wd->io[best].issue))
			best = i;
	return best;
}

/* Whether a promise of generation @gen of file sector @off lives with version @v. */
static bool m_file_good(const struct io *v, int at, int off, int gen, struct when p)
{
	int c = v->content[at];
	bool same = v->kind == FLUXLOG_WRITE && c < ZEROS && c / 10 == off;

	if (same)
		return c % 10 >= gen;
	return !m_issued(v, p);
}

static bool m_sector_good(const struct world *wd, const struct io *v, int sector, int promised)
{
	const struct io *w = &wd->io[promised];

	if (w->kind == FLUXLOG_DISCARD)
		return false;
	if (v == w || w->done < v->issue)
		return true;
	return v->kind != FLUXLOG_DISCARD && v->content[sector] == w->content[sector];
}

struct question {
	int kind, at, off, gen, promised;
	struct when p;
};

static bool m_cut_good(const struct world *wd, const struct question *q, struct when w)
{
	unsigned int last;
	int i;

	if (m_allowed(wd, q->at, w, &last))
		return false;
	for (i = 0; i < wd->nr_io; i++) {
		if (!(last >> i & 1))
			continue;
		if (q->kind == FLUXLOG_PROMISE_FILE
		    ? !m_file_good(&wd->io[i], q->at, q->off, q->gen, q->p)
		    : !m_sector_good(wd, &wd->io[i], q->at, q->promised))
			return false;
	}
	return true;
}

/* Rule 5: at the promise and at each later cut. */
static bool m_place_keeps(const struct world *wd, const struct question *q)
{
	int t;

	if (!m_cut_good(wd, q, q->p))
		return false;
	for (t = 1; t <= wd->last_tick; t++)
		if ((uint64_t)t * 1000 > q->p.ns &&
		    !m_cut_good(wd, q, (struct when){ .ns = (uint64_t)t * 1000 }))
			return false;
	return true;
}

static bool m_keeps(const struct world *wd, const struct promise *p)
{
	struct question q = { .kind = p->kind, .gen = p->gen, .p = { true, p->at } };
	bool kept;

	for (q.off = p->start; q.off < p->start + p->nr; q.off++) {
		if (p->kind == FLUXLOG_PROMISE_FILE) {
			for (q.at = 0, kept = false; q.at < SECTORS; q.at++)
				kept |= m_place_keeps(wd, &q);
		} else {
			q.at = q.off;
			q.promised = m_promised(wd, q.at, q.p);
			kept = q.promised >= 0 && m_place_keeps(wd, &q);
		}
		if (!kept)
			return false;
	}
	return true;
}

/* ---- random worlds ----------------------------------------------------------- */

static int below(uint64_t *rnd, int n)
{
	return (int)t_below(rnd, (uint64_t)n);
}

/* Ticks 1 to n in random order; pairs are then put the right way round. */
static void shuffle(uint64_t *rnd, int *tick, int n)
{
	int i;

	for (i = 0; i < n; i++)
		tick[i] = i + 1;
	for (i = n - 1; i > 0; i--) {
		int k = below(rnd, i + 1), x = tick[i];

		tick[i] = tick[k];
		tick[k] = x;
	}
}

static void random_contents(uint64_t *rnd, struct io *io)
{
	int moved = below(rnd, 8) ? 0 : 1 + below(rnd, SECTORS - 1), s;
	int what = below(rnd, 8), gen = 1 + below(rnd, 3);

	for (s = 0; s < SECTORS; s++) {
		if (io->kind == FLUXLOG_ZEROES || what == 0)
			io->content[s] = ZEROS;
		else if (what == 1)
			io->content[s] = FOREIGN + below(rnd, 2);
		else
			io->content[s] = (s + moved) % SECTORS * 10 + gen;
	}
}

static void random_io(uint64_t *rnd, struct io *io, const int *tick)
{
	static const int kinds[] = { FLUXLOG_WRITE, FLUXLOG_WRITE, FLUXLOG_WRITE,
				     FLUXLOG_WRITE, FLUXLOG_FLUSH, FLUXLOG_FLUSH,
				     FLUXLOG_FLUSH, FLUXLOG_DISCARD, FLUXLOG_ZEROES };

	io->kind = kinds[below(rnd, 9)];
	io->issue = tick[0] < tick[1] ? tick[0] : tick[1];
	io->done = tick[0] < tick[1] ? tick[1] : tick[0];
	io->status = below(rnd, 8) ? 0 : 5;
	io->flags = 0;
	io->sector = io->nr = 0;
	if (io->kind == FLUXLOG_FLUSH)
		return;
	io->sector = below(rnd, SECTORS);
	io->nr = 1 + below(rnd, SECTORS - io->sector);
	if (io->kind != FLUXLOG_DISCARD && !below(rnd, 4))
		io->flags |= FLUXLOG_F_FUA;
	if (io->kind == FLUXLOG_WRITE && !below(rnd, 8))
		io->flags |= FLUXLOG_F_PREFLUSH;
	random_contents(rnd, io);
}

static void random_promise(uint64_t *rnd, struct promise *p, int message)
{
	int at = 1 + below(rnd, message);

	p->kind = below(rnd, 3) ? FLUXLOG_PROMISE_FILE : FLUXLOG_PROMISE_SECTORS;
	p->start = below(rnd, SECTORS);
	p->nr = 1 + below(rnd, SECTORS - p->start);
	p->gen = 1 + below(rnd, 3);
	p->message = message;
	p->at = (uint64_t)at * 1000 + (below(rnd, 2) ? 500 : 0);
}

static void random_world(uint64_t *rnd, struct world *wd)
{
	int tick[MAX_TICK], i;

	wd->nr_io = 1 + below(rnd, MAX_IO);
	wd->nr_prom = 1 + below(rnd, MAX_PROM);
	wd->last_tick = 2 * wd->nr_io + wd->nr_prom;
	shuffle(rnd, tick, wd->last_tick);
	/* half of the worlds are nearly in order, as real logs are */
	for (i = 0; i + 1 < 2 * wd->nr_io && below(rnd, 2); i++)
		tick[i] = tick[i];
	for (i = 0; i < wd->nr_io; i++)
		random_io(rnd, &wd->io[i], &tick[2 * i]);
	for (i = 0; i < wd->nr_prom; i++)
		random_promise(rnd, &wd->prom[i], tick[2 * wd->nr_io + i]);
}

/* ---- the world as a log ------------------------------------------------------ */

static void fill_sector(uint8_t *out, int content)
{
	struct fl_stamp s = { .run = 1, .file = 1, .offset = (uint64_t)(content / 10) * 512,
			      .gen = (uint64_t)(content % 10) };

	if (content < ZEROS)
		fl_stamp_make(out, &s);
	else
		memset(out, content == ZEROS ? 0 : 0xa0 + content % 10, FL_SECTOR);
}

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
#include "stamp.h"
#include "testlib.h"

#ifdef __SANITIZE_ADDRESS__
#define LOGS 20000
#else
#define LOGS 120000
#endif

#define SECTORS 3
#define MAX_IO 7
#define MAX_PROM 3
#define MAX_TICK (2 * MAX_IO + 2 * MAX_PROM + 4)
#define OTHER 500		/* content numbers: stamps are off * 10 + gen, of another */
#define ZEROS 1000		/* file that many more */
#define FOREIGN 2000

struct io {
	int kind, sector, nr, issue, done, flags, status;
	uint64_t issue_ns, done_ns;	/* read before and after the tick, so nearly in order */
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

/* A cut: at an instant on the clock, where what is issued in the very nanosecond is
 * not issued yet; or right after a tick. */
struct when {
	bool instant;
	uint64_t at;
};

static bool m_issued(const struct io *io, struct when w)
{
	return w.instant ? io->issue_ns < w.at : (uint64_t)io->issue <= w.at;
}

static bool m_done(const struct io *io, struct when w)
{
	return (w.instant ? io->done_ns : (uint64_t)io->done) <= w.at;
}

static bool m_is_flush(const struct io *io)
{
	return io->kind == FLUXLOG_FLUSH || (io->flags & FLUXLOG_F_PREFLUSH);
}

static bool m_succeeded(const struct io *io)
{
	return !io->status && !(io->flags & FLUXLOG_F_INJECTED);
}

/* Rule 2, word for word; what never reached the device did not succeed. */
static bool m_durable(const struct world *wd, const struct io *v, struct when w)
{
	int i;

	if (!m_succeeded(v) || v->kind == FLUXLOG_DISCARD || v->kind == FLUXLOG_FLUSH)
		return false;
	if ((v->flags & FLUXLOG_F_FUA) && m_done(v, w))
		return true;
	for (i = 0; i < wd->nr_io; i++) {
		const struct io *f = &wd->io[i];

		if (m_is_flush(f) && m_succeeded(f) && v->done < f->issue && m_done(f, w))
			return true;
	}
	return false;
}

static bool m_covers(const struct io *v, int sector)
{
	return v->kind != FLUXLOG_FLUSH && sector >= v->sector && sector < v->sector + v->nr;
}

/* The members of @set that no other member replaces: any of them may be the last. */
static unsigned int m_last_of(const struct world *wd, unsigned int set)
{
	unsigned int i, k, last = set;

	for (i = 0; i < (unsigned int)wd->nr_io; i++)
		for (k = 0; k < (unsigned int)wd->nr_io; k++)
			if ((set >> i & 1) && (set >> k & 1) &&
			    wd->io[i].done < wd->io[k].issue)
				last &= ~(1u << i);
	return last;
}

/* Go through all subsets of @may that hold all of @must, and set in *@last the members
 * that can be the last to reach the medium; true: the sector may hold its base. */
static bool m_subsets(const struct world *wd, unsigned int must, unsigned int may,
		      unsigned int *last)
{
	unsigned int floating = may & ~must, s = floating;

	*last = 0;
	for (;; s = (s - 1) & floating) {
		*last |= m_last_of(wd, must | s);
		if (!s)
			return !must;
	}
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
	bool same = v->kind == FLUXLOG_WRITE && c < OTHER && c / 10 == off;

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

/* Rule 5: at the promise and at each later instant at which anything changes. */
static bool m_place_keeps(const struct world *wd, const struct question *q)
{
	int i;

	if (!m_cut_good(wd, q, q->p))
		return false;
	for (i = 0; i < 2 * wd->nr_io; i++) {
		const struct io *io = &wd->io[i / 2];
		struct when w = { true, i % 2 ? io->done_ns : io->issue_ns + 1 };

		if (w.at > q->p.at && !m_cut_good(wd, q, w))
			return false;
	}
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

/* What happens when: @when[i] is random, its rank is the tick. */
static void rank(const int *when, int *tick, int n)
{
	int i, k;

	for (i = 0; i < n; i++)
		for (tick[i] = 1, k = 0; k < n; k++)
			tick[i] += when[k] < when[i] || (when[k] == when[i] && k < i);
}

/* Half of the worlds are wild, half nearly in order as real logs are. */
static void random_ticks(uint64_t *rnd, int *tick, int nr_io, int n)
{
	int when[MAX_TICK], i, wild = below(rnd, 2);

	for (i = 0; i < n; i++)
		when[i] = i < 2 * nr_io ? below(rnd, 10 * nr_io + 20)
					: 10 * nr_io + 20 - below(rnd, 10 * (1 + below(rnd, nr_io)));
	for (i = 0; i < nr_io && !wild; i++) {
		when[2 * i] = 10 * i + below(rnd, 10);
		when[2 * i + 1] = when[2 * i] + 1 + below(rnd, 20);
	}
	rank(when, tick, n);
}

static void random_contents(uint64_t *rnd, struct io *io)
{
	int moved = below(rnd, 8) ? 0 : 1 + below(rnd, SECTORS - 1), s;
	int what = below(rnd, 12), gen = 1 + below(rnd, 3);

	for (s = 0; s < SECTORS; s++) {
		if (io->kind == FLUXLOG_ZEROES || what == 0)
			io->content[s] = ZEROS;
		else if (what == 1)
			io->content[s] = FOREIGN + below(rnd, 2);
		else
			io->content[s] = (s + moved) % SECTORS * 10 + gen +
					 (what == 2 ? OTHER : 0);
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
	io->status = below(rnd, 12) ? 0 : 5;
	io->issue_ns = (uint64_t)(io->issue + 2) * 1000 - t_below(rnd, 3) * 700;
	io->done_ns = (uint64_t)(io->done + 2) * 1000 + t_below(rnd, 3) * 700;
	io->flags = below(rnd, 12) ? 0 : FLUXLOG_F_INJECTED;
	io->flags |= below(rnd, 12) ? 0 : FLUXLOG_F_DELAYED;
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
	int at = message - below(rnd, below(rnd, 2) ? 2 : message);

	p->kind = below(rnd, 3) ? FLUXLOG_PROMISE_FILE : FLUXLOG_PROMISE_SECTORS;
	p->start = below(rnd, SECTORS);
	p->nr = below(rnd, 2) ? 1 : 1 + below(rnd, SECTORS - p->start);
	p->gen = below(rnd, 2) ? 1 : 1 + below(rnd, 3);
	p->message = message;
	p->at = (uint64_t)(at + 2) * 1000 + (below(rnd, 2) ? 500 : 0);
}

static void random_world(uint64_t *rnd, struct world *wd)
{
	int tick[MAX_TICK], i;

	memset(wd, 0, sizeof(*wd));
	wd->nr_io = 2 + below(rnd, MAX_IO - 1);
	wd->nr_prom = 1 + below(rnd, MAX_PROM);
	wd->last_tick = 2 * wd->nr_io + wd->nr_prom;
	random_ticks(rnd, tick, wd->nr_io, wd->last_tick);
	for (i = 0; i < wd->nr_io; i++)
		random_io(rnd, &wd->io[i], &tick[2 * i]);
	for (i = 0; i < wd->nr_prom; i++)
		random_promise(rnd, &wd->prom[i], tick[2 * wd->nr_io + i]);
}

/* ---- the world as a log ------------------------------------------------------ */

static void fill_sector(uint8_t *out, int content)
{
	struct fl_stamp s = { .run = 1, .file = content < OTHER ? 1 : 2,
			      .offset = (uint64_t)(content % OTHER / 10) * 512,
			      .gen = (uint64_t)(content % 10) };

	if (content < ZEROS)
		fl_stamp_make(out, &s);
	else
		memset(out, content == ZEROS ? 0 : 0xa0 + content % 10, FL_SECTOR);
}

static void add_io(struct fl_build *b, const struct io *io)
{
	uint8_t payload[SECTORS * FL_SECTOR];
	struct fl_rec r = {
		.kind = (uint8_t)io->kind, .flags = (uint16_t)io->flags,
		.status = (uint16_t)io->status, .sector = (uint64_t)io->sector,
		.nr = (uint64_t)io->nr, .issue = (uint64_t)io->issue,
		.done = (uint64_t)io->done, .issue_ns = io->issue_ns,
		.done_ns = io->done_ns,
	};
	struct fl_err err = { "" };
	int s;

	for (s = 0; s < io->nr; s++)
		fill_sector(payload + s * (int)FL_SECTOR, io->content[io->sector + s]);
	r.payload_mode = io->kind == FLUXLOG_WRITE ? FLUXLOG_PAYLOAD_FULL
						   : FLUXLOG_PAYLOAD_NONE;
	ck_assert_msg(!fl_build_add(b, &r, NULL, r.payload_mode ? payload : NULL, &err), "%s",
		      err.msg);
}

static void add_promise(struct fl_build *b, const struct promise *p)
{
	bool file = p->kind == FLUXLOG_PROMISE_FILE;
	uint64_t unit = file ? FL_SECTOR : 1, message = (uint64_t)p->message;
	struct fl_promise pr = {
		.kind = (uint16_t)p->kind, .call = FLUXLOG_CALL_FSYNC, .run = file,
		.file = file, .start = (uint64_t)p->start * unit,
		.len = (uint64_t)p->nr * unit, .gen = file ? (uint64_t)p->gen : 0,
		.at_ns = p->at,
	};
	struct fl_rec r = { .kind = FLUXLOG_PROMISE, .issue = message, .done = message,
			    .issue_ns = message * 1000, .done_ns = message * 1000 };
	uint8_t inl[FLUXLOG_INLINE_MAX];
	struct fl_err err = { "" };

	r.inl_len = fl_promise_put(inl, &pr);
	ck_assert_msg(!fl_build_add(b, &r, inl, NULL, &err), "%s", err.msg);
}

static int world_log(const struct world *wd)
{
	struct fl_super sup = { .uuid = { 1 }, .epoch = { 2 }, .block_size = 512,
				.data_block_size = 512, .data_sectors = 64 };
	struct fl_rec end = { .kind = FLUXLOG_END, .issue = (uint64_t)wd->last_tick + 1,
			      .done = (uint64_t)wd->last_tick + 1 };
	struct fl_err err = { "" };
	int fd = t_file(NULL, 0), i;
	struct fl_build *b;

	ck_assert_int_eq(fl_build_begin(&b, fd, &sup, &err), 0);
	for (i = 0; i < wd->nr_io; i++)
		add_io(b, &wd->io[i]);
	for (i = 0; i < wd->nr_prom; i++)
		add_promise(b, &wd->prom[i]);
	ck_assert_int_eq(fl_build_add(b, &end, NULL, NULL, &err), 0);
	ck_assert_msg(!fl_build_finish(b, 0, &err), "%s", err.msg);
	return fd;
}

static struct fl_group *open_world(int fd)
{
	char *path = fl_strdup(t_path(fd));
	struct fl_err err = { "" };
	struct fl_group *g = NULL;

	if (fl_group_open(&g, &path, 1, FL_GROUP_STAMPS, &err))
		ck_abort_msg("%s", err.msg);
	free(path);
	return g;
}

static void show(const struct world *wd, uint64_t seed)
{
	char *text = t_dump(world_log(wd));

	fprintf(stderr, "seed %llu:\n%s\n", (unsigned long long)seed, text);
	free(text);
}

/* ---- the comparison ---------------------------------------------------------- */

static void compare_promises(const struct world *wd, const struct fl_group *g, uint64_t seed,
			     uint64_t count[2])
{
	struct fl_check ck;
	struct fl_err err = { "" };
	uint64_t i;
	int k;

	ck_assert_msg(!fl_check_run(&ck, g, &err), "%s", err.msg);
	for (i = 0; i < g->nr_prom; i++) {
		bool kept;

		for (k = 0; (uint64_t)wd->prom[k].message != g->prom[i].rec->issue; k++)
			;
		kept = m_keeps(wd, &wd->prom[k]);
		count[kept]++;
		if (kept == (ck.verdict[i] == FL_KEPT))
			continue;
		show(wd, seed);
		ck_abort_msg("seed %llu: the promise at tick %d: model says %s, judge says %s",
			     (unsigned long long)seed, wd->prom[k].message,
			     kept ? "kept" : "broken", kept ? "broken" : "kept");
	}
	fl_check_free(&ck);
}

struct seen {
	const struct world *wd;
	unsigned int set;
};

static int see(void *arg, const struct fl_ver *v)
{
	struct seen *sn = arg;
	unsigned int i;

	for (i = 0; sn->wd->io[i].issue != (int)v->rec->issue; i++)
		;
	ck_assert_msg(!(sn->set >> i & 1), "a version came twice");
	sn->set |= 1u << i;
	return 0;
}

static void compare_cut(const struct world *wd, const struct fl_group *g, uint64_t seed,
			int sector, struct when w)
{
	const struct fl_dev *dev = &g->dev[0];
	struct seen sn = { .wd = wd };
	unsigned int last;
	bool base, m_base = m_allowed(wd, sector, w, &last);
	struct fl_cut cut = { w.instant, w.at };

	fl_front(dev, fl_index_seg(&dev->index, (uint64_t)sector), cut, FL_DURABLE, see, &sn,
		 &base);
	if (sn.set == last && base == m_base)
		return;
	show(wd, seed);
	ck_abort_msg("seed %llu, sector %d, cut at %s %llu: model %x base %d, code %x base %d",
		     (unsigned long long)seed, sector, w.instant ? "instant" : "tick",
		     (unsigned long long)w.at, last, m_base, sn.set, base);
}

static void compare_cuts(const struct world *wd, const struct fl_group *g, uint64_t seed)
{
	int sector, t;

	for (sector = 0; sector < SECTORS; sector++) {
		for (t = 0; t <= wd->last_tick; t++) {
			uint64_t tick = (uint64_t)t;

			compare_cut(wd, g, seed, sector, (struct when){ false, tick });
			compare_cut(wd, g, seed, sector, (struct when){ true, (tick + 2) * 1000 });
		}
	}
}

START_TEST(agrees)
{
	uint64_t seed, count[2] = { 0, 0 };

	for (seed = 1; seed <= LOGS; seed++) {
		uint64_t rnd = seed;
		struct fl_group *g;
		struct world wd;
		int fd;

		random_world(&rnd, &wd);
		fd = world_log(&wd);
		g = open_world(fd);
		compare_promises(&wd, g, seed, count);
		compare_cuts(&wd, g, seed);
		fl_group_close(g);
		close(fd);
	}
	printf("bruteforce: %d logs, %llu promises kept, %llu broken\n", LOGS,
	       (unsigned long long)count[1], (unsigned long long)count[0]);
	/* a comparison of nothing but broken promises would prove little */
	ck_assert_uint_gt(count[1], LOGS / 20);
	ck_assert_uint_gt(count[0], LOGS / 20);
}
END_TEST

Suite *bruteforce_suite(void)
{
	Suite *s = suite_create("bruteforce");
	TCase *tc = tcase_create("judge");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, agrees);
	suite_add_tcase(s, tc);
	return s;
}

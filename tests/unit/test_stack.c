// SPDX-License-Identifier: GPL-2.0
/*
 * judge_stack against a model: a promise above two legs, linear or mirrored, that now
 * and then go wrong; the model goes by the rules word for word, sector by sector.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "checker.h"
#include "testlib.h"

#define SECTORS 4	/* of the file */
#define COPY 8		/* the other place that the device above has for them */
#define LOGS 3
#define IO 48
#define ROUNDS 6000
#define END 1000000

/* @at: sector of the file; @place: 0 or COPY, the same below as above */
struct io {
	int log, at, nr, place, gen, issue, done;
	bool flush, failed, fua, injected;
};

struct world {
	struct io io[IO];
	int nr;
	bool mirror;
	int promise, gen, first, len;
	uint64_t rnd;
};

static int below(struct world *w, int n)
{
	return (int)t_below(&w->rnd, (uint64_t)n);
}

/* ---- the world --------------------------------------------------------------- */

/* Times become ticks later; two that are the same go by their place. */
static struct io *add(struct world *w, int log, int from, int to)
{
	int a = from + 1 + below(w, to - from - 1), b = from + 1 + below(w, to - from - 1);
	struct io *io = &w->io[w->nr++];

	*io = (struct io){ .log = log, .issue = a < b ? a : b, .done = a < b ? b : a };
	io->failed = !below(w, 15);
	io->injected = !below(w, 25);
	return io;
}

/* What leg @leg has of sectors @from to @to of the file. */
static void clip(const struct world *w, int leg, int *from, int *to)
{
	int half = SECTORS / 2;

	if (w->mirror)
		return;
	if (leg == 1 && *to > half)
		*to = half;
	if (leg == 2 && *from < half)
		*from = half;
}

static void add_part(struct world *w, const struct io *up, int leg)
{
	int from = up->at, to = up->at + up->nr;
	struct io *io;

	clip(w, leg, &from, &to);
	if (from >= to || !below(w, 15))
		return;
	io = below(w, 15) ? add(w, leg, up->issue, up->done) : add(w, leg, 0, END);
	io->at = from;
	io->nr = to - from;
	io->place = up->place;
	io->gen = up->gen;
	io->fua = !below(w, 5);
}

static void add_write(struct world *w)
{
	struct io *up = add(w, 0, 0, END * 3 / 4);

	if (up->done - up->issue > END / 4 && below(w, 2))
		up->done = up->issue + END / 8;
	up->at = below(w, SECTORS);
	up->nr = 1 + below(w, SECTORS - up->at);
	up->place = below(w, 4) ? 0 : COPY;
	up->gen = 1 + below(w, 3);
	add_part(w, up, 1);
	add_part(w, up, 2);
}

static void add_flush(struct world *w)
{
	int at = below(w, END / 8), leg;

	at = below(w, 2) ? at + END * 3 / 4 : below(w, END / 2);
	for (leg = 0; leg < LOGS; leg++)
		if (below(w, 8))
			add(w, leg, at, at + END / 8)->flush = true;
}

static int rank(const struct world *w, int time, int self)
{
	int i, n = 1;

	for (i = 0; i < w->nr; i++)
		n += (w->io[i].issue < time || (w->io[i].issue == time && 2 * i < self)) +
		     (w->io[i].done < time || (w->io[i].done == time && 2 * i + 1 < self));
	return n;
}

/* Twice the rank, so that the promise finds a tick between any two. */
static void make_ticks(struct world *w)
{
	struct world old = *w;
	int i;

	for (i = 0; i < w->nr; i++) {
		w->io[i].issue = 2 * rank(&old, old.io[i].issue, 2 * i);
		w->io[i].done = 2 * rank(&old, old.io[i].done, 2 * i + 1);
	}
	w->promise = 2 * rank(&old, w->promise, 2 * IO) - 1;
}

static void make_world(struct world *w, uint64_t seed)
{
	int n;

	*w = (struct world){ .rnd = seed };
	w->mirror = below(w, 2);
	for (n = 1 + below(w, 5); n; n--)
		add_write(w);
	for (n = 1 + below(w, 4); n; n--)
		add_flush(w);
	w->promise = END * 3 / 4 + below(w, END / 4);
	w->gen = 1 + below(w, 2);
	w->first = below(w, SECTORS);
	w->len = 1 + below(w, SECTORS - w->first);
	make_ticks(w);
}

/* ---- the model --------------------------------------------------------------- */

static bool took_effect(const struct io *io)
{
	return !io->failed && !io->injected;
}

static bool holds(const struct io *io, int log, int place, int sector)
{
	return io->log == log && !io->flush && io->place == place && io->at <= sector &&
	       sector < io->at + io->nr;
}

static bool durable(const struct world *w, const struct io *v)
{
	int i;

	if (!took_effect(v) || v->done > w->promise)
		return false;
	for (i = 0; i < w->nr; i++)
		if (w->io[i].flush && w->io[i].log == v->log && took_effect(&w->io[i]) &&
		    v->done < w->io[i].issue && w->io[i].done <= w->promise)
			return true;
	return v->fua;
}

static bool allowed(const struct world *w, const struct io *v, int sector)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (holds(&w->io[i], v->log, v->place, sector) && durable(w, &w->io[i]) &&
		    v->done < w->io[i].issue)
			return false;
	return v->issue < w->promise;
}

/* Rule 5 for the place of @part: nothing else may be there, now or by older data later. */
static bool part_keeps(const struct world *w, const struct io *part, int sector)
{
	bool base = true;
	int i;

	for (i = 0; i < w->nr; i++) {
		const struct io *v = &w->io[i];

		if (!holds(v, part->log, part->place, sector))
			continue;
		if (durable(w, v))
			base = false;
		if (v->gen < w->gen && (allowed(w, v, sector) || v->issue > w->promise))
			return false;
	}
	return !base;
}

/* Older data was put over @up above, and done, before the promise; and is still what
 * was written last. */
static bool replaced_above(const struct world *w, const struct io *up, int sector)
{
	int i, k;

	for (i = 0; i < w->nr; i++) {
		const struct io *v = &w->io[i];
		bool last = true;

		if (!holds(v, 0, up->place, sector) || v->gen >= w->gen ||
		    up->done > v->issue || v->done > w->promise)
			continue;
		for (k = 0; k < w->nr; k++)
			if (holds(&w->io[k], 0, up->place, sector) && took_effect(&w->io[k]) &&
			    w->io[k].done <= w->promise && v->done < w->io[k].issue)
				last = false;
		if (last)
			return true;
	}
	return false;
}

static enum fl_verdict write_keeps(const struct world *w, const struct io *up, int sector)
{
	bool kept = true, any = false;
	int i;

	if (replaced_above(w, up, sector))
		return FL_BROKEN;
	for (i = 0; i < w->nr; i++) {
		const struct io *p = &w->io[i];

		if (p->log && !p->flush && p->gen == up->gen && p->at <= sector &&
		    sector < p->at + p->nr && up->issue < p->issue && p->done < up->done) {
			any = true;
			kept &= part_keeps(w, p, sector);
		}
	}
	if (any && kept)
		return FL_KEPT;
	for (i = 0; i < w->nr; i++) {
		const struct io *o = &w->io[i];

		if (o != up && !o->log && !o->flush && o->gen == up->gen && o->at <= sector &&
		    sector < o->at + o->nr && o->issue < up->done && up->issue < o->done)
			return FL_BEYOND;
	}
	return FL_BROKEN;
}

static enum fl_verdict model_sector(const struct world *w, int sector)
{
	bool unsure = false;
	int i;

	for (i = 0; i < w->nr; i++) {
		const struct io *up = &w->io[i];
		enum fl_verdict v;

		if (up->log || up->flush || up->gen < w->gen || up->issue > w->promise ||
		    sector < up->at || sector >= up->at + up->nr)
			continue;
		v = write_keeps(w, up, sector);
		if (v == FL_KEPT)
			return v;
		unsure |= v == FL_BEYOND;
	}
	return unsure ? FL_BEYOND : FL_BROKEN;
}

static enum fl_verdict model(const struct world *w)
{
	enum fl_verdict all = FL_KEPT, v;
	int s;

	for (s = w->first; s < w->first + w->len; s++) {
		v = model_sector(w, s);
		if (v == FL_BROKEN)
			return v;
		if (v == FL_BEYOND)
			all = v;
	}
	return all;
}

/* ---- the same as logs -------------------------------------------------------- */

static void print_io(FILE *out, const struct io *io)
{
	fprintf(out, "%s i=%d d=%d%s", io->flush ? "flush" : "write", io->issue, io->done,
		io->failed ? " err=EIO" : "");
	if (io->fua || io->injected)
		fprintf(out, " flags=%s%s%s", io->fua ? "fua" : "",
			io->fua && io->injected ? "," : "", io->injected ? "injected" : "");
	if (!io->flush)
		fprintf(out, " s=%d n=%d data=stamp:1:1:%d:%d*%d", io->place + io->at, io->nr,
			io->at * 512, io->gen, io->nr);
	fputc('\n', out);
}

static char *text_of(const struct world *w, int log)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	int i;

	fprintf(out, "fluxlog 1\nsuper dev=%d\n", log);
	for (i = 0; i < w->nr; i++)
		if (w->io[i].log == log)
			print_io(out, &w->io[i]);
	if (!log)
		fprintf(out, "promise i=%d call=fsync run=1 file=1 start=%d len=%d gen=%d\n",
			w->promise, w->first * 512, w->len * 512, w->gen);
	fprintf(out, "end i=%d\n", 4 * IO + 8 + log);
	fclose(out);
	return text;
}

/* What the judge says of it; with @show, the logs go to standard error. */
static enum fl_verdict judged(const struct world *w, bool show)
{
	char *path[LOGS];
	struct fl_err err = { "" };
	struct fl_group *g = NULL;
	struct fl_check ck;
	enum fl_verdict verdict;
	int fd[LOGS], i, ret;

	for (i = 0; i < LOGS; i++) {
		char *text = text_of(w, i);

		if (show)
			fputs(text, stderr);
		fd[i] = t_asm(text);
		path[i] = fl_strdup(t_path(fd[i]));
		free(text);
	}
	ret = fl_group_open(&g, path, LOGS, FL_GROUP_STAMPS | FL_GROUP_STACKED, &err);
	ck_assert_msg(!ret, "%s", err.msg);
	ck_assert_msg(!fl_check_run(&ck, g, &err), "%s", err.msg);
	verdict = (enum fl_verdict)ck.verdict[0];
	fl_check_free(&ck);
	fl_group_close(g);
	for (i = 0; i < LOGS; i++) {
		free(path[i]);
		close(fd[i]);
	}
	return verdict;
}

START_TEST(against_the_model)
{
	uint64_t seed, count[3] = { 0 };

	for (seed = 1; seed <= ROUNDS; seed++) {
		struct world w;
		enum fl_verdict want, got;

		make_world(&w, seed);
		want = model(&w);
		count[want]++;
		got = judged(&w, false);
		if (got != want) {
			judged(&w, true);
			ck_abort_msg("seed %d: verdict %d, should be %d", (int)seed, got, want);
		}
	}
	/* each verdict was called for often enough to mean something */
	ck_assert_uint_gt(count[FL_KEPT], ROUNDS / 20);
	ck_assert_uint_gt(count[FL_BROKEN], ROUNDS / 20);
	ck_assert_uint_gt(count[FL_BEYOND], ROUNDS / 100);
}
END_TEST

Suite *stack_suite(void)
{
	Suite *s = suite_create("stack");
	TCase *t = tcase_create("stack");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, against_the_model);
	suite_add_tcase(s, t);
	return s;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * layer against a model: small layers of two legs that now and then go wrong, judged
 * by the rule word for word, for each flush above and not only the first.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "layer.h"
#include "testlib.h"

#define SECTORS 4	/* above; half of them on each leg */
#define LOGS 3
#define IO 48
#define ROUNDS 6000

struct io {
	int log, kind, sector, nr, issue, done;
	bool failed, injected, fua;
};

struct world {
	struct io io[IO];
	int nr;
	uint64_t rnd;
};

static int below(struct world *w, int n)
{
	return (int)t_below(&w->rnd, (uint64_t)n);
}

/* ---- the world --------------------------------------------------------------- */

/* Times are as good as unique and become ticks later. */
static int between(struct world *w, int from, int to)
{
	return from + 1 + below(w, to - from - 1);
}

static struct io *add(struct world *w, int log, int kind, int from, int to)
{
	struct io *io = &w->io[w->nr++];
	int a = between(w, from, to), b = between(w, from, to);

	*io = (struct io){ .log = log, .kind = kind, .issue = a < b ? a : b,
			   .done = a < b ? b : a };
	io->failed = !below(w, 12);
	io->injected = !below(w, 20);
	return io;
}

/* The part of write @up on @leg, nearly always in time. */
static void add_part(struct world *w, const struct io *up, int leg)
{
	int half = SECTORS / 2, start = (leg - 1) * half, end = start + half;
	int from = up->sector > start ? up->sector : start;
	int to = up->sector + up->nr < end ? up->sector + up->nr : end;
	struct io *io;

	if (from >= to || !below(w, 15))
		return;
	io = below(w, 12) ? add(w, leg, FLUXLOG_WRITE, up->issue, up->done)
			  : add(w, leg, FLUXLOG_WRITE, 0, 1 << 28);
	io->sector = from - start;
	io->nr = to - from;
	io->fua = up->fua ? below(w, 6) : !below(w, 10);
}

static void add_write(struct world *w)
{
	struct io *up = add(w, 0, below(w, 8) ? FLUXLOG_WRITE : FLUXLOG_ZEROES, 0, 1 << 28);

	up->sector = below(w, SECTORS);
	up->nr = 1 + below(w, SECTORS - up->sector);
	up->fua = !below(w, 6);
	add_part(w, up, 1);
	add_part(w, up, 2);
}

static void add_flush(struct world *w)
{
	struct io *up = add(w, 0, FLUXLOG_FLUSH, 0, 1 << 28);
	int leg;

	for (leg = 1; leg < LOGS; leg++) {
		if (below(w, 12))
			add(w, leg, FLUXLOG_FLUSH, up->issue, up->done);
		else if (below(w, 2))
			add(w, leg, FLUXLOG_FLUSH, 0, 1 << 28);
	}
}

static int rank(const struct world *w, int time, int self)
{
	int i, n = 1;

	for (i = 0; i < w->nr; i++)
		n += (w->io[i].issue < time || (w->io[i].issue == time && 2 * i < self)) +
		     (w->io[i].done < time || (w->io[i].done == time && 2 * i + 1 < self));
	return n;
}

static void make_ticks(struct world *w)
{
	struct world old = *w;
	int i;

	for (i = 0; i < w->nr; i++) {
		w->io[i].issue = rank(&old, old.io[i].issue, 2 * i);
		w->io[i].done = rank(&old, old.io[i].done, 2 * i + 1);
	}
}

static void make_world(struct world *w, uint64_t seed)
{
	int writes, flushes;

	*w = (struct world){ .rnd = seed };
	writes = 1 + below(w, 5);
	flushes = below(w, 5);
	while (writes-- > 0)
		add_write(w);
	while (flushes-- > 0)
		add_flush(w);
	make_ticks(w);
}

/* ---- the model --------------------------------------------------------------- */

static bool took_effect(const struct io *io)
{
	return !io->failed && !io->injected;
}

static bool durable(const struct world *w, const struct io *v, int by)
{
	int i;

	if (!took_effect(v))
		return false;
	if (v->fua && v->done <= by)
		return true;
	for (i = 0; i < w->nr; i++) {
		const struct io *f = &w->io[i];

		if (f->kind == FLUXLOG_FLUSH && f->log == v->log && took_effect(f) &&
		    v->done < f->issue && f->done <= by)
			return true;
	}
	return false;
}

static bool covers(const struct io *v, int log, int sector)
{
	return v->log == log && v->kind != FLUXLOG_FLUSH && sector >= v->sector &&
	       sector < v->sector + v->nr;
}

static bool replaced(const struct world *w, const struct io *v, int sector, int by)
{
	int i;

	for (i = 0; i < w->nr; i++)
		if (covers(&w->io[i], v->log, sector) && v->done < w->io[i].issue &&
		    durable(w, &w->io[i], by))
			return true;
	return false;
}

/* What became of @sector of @up is safe at @by. */
static bool sector_right(const struct world *w, const struct io *up, int sector, int by)
{
	int leg = 1 + sector / (SECTORS / 2), at = sector % (SECTORS / 2), i;
	bool written = false;

	for (i = 0; i < w->nr; i++) {
		const struct io *v = &w->io[i];

		if (!covers(v, leg, at) || v->issue < up->issue || v->done > up->done ||
		    !took_effect(v))
			continue;
		written = true;
		if (!durable(w, v, by) && !replaced(w, v, at, by))
			return false;
	}
	return written;
}

static bool write_right(const struct world *w, const struct io *up, int by)
{
	int s;

	for (s = up->sector; s < up->sector + up->nr; s++)
		if (!sector_right(w, up, s, by))
			return false;
	return true;
}

/* The exit code that the layer deserves. */
static int model(const struct world *w)
{
	int i, k, code = 2;

	for (i = 0; i < w->nr; i++) {
		for (k = 0; k < w->nr; k++) {
			const struct io *up = &w->io[i], *end = &w->io[k];
			bool flush = end->kind == FLUXLOG_FLUSH && end->log == 0 &&
				     took_effect(end) && up->done < end->issue;

			if (up->log || up->kind == FLUXLOG_FLUSH || !took_effect(up) ||
			    !(flush || (up == end && up->fua)))
				continue;
			if (!write_right(w, up, end->done))
				return 1;
			code = 0;
		}
	}
	return code;
}

/* ---- the world as logs ------------------------------------------------------- */

static void print_io(FILE *out, const struct io *io, int i)
{
	fprintf(out, "%s i=%d d=%d%s", io->kind == FLUXLOG_FLUSH ? "flush" :
		io->kind == FLUXLOG_WRITE ? "write" : "zeroes", io->issue, io->done,
		io->failed ? " err=EIO" : "");
	if (io->fua || io->injected)
		fprintf(out, " flags=%s%s%s", io->fua ? "fua" : "",
			io->fua && io->injected ? "," : "", io->injected ? "injected" : "");
	if (io->kind != FLUXLOG_FLUSH)
		fprintf(out, " s=%d n=%d", io->sector, io->nr);
	if (io->kind == FLUXLOG_WRITE)
		fprintf(out, " data=fill:%02x*%d", i + 1, io->nr);
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
			print_io(out, &w->io[i], i);
	fprintf(out, "end i=%d\n", 2 * w->nr + 1 + log);
	fclose(out);
	return text;
}

static struct fl_group *open_world(const struct world *w)
{
	char *path[LOGS];
	struct fl_err err = { "" };
	struct fl_group *g = NULL;
	int i, ret;

	for (i = 0; i < LOGS; i++) {
		char *text = text_of(w, i);

		path[i] = fl_strdup(t_path(t_asm(text)));
		free(text);
	}
	ret = fl_group_open(&g, path, LOGS, FL_GROUP_STAMPS, &err);
	ck_assert_msg(!ret, "%s", err.msg);
	for (i = 0; i < LOGS; i++)
		free(path[i]);
	return g;
}

static void show(const struct world *w, uint64_t seed)
{
	int i;

	fprintf(stderr, "seed %llu:\n", (unsigned long long)seed);
	for (i = 0; i < LOGS; i++) {
		char *text = text_of(w, i);

		fputs(text, stderr);
		free(text);
	}
}

static void close_world(struct fl_group *g)
{
	int fd[LOGS], i;

	for (i = 0; i < LOGS; i++)
		ck_assert_int_eq(sscanf(g->log[i]->path, "/proc/self/fd/%d", &fd[i]), 1);
	fl_group_close(g);
	for (i = 0; i < LOGS; i++)
		close(fd[i]);
}

START_TEST(against_the_model)
{
	static const struct fl_layer_map map[] = { { 0, SECTORS / 2, 1, 0 },
						   { SECTORS / 2, SECTORS / 2, 2, 0 } };
	uint64_t seed, count[3] = { 0 };

	for (seed = 1; seed <= ROUNDS; seed++) {
		struct world w;
		struct fl_layer ly;
		struct fl_err err = { "" };
		struct fl_group *g;
		int want;

		make_world(&w, seed);
		want = model(&w);
		count[want]++;
		g = open_world(&w);
		ck_assert_msg(!fl_layer_run(&ly, g, map, 2, &err), "%s", err.msg);
		if (fl_layer_exit(&ly) != want) {
			show(&w, seed);
			ck_abort_msg("verdict %d, should be %d", fl_layer_exit(&ly), want);
		}
		fl_layer_free(&ly);
		close_world(g);
	}
	/* each verdict was called for often enough to mean something */
	ck_assert_uint_gt(count[0], ROUNDS / 20);
	ck_assert_uint_gt(count[1], ROUNDS / 5);
	ck_assert_uint_gt(count[2], ROUNDS / 20);
}
END_TEST

Suite *layer_suite(void)
{
	Suite *s = suite_create("layer");
	TCase *t = tcase_create("layer");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, against_the_model);
	suite_add_tcase(s, t);
	return s;
}

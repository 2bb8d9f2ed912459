// SPDX-License-Identifier: GPL-2.0
/*
 * Logs of dm-log-writes: exports of random logs, replayed by a loop of a few lines,
 * against crash images; there and back; and any byte changed.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image_world.h"
#include "testlib.h"
#include "v1_log.h"
#include "walk_report.h"

#define WORLDS 400

struct point {
	uint64_t tick;
	bool fua;
};

static int cmp_point(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

/* Where a replay of @log can stop, by the words of fl_v1_export()'s contract. */
static unsigned int find_points(const struct fl_log *log, struct point *p)
{
	unsigned int n = 0;
	uint64_t i;

	for (i = 0; i < log->nr_rec; i++) {
		const struct fl_rec *r = &log->rec[i];
		bool data = r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES;

		if (data && r->flags & FLUXLOG_F_FUA && !r->status)
			p[n++] = (struct point){ r->done, true };
		else if (r->kind == FLUXLOG_FLUSH || r->flags & FLUXLOG_F_PREFLUSH)
			p[n++] = (struct point){ r->done, false };
	}
	qsort(p, n, sizeof(*p), cmp_point);
	return n;
}

/* What dm-log-writes' replayer does with an entry, discards left out. */
static void apply(uint8_t *dev, const struct fl_v1 *v1, const struct fl_v1_entry *e,
		  const struct fl_log *log)
{
	uint64_t n = e->nr * v1->block;
	struct fl_err err;

	if (e->flags & FL_V1_DISCARD || !n)
		return;
	if (e->off)
		ck_assert_int_eq(fl_log_pread(log, dev + e->sector * v1->block, n, e->off, &err),
				 0);
	else
		memset(dev + e->sector * v1->block, 0, n);
}

static void check_point(const struct world *w, unsigned int dev, uint64_t tick,
			const uint8_t *got)
{
	struct fl_variant durable = { .kind = FL_DURABLE_ONLY };
	size_t bytes = w->sectors * FL_SECTOR;
	uint8_t *want = fl_alloc(1, bytes);
	struct fl_image img;
	struct fl_err err;

	ck_assert_int_eq(fl_image_open(&img, w->g, dev, tick, &durable, &err), 0);
	ck_assert_int_eq(fl_image_read(&img, -1, want, 0, w->sectors, &err), 0);
	ck_assert_msg(!memcmp(want, got, bytes), "tick %llu of device %u",
		      (unsigned long long)tick, dev);
	free(want);
}

/* Replay the export of device @dev and stop at each flush point. */
static void check_export(const struct world *w, unsigned int dev)
{
	const struct fl_log *log = w->g->log[dev];
	struct point *p = fl_alloc(2 * log->nr_rec + 1, sizeof(*p));
	unsigned int nr = find_points(log, p), at = 0;
	uint8_t *bytes = fl_alloc(w->sectors, FL_SECTOR);
	struct fl_v1_loss loss;
	struct fl_v1 *v1;
	struct fl_err err;
	uint64_t i;

	ck_assert_int_eq(fl_v1_export(&v1, &w->g->dev[dev], &loss, &err), 0);
	for (i = 0; i < v1->nr; i++) {
		const struct fl_v1_entry *e = &v1->entry[i];

		apply(bytes, v1, e, log);
		if (!(e->flags & (FL_V1_FLUSH | FL_V1_FUA)))
			continue;
		ck_assert_uint_lt(at, nr);
		ck_assert_int_eq(p[at].fua, !!(e->flags & FL_V1_FUA));
		check_point(w, dev, p[at++].tick, bytes);
	}
	ck_assert_uint_eq(at, nr);
	fl_v1_free(v1);
	free(bytes);
	free(p);
}

START_TEST(export_is_the_durable_image)
{
	struct world w;
	uint64_t seed;
	unsigned int dev;

	for (seed = 0; seed < WORLDS; seed++) {
		w_make(&w, seed);
		for (dev = 0; dev < w.nr_dev; dev++)
			check_export(&w, dev);
		w_free(&w);
	}
}
END_TEST

/* The log in @fd as a v1 log in a file without a name. */
static int to_v1(int fd)
{
	struct fl_log *log = t_load(fd);
	int out = t_file(NULL, 0);
	struct fl_v1_loss loss;
	struct fl_dev dev;
	struct fl_v1 *v1;
	struct fl_err err;

	ck_assert_int_eq(fl_dev_build(&dev, log, FL_RULE_TRUE, &err), 0);
	ck_assert_int_eq(fl_v1_export(&v1, &dev, &loss, &err), 0);
	ck_assert_int_eq(fl_v1_write(v1, log, out, &err), 0);
	fl_v1_free(v1);
	fl_dev_free(&dev);
	fl_log_close(log);
	return out;
}

START_TEST(there_and_back)
{
	struct world w;
	uint64_t seed;

	for (seed = 0; seed < WORLDS / 4; seed++) {
		size_t n, m;
		uint8_t *a, *b;
		int one, two;

		w_make(&w, seed);
		one = to_v1(w.fd[0]);
		two = to_v1(one);
		a = t_slurp(one, &n);
		b = t_slurp(two, &m);
		ck_assert_uint_eq(n, m);
		ck_assert_mem_eq(a, b, n);
		free(a);
		free(b);
		close(one);
		close(two);
		w_free(&w);
	}
}
END_TEST

/* Open and load whatever it is; what comes out must be within the file. */
static void try(const uint8_t *bytes, size_t n)
{
	int fd = t_file(bytes, n);
	struct fl_log *log = NULL;
	struct fl_err err;
	uint64_t i;

	if (!fl_log_open(&log, t_path(fd), &err)) {
		ck_assert_int_eq(fl_log_load(log, NULL, &err), 0);
		for (i = 0; i < log->nr_rec; i++)
			ck_assert_uint_le(log->rec[i].payload_off +
					  (log->rec[i].payload_off ? log->rec[i].nr : 0) *
					  FL_SECTOR, n);
		if (log->end == FL_END_COMPLETE)
			ck_assert_uint_eq(log->rec[log->nr_rec - 1].kind, FLUXLOG_END);
		else
			ck_assert_msg(log->end_why[0], "an end without a reason");
	}
	fl_log_close(log);
	close(fd);
}

START_TEST(any_byte_any_length)
{
	int flux = t_asm("fluxlog 1\nsuper data_sectors=64\nwrite s=0 n=1 data=fill:11\nflush\n"
			 "mark text=\"m\"\ndiscard s=8 n=8\nflush\nend\n");
	int fd = to_v1(flux);
	static const uint8_t value[] = { 0x00, 0x01, 0x08, 0x7f, 0x80, 0xff };
	uint8_t *bytes, was;
	size_t n, i, k;

	bytes = t_slurp(fd, &n);
	for (i = 0; i < n; i++)
		try(bytes, i);
	for (i = 0; i < n; i++) {
		was = bytes[i];
		for (k = 0; k < sizeof(value); k++) {
			bytes[i] = value[k];
			try(bytes, n);
		}
		bytes[i] = was;
	}
	free(bytes);
	close(fd);
	close(flux);
}
END_TEST

/* Of an imported log a walk says neither good nor bad, and shards remember that. */
START_TEST(a_walk_of_an_imported_log)
{
	struct fl_walk_head h = { .what = "x", .shard = 1, .shards = 1, .complete = true }, back;
	struct fl_tally good = { .points = 2, .good = 2 }, bad = { .points = 2, .bad = 1 };
	char *line;

	ck_assert_int_eq(fl_walk_exit(&h, &good), FL_EXIT_FINE);
	ck_assert_int_eq(fl_walk_exit(&h, &bad), FL_EXIT_FINDINGS);
	h.imported = true;
	ck_assert_int_eq(fl_walk_exit(&h, &good), FL_EXIT_CANNOT);
	ck_assert_int_eq(fl_walk_exit(&h, &bad), FL_EXIT_CANNOT);
	line = fl_head_make(&h);
	ck_assert_int_eq(fl_head_parse(line, &back), 0);
	ck_assert(back.imported);
	free(line);
}
END_TEST

Suite *v1_suite(void)
{
	Suite *s = suite_create("v1");
	TCase *tc = tcase_create("v1");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, export_is_the_durable_image);
	tcase_add_test(tc, there_and_back);
	tcase_add_test(tc, any_byte_any_length);
	tcase_add_test(tc, a_walk_of_an_imported_log);
	suite_add_tcase(s, tc);
	return s;
}

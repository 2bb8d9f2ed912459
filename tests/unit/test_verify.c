// SPDX-License-Identifier: GPL-2.0
/*
 * verify: what the filesystem-level walk is made of, as far as it needs no mount.
 *
 * The table of findings, results as lines, the plan (which images, shards, which hold
 * the same bytes), what promises ask of files, and the kernel's complaints.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "finding.h"
#include "image_world.h"
#include "walk_kmsg.h"
#include "walk_plan.h"
#include "walk_report.h"

#define WORLDS 120
#define PER_TEST 40		/* worlds; a test is a process */
#define BYTES (W_MAX_SECTORS * FL_SECTOR)

/* ---- the table ---------------------------------------------------------------- */

START_TEST(codes_are_in_order_and_unique)
{
	int c, k;

	for (c = 0; c < FL_FS_NR_CODES; c++) {
		const struct fl_fs_problem *p = &fl_fs_problem[c];

		ck_assert_msg(strlen(p->id) == 5 && !strncmp(p->id, "FL1", 3), "%s", p->id);
		ck_assert_msg(!p->name[strspn(p->name, "abcdefghijklmnopqrstuvwxyz-")] &&
			      *p->name, "%s", p->name);
		ck_assert_msg(*p->text && p->text[strlen(p->text) - 1] != '.', "%s", p->text);
		ck_assert(!c || strcmp(fl_fs_problem[c - 1].id, p->id) < 0);
		for (k = 0; k < c; k++)
			ck_assert_str_ne(fl_fs_problem[k].name, p->name);
		for (k = 0; k < FL_NR_CODES; k++)
			ck_assert_str_ne(fl_problem[k].id, p->id);
	}
}
END_TEST

/* ---- lines -------------------------------------------------------------------- */

/* Any bytes but NUL, with what JSON and shells mind. */
static void hostile(uint64_t *random, char *out, size_t n)
{
	static const char *const nasty[] = { "\"", "\\", "\n", "\r\t", "\x01", "\x7f", "}", "]",
		"\xc3\xa9", "\xe2\x82\xac", "/", "'", "%s", "\\u0000", ":", ",", "a", " " };
	size_t at = 0;

	out[0] = '\0';
	while (at + 8 < n && t_below(random, 20))
		at += (size_t)snprintf(out + at, n - at, "%s",
				       nasty[t_below(random, sizeof(nasty) / sizeof(*nasty))]);
}

static void random_result(uint64_t *random, struct fl_result *r)
{
	static const enum fl_point_verdict v[] = { FL_POINT_GOOD, FL_POINT_BAD, FL_POINT_SAME,
						   FL_POINT_ERROR };
	char text[200], path[100];
	uint64_t n;

	*r = (struct fl_result){ .tick = t_random(random) >> 1, .promises = t_below(random, 99),
				 .bytes = t_random(random), .ms = t_below(random, 5000),
				 .verdict = v[t_below(random, 4)] };
	hostile(random, text, sizeof(text));
	r->point = malloc(strlen(text) + 2);
	sprintf(r->point, "x%s", text);
	if (r->verdict == FL_POINT_SAME || r->verdict == FL_POINT_ERROR)
		hostile(random, r->text, sizeof(r->text));
	for (n = r->verdict == FL_POINT_BAD ? 1 + t_below(random, 5) : 0; n; n--) {
		bool whole = !t_below(random, 3);

		hostile(random, path, sizeof(path) - 1);
		strcat(path, "f");
		hostile(random, text, sizeof(text));
		fl_fs_add(&r->findings, (enum fl_fs_code)t_below(random, FL_FS_NR_CODES),
			  whole ? "" : path, whole ? 0 : t_random(random) >> 2,
			  whole ? 0 : 1 + t_below(random, 1 << 20),
			  whole ? 0 : t_random(random), "%s", text);
	}
}

static void same_result(const struct fl_result *a, const struct fl_result *b)
{
	uint32_t i;

	ck_assert_str_eq(a->point, b->point);
	ck_assert_str_eq(a->text, b->text);
	ck_assert(a->tick == b->tick && a->promises == b->promises && a->bytes == b->bytes &&
		  a->ms == b->ms && a->verdict == b->verdict);
	ck_assert(fl_fs_same(&a->findings, &b->findings));
	for (i = 0; i < a->findings.nr; i++) {
		ck_assert_str_eq(a->findings.f[i].detail, b->findings.f[i].detail);
		ck_assert_uint_eq(a->findings.f[i].gen, b->findings.f[i].gen);
	}
}

START_TEST(lines_go_both_ways)
{
	uint64_t random = 1;
	int i;

	for (i = 0; i < 2000; i++) {
		struct fl_result r, again;
		size_t n, k;
		char *line;

		random_result(&random, &r);
		line = fl_line_make(&r);
		ck_assert_ptr_null(strchr(line, '\n'));
		ck_assert_int_eq(fl_line_parse(line, &again), 0);
		same_result(&r, &again);
		fl_result_free(&again);
		/* cut off anywhere it is no line */
		n = strlen(line);
		for (k = i % 50 ? n - 1 : 0; k < n; k++) {
			line[n - 1 - k] = '\0';
			ck_assert_int_lt(fl_line_parse(line, &again), 0);
		}
		free(line);
		fl_result_free(&r);
	}
}
END_TEST

#define POINT "\"point\":\"flush-1/all\","
static const char *const no_line[] = {
	"", " ", "x", "null", "5", "\"text\"", "[]", "{}", "{\"point\":\"flush-1/all\"}",
	"{\"verdict\":\"good\"}", "{\"point\":\"\",\"verdict\":\"good\"}",
	"{" POINT "\"verdict\":\"fine\"}", "{" POINT "\"verdict\":\"none\"}",
	"{" POINT "\"verdict\":5}", "{" POINT "\"verdict\":\"bad\"}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[]}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":5}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":{\"id\":\"FL101\"}}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[5]}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[null]}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[{}]}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[{\"id\":\"FL001\"}]}",
	"{" POINT "\"verdict\":\"bad\",\"findings\":[{\"id\":\"FL101\"},{\"id\":\"FL1\"}]}",
	"{" POINT "\"verdict\":\"good\",\"findings\":[{\"id\":\"FL101\"}]}",
	"{\"walk\":1,\"what\":\"x\",\"shard\":1,\"shards\":1}",
};

START_TEST(what_is_no_line_is_refused)
{
	struct fl_result r;

	ck_assert_int_lt(fl_line_parse(no_line[_i], &r), 0);
}
END_TEST

START_TEST(heads_go_both_ways)
{
	static const char *const no_head[] = { "", "{}", "[]", "{\"walk\":1}",
		"{\"walk\":2,\"what\":\"x\",\"shard\":1,\"shards\":1}",
		"{\"walk\":1,\"what\":\"x\",\"shard\":2,\"shards\":1}",
		"{\"walk\":1,\"what\":\"x\",\"shard\":0,\"shards\":1}",
		"{\"walk\":1,\"what\":\"\",\"shard\":1,\"shards\":1}" };
	struct fl_walk_head h = { .shard = 2, .shards = 7, .points = 99, .unborn = 3,
				  .unnamed = 1, .complete = true, .fs = "xfs",
				  .what = "a \"b\" \\", .again = "--fsck 'it'\\''s'" }, again;
	char *line = fl_head_make(&h);
	size_t i;

	ck_assert_int_eq(fl_head_parse(line, &again), 0);
	free(line);
	ck_assert(again.shard == 2 && again.shards == 7 && again.points == 99 &&
		  again.unborn == 3 && again.unnamed == 1 && again.complete);
	ck_assert_str_eq(again.fs, h.fs);
	ck_assert_str_eq(again.what, h.what);
	ck_assert_str_eq(again.again, h.again);
	for (i = 0; i < sizeof(no_head) / sizeof(*no_head); i++)
		ck_assert_int_lt(fl_head_parse(no_head[i], &again), 0);
}
END_TEST

/* ---- the plan ----------------------------------------------------------------- */

static void plan(struct fl_plan *p, const struct world *w, const struct fl_plan_opts *o)
{
	struct fl_check none = { 0 };
	struct fl_err err;

	if (fl_plan_build(p, &w->cuts, &none, o, &err))
		ck_abort_msg("--cuts %s --images %s: %s", o->cuts, o->images, err.msg);
}

static struct fl_plan_opts asked(const char *cuts, const char *images)
{
	return (struct fl_plan_opts){ .cuts = cuts, .images = images, .shard = 1, .shards = 1 };
}

static void same_names(const struct fl_point *a, const struct fl_point *b)
{
	char x[FL_POINT_NAME], y[FL_POINT_NAME];

	ck_assert_str_eq(fl_point_name(x, a), fl_point_name(y, b));
}

START_TEST(lists_of_cuts_and_images)
{
	struct fl_plan_opts o = asked("all", "durable,all,seed=1..3,all");
	struct fl_plan p, q;
	struct world w;
	uint32_t i;

	w_make(&w, 3);
	plan(&p, &w, &o);
	ck_assert_uint_eq(p.nr, w.cuts.last * 5);
	for (i = 1; i < p.nr; i++)
		ck_assert(p.point[i - 1].cut <= p.point[i].cut);
	fl_plan_free(&p);

	o.birth = 10;
	plan(&p, &w, &o);
	ck_assert_uint_eq(p.nr, (w.cuts.last - 9) * 5);
	ck_assert_uint_eq(p.unborn, 9);
	fl_plan_free(&p);

	o = asked("flush", "all");
	plan(&p, &w, &o);
	ck_assert_uint_eq(p.nr, w.cuts.nr_flush);
	ck_assert_uint_ge(p.nr, 4);
	o.cuts = "1000000";
	plan(&q, &w, &o);
	ck_assert_uint_eq(q.nr, p.nr);
	fl_plan_free(&q);
	o.cuts = "flush-2..flush-4,flush-3";
	plan(&q, &w, &o);
	ck_assert_uint_eq(q.nr, 3);
	same_names(&q.point[0], &p.point[1]);
	fl_plan_free(&q);
	o.cuts = "3";	/* spread, the last one included */
	plan(&q, &w, &o);
	ck_assert_uint_eq(q.nr, 3);
	same_names(&q.point[2], &p.point[p.nr - 1]);
	fl_plan_free(&q);
	fl_plan_free(&p);
	w_free(&w);
}
END_TEST

static const char *const no_cuts[] = { "flush-0", "x", "tick-", "flush-9..flush-2",
	"flush-1..x", "..", "flush-1..", "promise-99", "-3", "end,start..nowhere" };
static const char *const no_images[] = { "", ",", "x", "seed=", "seed=3..1", "seed=1..x",
	"drop=", "durable,x", "seed=0..70000" };

START_TEST(what_cannot_be_planned_is_refused)
{
	struct fl_check none = { 0 };
	struct fl_plan_opts o;
	struct fl_plan p;
	struct world w;
	size_t i;

	w_make(&w, 3);
	for (i = 0; i < sizeof(no_cuts) / sizeof(*no_cuts); i++) {
		struct fl_err err = { "" };

		o = asked(no_cuts[i], "all");
		ck_assert_msg(fl_plan_build(&p, &w.cuts, &none, &o, &err) < 0, "%s", no_cuts[i]);
		ck_assert(*err.msg);
		fl_plan_free(&p);
	}
	for (i = 0; i < sizeof(no_images) / sizeof(*no_images); i++) {
		struct fl_err err = { "" };

		o = asked("end", no_images[i]);
		ck_assert_msg(fl_plan_build(&p, &w.cuts, &none, &o, &err) < 0, "%s",
			      no_images[i]);
		ck_assert(*err.msg);
		fl_plan_free(&p);
	}
	w_free(&w);
}
END_TEST

/* Point i of the whole is in shard 1 + i % n, and nowhere else. */
START_TEST(shards_are_a_partition)
{
	struct fl_plan_opts o = asked("all", "durable,all,seed=1");
	struct fl_plan whole, part;
	struct world w;
	uint32_t n = 0, i;

	w_make(&w, 5);
	plan(&whole, &w, &o);
	o.shards = (uint64_t)_i;
	for (o.shard = 1; o.shard <= o.shards; o.shard++) {
		plan(&part, &w, &o);
		for (i = 0; i < part.nr; i++)
			same_names(&part.point[i],
				   &whole.point[o.shard - 1 + i * o.shards]);
		n += part.nr;
		fl_plan_free(&part);
	}
	ck_assert_uint_eq(n, whole.nr);
	fl_plan_free(&whole);
	w_free(&w);
}
END_TEST

static void read_image(const struct world *w, const struct fl_point *p, unsigned int dev,
		       uint8_t *bytes)
{
	struct fl_image img;
	struct fl_err err;

	if (fl_image_open(&img, w->g, dev, p->cut, p->var, &err) ||
	    fl_image_read(&img, w->base[dev], bytes, 0, w->sectors, &err))
		ck_abort_msg("%s", err.msg);
}

static uint32_t check_same(const struct world *w, const struct fl_plan *p)
{
	uint8_t mine[BYTES], other[BYTES];
	unsigned int d;
	uint32_t i, n = 0;

	for (i = 0; i < p->nr; i++) {
		const struct fl_point *stand_in;

		if (p->point[i].same == FL_NO_POINT)
			continue;
		stand_in = &p->point[p->point[i].same];
		ck_assert_uint_eq(stand_in->same, FL_NO_POINT);
		ck_assert(stand_in->cut >= p->point[i].cut);
		n++;
		for (d = 0; d < w->nr_dev; d++) {
			read_image(w, &p->point[i], d, mine);
			read_image(w, stand_in, d, other);
			ck_assert_int_eq(memcmp(mine, other, w->sectors * FL_SECTOR), 0);
		}
	}
	ck_assert_uint_eq(n, p->same);
	return n;
}

START_TEST(same_means_the_same_bytes)
{
	struct fl_plan_opts o = asked("all", "durable,all");
	uint32_t pairs = 0;
	uint64_t seed;

	for (seed = (uint64_t)_i; seed < (uint64_t)_i + PER_TEST; seed++) {
		struct fl_plan p;
		struct world w;

		w_make(&w, seed);
		o.based = w.base[0] >= 0 || (w.nr_dev > 1 && w.base[1] >= 0);
		plan(&p, &w, &o);
		pairs += check_same(&w, &p);
		fl_plan_free(&p);
		w_free(&w);
	}
	ck_assert_uint_gt(pairs, 1000);
}
END_TEST

/* ---- what promises ask of files -------------------------------------------------- */

#define FILES 3
#define SECTORS 24
#define PROMISES 30

struct asked_for {
	uint64_t message, file, start, nr, gen;
};

struct seen {
	uint64_t gen[SECTORS], until;
	bool any[SECTORS];
};

static int see(void *arg, uint64_t off, uint64_t nr, uint64_t gen)
{
	struct seen *s = arg;

	ck_assert(nr && off >= s->until && off + nr <= SECTORS);
	s->until = off + nr;
	for (; nr; nr--, off++) {
		s->any[off] = true;
		s->gen[off] = gen;
	}
	return 0;
}

/* Sector by sector, promise by promise. */
static void check_cut(const struct fl_require *rq, const struct asked_for *p, uint64_t cut)
{
	uint32_t f, i, in_force = 0;
	uint64_t s;

	for (i = 0; i < PROMISES; i++)
		in_force += p[i].message <= cut;
	ck_assert_uint_eq(fl_require_count(rq, cut), in_force);
	for (f = 0; f < rq->nr_file; f++) {
		struct seen want = { 0 }, got = { 0 };

		for (i = 0; i < PROMISES; i++) {
			if (p[i].message > cut || p[i].file != rq->file[f].file)
				continue;
			for (s = p[i].start; s < p[i].start + p[i].nr; s++) {
				want.any[s] = true;
				want.gen[s] = p[i].gen > want.gen[s] ? p[i].gen : want.gen[s];
			}
		}
		ck_assert_int_eq(fl_require_each(rq, &rq->file[f], cut, see, &got), 0);
		ck_assert_int_eq(memcmp(want.any, got.any, sizeof(want.any)), 0);
		ck_assert_int_eq(memcmp(want.gen, got.gen, sizeof(want.gen)), 0);
	}
}

static int random_promises(uint64_t *random, struct asked_for *p)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint64_t tick = 0;
	int i, fd;

	fprintf(out, "fluxlog 1\n");
	for (i = 0; i < PROMISES; i++) {
		tick += 1 + t_below(random, 3);
		p[i] = (struct asked_for){ .message = tick, .file = t_below(random, FILES),
					   .start = t_below(random, SECTORS),
					   .gen = t_below(random, 9) };
		p[i].nr = 1 + t_below(random, SECTORS - p[i].start);
		fprintf(out, "promise i=%llu run=7 file=%llu start=%llu len=%llu gen=%llu path=\"f%llu\"\n",
			(unsigned long long)p[i].message, (unsigned long long)p[i].file,
			(unsigned long long)p[i].start * FL_SECTOR,
			(unsigned long long)p[i].nr * FL_SECTOR, (unsigned long long)p[i].gen,
			(unsigned long long)p[i].file);
	}
	fprintf(out, "end i=%llu\n", (unsigned long long)tick + 1);
	fclose(out);
	fd = t_asm(text);
	free(text);
	return fd;
}

START_TEST(promises_ask_what_the_model_says)
{
	uint64_t random = (uint64_t)_i, cut;
	struct asked_for p[PROMISES];
	char path[64], *paths[] = { path };
	struct fl_require rq;
	struct fl_group *g;
	struct fl_err err;
	uint32_t f;
	int fd;

	fd = random_promises(&random, p);
	snprintf(path, sizeof(path), "%s", t_path(fd));
	if (fl_group_open(&g, paths, 1, FL_GROUP_STAMPS, &err) || fl_require_build(&rq, g, &err))
		ck_abort_msg("%s", err.msg);
	for (f = 0; f < rq.nr_file; f++) {
		ck_assert_int_eq(rq.file[f].path[0], 'f');
		ck_assert_uint_eq(strtoull(rq.file[f].path + 1, NULL, 10), rq.file[f].file);
	}
	for (cut = 0; cut <= p[PROMISES - 1].message + 1; cut++)
		check_cut(&rq, p, cut);
	fl_require_free(&rq);
	fl_group_close(g);
	close(fd);
}
END_TEST

/* ---- the kernel's complaints ------------------------------------------------------ */

START_TEST(complaints_are_seen)
{
	static const char *const bad[] = {
		"WARNING: CPU: 1 PID: 77 at fs/xfs/xfs_log.c:12 xlog_x+0x1/0x2 [xfs]",
		"BUG: kernel NULL pointer dereference, address: 0000000000000008",
		"BUG: KASAN: slab-use-after-free in xlog_recover+0x1/0x2",
		"BUG: sleeping function called from invalid context at mm/slab.h:1",
		"kernel BUG at fs/ext4/extents.c:1", "Oops: 0000 [#1] PREEMPT SMP",
		"Oops: general protection fault, probably for non-canonical address",
		"INFO: task mount:123 blocked for more than 60 seconds.",
		"INFO: rcu_preempt detected stalls on CPUs/tasks:",
		"watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [mount:123]",
		"UBSAN: array-index-out-of-bounds in fs/btrfs/a.c:1:2",
		"WARNING: possible circular locking dependency detected",
		"XFS: Assertion failed: ip->i_nblocks == 0, file: fs/xfs/xfs_icache.c, line: 1",
	};
	static const char *const fine[] = {
		"", "XFS (loop3): Mounting V5 Filesystem 476f8fd6-0801-4553-9ed5-dad7202d230e",
		"XFS (loop3): Starting recovery (logdev: internal)",
		"XFS (loop3): Ending recovery (logdev: internal)",
		"XFS (loop1): Internal error !uuid_equal() at line 253 of file xfs_log_recover.c.",
		"EXT4-fs (loop1): recovery complete",
		"EXT4-fs warning (device loop1): ext4_fill_super:1: some feature",
		"BTRFS info (device loop0): using crc32c (crc32c-intel) checksum algorithm",
		"loop7: detected capacity change from 0 to 4194304",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(fl_is_splat(bad[i]), "%s", bad[i]);
	for (i = 0; i < sizeof(fine) / sizeof(*fine); i++)
		ck_assert_msg(!fl_is_splat(fine[i]), "%s", fine[i]);
}
END_TEST

Suite *verify_suite(void)
{
	Suite *s = suite_create("verify");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, codes_are_in_order_and_unique);
	tcase_add_test(t, lines_go_both_ways);
	tcase_add_loop_test(t, what_is_no_line_is_refused, 0,
			    (int)(sizeof(no_line) / sizeof(*no_line)));
	tcase_add_test(t, heads_go_both_ways);
	tcase_add_test(t, lists_of_cuts_and_images);
	tcase_add_test(t, what_cannot_be_planned_is_refused);
	tcase_add_loop_test(t, shards_are_a_partition, 1, 6);
	for (int i = 0; i < WORLDS; i += PER_TEST)
		tcase_add_loop_test(t, same_means_the_same_bytes, i, i + 1);
	tcase_add_loop_test(t, promises_ask_what_the_model_says, 0, 40);
	tcase_add_test(t, complaints_are_seen);
	suite_add_tcase(s, t);
	return s;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_merge: the results of a walk's shards as one.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "crash_image.h"
#include "walk_report.h"

const char cmd_merge_help[] =
	"usage: fluxlog merge [--json FILE] [--ktap] [--max N] RESULTS...\n"
	"\n"
	"Puts together what fluxlog verify --shard K/N wrote with --json (or --journal), one\n"
	"file for each shard, and reports it like a walk that visited all. Files of different\n"
	"walks, or one shard twice, are refused; a shard that is missing or not finished\n"
	"makes the whole not judged.\n"
	"\n"
	"  --json FILE   all results as JSON lines (- is standard output)\n"
	"  --ktap        results as KTAP on standard output\n"
	"  -m, --max N   print at most N bad images (default 10, 0: all)\n"
	"\n"
	"Exit code: as of fluxlog verify.\n";

/* All results, and which shards they come from. */
struct merged {
	struct fl_walk_head head;
	struct fl_result *r;
	uint64_t nr, room, shards_seen;
	bool *seen;
};

static void add_result(struct merged *m, const struct fl_result *r)
{
	if (m->nr == m->room) {
		m->room = m->room ? 2 * m->room : 1024;
		m->r = fl_realloc(m->r, m->room, sizeof(*m->r));
	}
	m->r[m->nr++] = *r;
}

static void add_unvisited(struct merged *m, uint64_t n, uint64_t shard)
{
	struct fl_result r = { .verdict = FL_POINT_NONE };
	char name[80];

	for (; n; n--) {
		snprintf(name, sizeof(name), "unfinished image of shard %" PRIu64, shard);
		r.point = fl_strdup(name);
		add_result(m, &r);
	}
}

static int take_head(struct merged *m, const struct fl_walk_head *h, const char *path,
		     struct fl_err *err)
{
	if (!m->seen) {
		if (h->shards > 1000000)
			return fl_fail(err, EINVAL, "%s: %" PRIu64 " shards", path, h->shards);
		m->head = *h;
		m->head.points = 0;
		m->seen = fl_alloc(h->shards + 1, sizeof(*m->seen));
	}
	if (strcmp(m->head.what, h->what) || m->head.shards != h->shards)
		return fl_fail(err, EINVAL, "%s: the results of another walk", path);
	if (m->seen[h->shard])
		return fl_fail(err, EINVAL, "%s: shard %" PRIu64 " a second time", path, h->shard);
	m->seen[h->shard] = true;
	m->shards_seen++;
	m->head.points += h->points;
	return 0;
}

static int take_lines(struct merged *m, FILE *f, const char *path, struct fl_err *err)
{
	struct fl_walk_head h;
	struct fl_result r;
	char *line = NULL;
	size_t room = 0;
	uint64_t before = m->nr, number = 1;
	int ret = 0;

	if (getline(&line, &room, f) <= 0 || fl_head_parse(line, &h))
		ret = fl_fail(err, EINVAL, "%s:1: not the results of a walk", path);
	else
		ret = take_head(m, &h, path, err);
	while (!ret && getline(&line, &room, f) > 0) {
		number++;
		if (fl_line_parse(line, &r))
			ret = fl_fail(err, EINVAL, "%s:%" PRIu64 ": not a whole result", path,
				      number);
		else
			add_result(m, &r);
	}
	free(line);
	if (!ret && m->nr - before > h.points)
		ret = fl_fail(err, EINVAL, "%s: more results than its walk had images", path);
	if (!ret)
		add_unvisited(m, h.points - (m->nr - before), h.shard);
	return ret;
}

static int take_file(struct merged *m, const char *path, struct fl_err *err)
{
	FILE *f = fopen(path, "re");
	int ret;

	if (!f)
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	ret = take_lines(m, f, path, err);
	fclose(f);
	return ret;
}

static int kind_of(const struct fl_result *r)
{
	const char *slash = strchr(r->point, '/');
	struct fl_variant var;
	struct fl_err err;

	return slash && !fl_variant_parse(&var, slash + 1, &err) ? (int)var.kind : -1;
}

/* As the points of a plan are ordered. */
static int cmp_result(const void *a, const void *b)
{
	const struct fl_result *x = a, *y = b;
	int kind;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	kind = kind_of(x) - kind_of(y);
	return kind ? kind : strcmp(x->point, y->point);
}

static int report(struct merged *m, const char *json, bool ktap, uint64_t max,
		  struct fl_err *err)
{
	struct fl_tally t;
	int rc;

	if (m->nr)
		qsort(m->r, m->nr, sizeof(*m->r), cmp_result);
	m->head.shard = m->head.shards = 1;
	if (json && fl_walk_write(json, &m->head, m->r, m->nr, err))
		return FL_EXIT_CANNOT;
	if (ktap)
		fl_walk_ktap(stdout, m->r, m->nr);
	else if (!json || strcmp(json, "-"))
		fl_walk_print(stdout, &m->head, m->r, m->nr, max, 0, "");
	fl_tally(&t, m->r, m->nr);
	rc = fl_walk_exit(&m->head, &t);
	return rc;
}

static int merge(char **path, int nr, const char *json, bool ktap, uint64_t max)
{
	struct merged m = { 0 };
	struct fl_err err = { "" };
	uint64_t shards, i;
	int rc = FL_EXIT_CANNOT, k, ret = 0;

	for (k = 0; k < nr && !ret; k++)
		ret = take_file(&m, path[k], &err);
	if (!ret) {
		shards = m.head.shards;
		rc = report(&m, json, ktap, max, &err);
		for (i = 1; i <= shards && m.shards_seen < shards && !ret; i++)
			if (!m.seen[i])
				ret = fl_fail(&err, ENOENT, "shard %" PRIu64 " of %" PRIu64
					      " is missing", i, shards);
	}
	if (err.msg[0]) {
		fl_print_err(&err);
		rc = FL_EXIT_CANNOT;
	}
	for (i = 0; i < m.nr; i++)
		fl_result_free(&m.r[i]);
	free(m.r);
	free(m.seen);
	return rc;
}

int cmd_merge(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "ktap", no_argument, NULL, 'k' },
		{ "max", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *json = NULL;
	bool ktap = false;
	uint64_t max = 10;
	int c;

	while ((c = getopt_long(argc, argv, ":m:h", longs, NULL)) != -1) {
		if (c == 'j')
			json = optarg;
		else if (c == 'k')
			ktap = true;
		else if (c == 'm' && !cmd_number(optarg, &max))
			return cmd_usage_error("merge", "--max %s is not a number", optarg);
		else if (c == 'h')
			return fputs(cmd_merge_help, stdout) < 0 ? FL_EXIT_CANNOT
								 : FL_EXIT_FINE;
		else if (c != 'm')
			return cmd_bad_option("merge", c, argv);
	}
	if (optind == argc)
		return cmd_usage_error("merge", "no results named");
	return merge(argv + optind, argc - optind, json, ktap, max ? max : UINT64_MAX);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_stat: what flushes cost, as a table.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cost.h"
#include "crash_cut.h"
#include "json_util.h"
#include "log_summary.h"
#include "report.h"

const char cmd_stat_help[] =
	"usage: fluxlog stat [--from CUT] [--to CUT] [--json FILE] [--compare LOG2] LOG...\n"
	"\n"
	"Counts what a run wrote and flushed, how long flushes took, what they were good for,\n"
	"and how many fsyncs could have gone without a flush of their own (an estimate: a log\n"
	"does not say which thread sent a flush).\n"
	"\n"
	"Of several logs each has a column, with one for all of them before.\n"
	"\n"
	"  -f, --from CUT       only what was issued after this cut (start)\n"
	"  -t, --to CUT         and not after this one (end); see fluxlog help replay\n"
	"  -c, --compare LOG2   the same of another log, side by side; the cuts are looked up\n"
	"                       there by their names\n"
	"  -j, --json FILE      as JSON (- is standard output)\n"
	"\n"
	"Exit code: 0; 2 a log cannot be read, or ends before its run does (what there is is\n"
	"counted all the same).\n";

enum unit { COUNT, BYTES, TIME, PER_PROMISE, TIME_PER_PROMISE, SHARE };

/* The table; each line is computed from a struct fl_cost. */
static const struct line {
	const char *key, *text;
	enum unit unit;
	size_t value;		/* offset of the uint64_t in struct fl_cost */
} lines[] = {
#define AT(m) offsetof(struct fl_cost, m)
	{ "promises", "promises of syncs", COUNT, AT(promises) },
	{ "writes", "writes", COUNT, AT(writes) },
	{ "write_bytes", "  bytes", BYTES, AT(write_bytes) },
	{ "fua", "  of them FUA", COUNT, AT(fua) },
	{ "journal", "  of them to a journal", COUNT, AT(journal) },
	{ "journal_bytes", "  bytes of these", BYTES, AT(journal_bytes) },
	{ "meta", "  of them other metadata (flag META)", COUNT, AT(meta) },
	{ "data", "  of them the rest, data", COUNT, AT(data) },
	{ "data_bytes", "  bytes of these", BYTES, AT(data_bytes) },
	{ "write_p50_ns", "  time, median", TIME, AT(write_time.p50) },
	{ "write_p99_ns", "  time, 99 %", TIME, AT(write_time.p99) },
	{ "discards", "discards", COUNT, AT(discards) },
	{ "flushes", "flushes", COUNT, AT(flushes) },
	{ "failed", "  that failed", COUNT, AT(failed) },
	{ "idle", "  that made nothing new durable", COUNT, AT(idle) },
	{ "overtook", "  that overtook an earlier one", COUNT, AT(overtook) },
	{ "in_flight", "  most in flight together", COUNT, AT(in_flight) },
	{ "flush_p50_ns", "  time, median", TIME, AT(flush_time.p50) },
	{ "flush_p90_ns", "  time, 90 %", TIME, AT(flush_time.p90) },
	{ "flush_p99_ns", "  time, 99 %", TIME, AT(flush_time.p99) },
	{ "flush_max_ns", "  time, longest", TIME, AT(flush_time.max) },
	{ "per_promise_writes", "writes for each promise", PER_PROMISE, AT(writes) },
	{ "per_promise_bytes", "bytes written for each promise", PER_PROMISE, AT(write_bytes) },
	{ "per_promise_fua", "FUA writes for each promise", PER_PROMISE, AT(fua) },
	{ "per_promise_journal", "journal writes for each promise", PER_PROMISE, AT(journal) },
	{ "per_promise_flushes", "flushes for each promise", PER_PROMISE, AT(flushes) },
	{ "per_promise_flush_ns", "flush time for each promise", TIME_PER_PROMISE, AT(flush_ns) },
	{ "skippable", "syncs that needed no flush of their own (about)", SHARE,
	  AT(skippable) },
#undef AT
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static uint64_t value(const struct fl_cost *c, const struct line *l)
{
	return *(const uint64_t *)((const char *)c + l->value);
}

/* A column of the table. */
struct column {
	char name[64];
	struct fl_cost c;
};

/* All logs together, each of several, and those of --compare. */
#define MAX_COLUMNS (FL_GROUP_MAX + 3)

/* What the arguments ask for. */
struct request {
	char *const *log;
	int nr;
	char *other;
	const char *from, *to, *json;
};

static double per_promise(const struct fl_cost *c, const struct line *l)
{
	return c->promises ? (double)value(c, l) / (double)c->promises : 0;
}

static bool is_ratio(const struct line *l)
{
	return l->unit == PER_PROMISE || l->unit == TIME_PER_PROMISE;
}

static void print_value(const struct fl_cost *c, const struct line *l)
{
	uint64_t v = value(c, l);
	char buf[32], text[64];

	if (is_ratio(l) && !c->promises)
		snprintf(text, sizeof(text), "-");
	else if (l->unit == TIME)
		snprintf(text, sizeof(text), "%.1f us", (double)v / 1e3);
	else if (l->unit == TIME_PER_PROMISE)
		snprintf(text, sizeof(text), "%.1f us", per_promise(c, l) / 1e3);
	else if (l->unit == PER_PROMISE)
		snprintf(text, sizeof(text), "%.3f", per_promise(c, l));
	else if (l->unit == SHARE && c->promises)
		snprintf(text, sizeof(text), "%s (%.1f%%)", fl_commas(buf, v),
			 100.0 * (double)v / (double)c->promises);
	else
		snprintf(text, sizeof(text), "%s", fl_commas(buf, v));
	printf("  %22s", text);
}

/* The end of a long name tells more. */
static void print_head(const struct column *col, int nr)
{
	int k;

	printf("%-48s", "");
	for (k = 0; k < nr; k++) {
		size_t len = strlen(col[k].name);

		printf("  %22s", col[k].name + (len > 22 ? len - 22 : 0));
	}
	putchar('\n');
}

static void print_table(const struct column *col, int nr)
{
	size_t i;
	int k;

	if (nr > 1)
		print_head(col, nr);
	for (i = 0; i < NR_LINES; i++) {
		printf("%-48s", lines[i].text);
		for (k = 0; k < nr; k++)
			print_value(&col[k].c, &lines[i]);
		putchar('\n');
	}
	printf("%-48s", "seconds from first to last");
	for (k = 0; k < nr; k++)
		printf("  %22.3f", col[k].c.seconds);
	putchar('\n');
}

/* Ratios are left out where there is no promise to count by. */
static struct json_object *column_json(const struct column *col)
{
	struct json_object *o = json_object_new_object();
	size_t i;

	fl_put_text(o, "name", col->name);
	for (i = 0; i < NR_LINES; i++) {
		if (!is_ratio(&lines[i]))
			fl_put_num(o, lines[i].key, value(&col->c, &lines[i]));
		else if (col->c.promises)
			json_object_object_add(o, lines[i].key,
				json_object_new_double(per_promise(&col->c, &lines[i])));
	}
	json_object_object_add(o, "seconds", json_object_new_double(col->c.seconds));
	return o;
}

/* ---- counting ------------------------------------------------------------------ */

static int find_span(struct fl_cost_of *span, const struct fl_group *g,
		     const struct request *req, struct fl_err *err)
{
	struct fl_cuts cuts;
	int ret = 0;

	*span = (struct fl_cost_of){ .after = 0, .until = FL_NEVER, .log = FL_ALL_LOGS };
	fl_cuts_build(&cuts, g);
	if (req->from)
		ret = fl_cut_find(&cuts, req->from, strlen(req->from), &span->after, err);
	if (!ret && req->to)
		ret = fl_cut_find(&cuts, req->to, strlen(req->to), &span->until, err);
	if (!ret && span->after >= span->until)
		ret = fl_fail(err, EINVAL, "cut \"%s\" is not before cut \"%s\"",
			      req->from ? req->from : "start", req->to ? req->to : "end");
	fl_cuts_free(&cuts);
	return ret;
}

static void name_column(struct column *col, const char *path)
{
	size_t len = strlen(path), room = sizeof(col->name) - 1;

	snprintf(col->name, sizeof(col->name), "%s", path + (len > room ? len - room : 0));
}

/* A column for the group, and one for each of several logs. */
static int add_columns(struct column *col, int *nr, const struct fl_group *g,
		       const struct request *req, struct fl_err *err)
{
	struct fl_cost_of span;
	int ret = find_span(&span, g, req, err);

	name_column(&col[*nr], g->nr > 1 ? "all" : g->log[0]->path);
	if (!ret)
		ret = fl_cost(&col[(*nr)++].c, g, &span, err);
	for (span.log = 0; g->nr > 1 && span.log < g->nr && !ret; span.log++) {
		name_column(&col[*nr], g->log[span.log]->path);
		ret = fl_cost(&col[(*nr)++].c, g, &span, err);
	}
	return ret;
}

static bool all_there(const struct fl_group *g)
{
	bool complete = true;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		if (g->log[i]->end == FL_END_COMPLETE)
			continue;
		complete = false;
		fprintf(stderr, "fluxlog: %s: %s, %s; counted up to there\n",
			g->log[i]->path, fl_end_name(g->log[i]->end), g->log[i]->end_why);
	}
	return complete;
}

/* Count one group; false: it cannot be read, or has no such cut. */
static bool count(struct column *col, int *nr, char *const *path, int nr_path,
		  const struct request *req, bool *complete)
{
	struct fl_err err = { "" };
	struct fl_group *g;
	int ret = fl_group_open(&g, path, nr_path, FL_GROUP_STAMPS, &err);

	if (!ret) {
		ret = add_columns(col, nr, g, req, &err);
		*complete = all_there(g) && *complete;
		fl_group_close(g);
	}
	if (ret)
		fl_print_err(&err);
	return !ret;
}

static bool write_json(const struct column *col, int nr, const char *path)
{
	struct json_object *all = json_object_new_array();
	struct fl_err err = { "" };
	int k;

	for (k = 0; k < nr; k++)
		json_object_array_add(all, column_json(&col[k]));
	if (!fl_json_write(all, path, &err))
		return true;
	fl_print_err(&err);
	return false;
}

static int stat_logs(const struct request *req)
{
	static struct column col[MAX_COLUMNS];
	bool complete = true;
	int nr = 0;

	if (!count(col, &nr, req->log, req->nr, req, &complete) ||
	    (req->other && !count(col, &nr, &req->other, 1, req, &complete)))
		return FL_EXIT_CANNOT;
	if (req->json && !write_json(col, nr, req->json))
		return FL_EXIT_CANNOT;
	if (!req->json || strcmp(req->json, "-"))
		print_table(col, nr);
	return complete ? FL_EXIT_FINE : FL_EXIT_CANNOT;
}

int cmd_stat(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "compare", required_argument, NULL, 'c' },
		{ "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct request req = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, ":j:c:f:t:h", longs, NULL)) != -1) {
		if (c == 'j')
			req.json = optarg;
		else if (c == 'c')
			req.other = optarg;
		else if (c == 'f')
			req.from = optarg;
		else if (c == 't')
			req.to = optarg;
		else if (c == 'h')
			return fputs(cmd_stat_help, stdout) < 0 ? FL_EXIT_CANNOT : FL_EXIT_FINE;
		else
			return cmd_bad_option("stat", c, argv);
	}
	if (optind == argc)
		return cmd_usage_error("stat", "no log named");
	req.log = argv + optind;
	req.nr = argc - optind;
	return stat_logs(&req);
}

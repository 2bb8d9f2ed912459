// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_stat: what flushes cost, as a table.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "cost.h"
#include "json_util.h"
#include "log_summary.h"
#include "report.h"

const char cmd_stat_help[] =
	"usage: fluxlog stat [--json FILE] [--compare LOG2] LOG...\n"
	"\n"
	"Counts what a run wrote and flushed, how long flushes took, what they were good for,\n"
	"and how many fsyncs could have gone without a flush of their own (an estimate: a log\n"
	"does not say which thread sent a flush).\n"
	"\n"
	"  -c, --compare LOG2   the same of another log, side by side\n"
	"  -j, --json FILE      as JSON (- is standard output)\n"
	"\n"
	"Exit code: 0; 2 a log cannot be read, or ends before its run does (what there is is\n"
	"counted all the same).\n";

enum unit { COUNT, BYTES, TIME, PER_PROMISE, SHARE };

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
	{ "per_promise_journal", "journal writes for each promise", PER_PROMISE, AT(journal) },
	{ "per_promise_flushes", "flushes for each promise", PER_PROMISE, AT(flushes) },
	{ "skippable", "syncs that needed no flush of their own (about)", SHARE,
	  AT(skippable) },
#undef AT
};

#define NR_LINES (sizeof(lines) / sizeof(lines[0]))

static uint64_t value(const struct fl_cost *c, const struct line *l)
{
	return *(const uint64_t *)((const char *)c + l->value);
}

static void print_value(const struct fl_cost *c, const struct line *l)
{
	uint64_t v = value(c, l);
	char buf[32], text[64];

	if (l->unit == TIME)
		snprintf(text, sizeof(text), "%.1f us", (double)v / 1e3);
	else if (l->unit == PER_PROMISE && c->promises)
		snprintf(text, sizeof(text), "%.3f", (double)v / (double)c->promises);
	else if (l->unit == PER_PROMISE)
		snprintf(text, sizeof(text), "-");
	else if (l->unit == SHARE && c->promises)
		snprintf(text, sizeof(text), "%s (%.1f%%)", fl_commas(buf, v),
			 100.0 * (double)v / (double)c->promises);
	else
		snprintf(text, sizeof(text), "%s", fl_commas(buf, v));
	printf("  %22s", text);
}

static void print_table(const struct fl_cost *c, int nr)
{
	size_t i;
	int k;

	for (i = 0; i < NR_LINES; i++) {
		printf("%-48s", lines[i].text);
		for (k = 0; k < nr; k++)
			print_value(&c[k], &lines[i]);
		putchar('\n');
	}
	printf("%-48s", "seconds from first to last");
	for (k = 0; k < nr; k++)
		printf("  %22.3f", c[k].seconds);
	putchar('\n');
}

static struct json_object *cost_json(const struct fl_cost *c)
{
	struct json_object *o = json_object_new_object();
	size_t i;

	for (i = 0; i < NR_LINES; i++)
		if (lines[i].unit != PER_PROMISE)
			fl_put_num(o, lines[i].key, value(c, &lines[i]));
	json_object_object_add(o, "seconds", json_object_new_double(c->seconds));
	return o;
}

/* Count one group; false: it cannot be read, or not all of it is there. */
static bool count(struct fl_cost *c, char *const *path, int nr, bool *complete)
{
	struct fl_err err = { "" };
	struct fl_group *g;
	unsigned int i;
	int ret = fl_group_open(&g, path, nr, FL_GROUP_STAMPS, &err);

	if (!ret) {
		ret = fl_cost(c, g, &err);
		for (i = 0; i < g->nr; i++) {
			if (g->log[i]->end == FL_END_COMPLETE)
				continue;
			*complete = false;
			fprintf(stderr, "fluxlog: %s: %s, %s; counted up to there\n",
				g->log[i]->path, fl_end_name(g->log[i]->end),
				g->log[i]->end_why);
		}
		fl_group_close(g);
	}
	if (ret)
		fl_print_err(&err);
	return !ret;
}

static int stat_logs(char **log, int nr, char *other, const char *json)
{
	struct json_object *all;
	struct fl_err err = { "" };
	struct fl_cost c[2];
	bool complete = true;
	int n = other ? 2 : 1, k;

	if (!count(&c[0], log, nr, &complete) || (other && !count(&c[1], &other, 1, &complete)))
		return FL_EXIT_CANNOT;
	if (json) {
		all = json_object_new_array();
		for (k = 0; k < n; k++)
			json_object_array_add(all, cost_json(&c[k]));
		if (fl_json_write(all, json, &err)) {
			fl_print_err(&err);
			return FL_EXIT_CANNOT;
		}
	}
	if (!json || strcmp(json, "-"))
		print_table(c, n);
	return complete ? FL_EXIT_FINE : FL_EXIT_CANNOT;
}

int cmd_stat(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "compare", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	char *other = NULL;
	const char *json = NULL;
	int c;

	while ((c = getopt_long(argc, argv, ":j:c:h", longs, NULL)) != -1) {
		if (c == 'j')
			json = optarg;
		else if (c == 'c')
			other = optarg;
		else if (c == 'h')
			return fputs(cmd_stat_help, stdout) < 0 ? FL_EXIT_CANNOT : FL_EXIT_FINE;
		else
			return cmd_bad_option("stat", c, argv);
	}
	if (optind == argc)
		return cmd_usage_error("stat", "no log named");
	return stat_logs(argv + optind, argc - optind, other, json);
}

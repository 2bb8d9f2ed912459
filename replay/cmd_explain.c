// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_explain: the story of one finding of `fluxlog check`.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "explain.h"
#include "text_lex.h"

const char cmd_explain_help[] =
	"usage: fluxlog explain [--top LOG] LOG... FINDING\n"
	"       fluxlog explain --above LOG [--map MAP]... LOG... FINDING\n"
	"\n"
	"Tells the story of finding number FINDING, as fluxlog check LOG... counts them:\n"
	"the promise, the write, the flushes before, around and after it with ticks and\n"
	"times (in microseconds from the promise), the rule that was broken, and what\n"
	"would have made it right.\n"
	"\n"
	"  -t, --top LOG     as for fluxlog check --top: recorded above the others\n"
	"  -a, --above LOG   a finding of the layer below it, as fluxlog check --above LOG\n"
	"                    counts them, with the same maps; times are from the end of the\n"
	"                    flush above\n"
	"  -M, --map MAP     as for fluxlog check --map\n"
	"\n"
	"Exit code: 1 the finding was told (the log has findings); 2 there is no such\n"
	"finding, or the logs could not be read.\n";

struct options {
	char *top, *above;
	struct fl_layer_map map[FL_GROUP_MAX];
	unsigned int nr_map;
	uint64_t nr;
};

static int tell(const struct fl_group *g, uint64_t nr)
{
	struct fl_check ck;
	struct fl_err err = { "" };
	int rc = FL_EXIT_CANNOT;

	if (fl_check_run(&ck, g, &err)) {
		fl_print_err(&err);
	} else if (!nr || nr > ck.findings.nr) {
		fl_fail(&err, 0, "no finding %" PRIu64 ": there are %" PRIu64, nr,
			ck.findings.nr);
		fl_print_err(&err);
	} else {
		fl_explain(stdout, g, &ck, nr - 1);
		rc = FL_EXIT_FINDINGS;
	}
	fl_check_free(&ck);
	return rc;
}

static int tell_layer(const struct fl_group *g, const struct options *o)
{
	struct fl_layer ly;
	struct fl_err err = { "" };
	int rc = FL_EXIT_CANNOT;

	if (fl_layer_run(&ly, g, o->map, o->nr_map, &err)) {
		fl_print_err(&err);
	} else if (!o->nr || o->nr > ly.nr) {
		fl_fail(&err, 0, "no finding %" PRIu64 ": there are %" PRIu64, o->nr, ly.nr);
		fl_print_err(&err);
	} else {
		fl_explain_layer(stdout, &ly, o->nr - 1);
		rc = FL_EXIT_FINDINGS;
	}
	fl_layer_free(&ly);
	return rc;
}

static int open_and_tell(char **log, int nr_log, const struct options *o)
{
	struct fl_group *g;
	struct fl_err err = { "" };
	int rc;

	if (fl_group_open(&g, log, nr_log, FL_GROUP_STAMPS | (o->top ? FL_GROUP_STACKED : 0),
			  &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = o->above ? tell_layer(g, o) : tell(g, o->nr);
	fl_group_close(g);
	return rc;
}

/* One option. -1: help was asked for. */
static int take(struct options *o, int c, char **argv)
{
	struct fl_err err = { "" };

	switch (c) {
	case 'h':
		return -1;
	case 't':
	case 'a':
		if (o->top || o->above)
			return cmd_usage_error("explain", "more than one log above (--top, --above)");
		*(c == 't' ? &o->top : &o->above) = optarg;
		return FL_EXIT_FINE;
	case 'M':
		if (o->nr_map == FL_GROUP_MAX)
			return cmd_usage_error("explain", "more than %d --map", FL_GROUP_MAX);
		if (fl_layer_map_parse(optarg, &o->map[o->nr_map++], &err))
			return cmd_usage_error("explain", "%s", err.msg);
		return FL_EXIT_FINE;
	}
	return cmd_bad_option("explain", c, argv);
}

int cmd_explain(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "top", required_argument, NULL, 't' },
		{ "above", required_argument, NULL, 'a' },
		{ "map", required_argument, NULL, 'M' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct options o = { 0 };
	int c, rc = FL_EXIT_FINE;

	while (!rc && (c = getopt_long(argc, argv, ":t:a:M:h", longs, NULL)) != -1)
		rc = take(&o, c, argv);
	if (rc < 0)
		fputs(cmd_explain_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	if (argc - optind < 2)
		return cmd_usage_error("explain", "a log and the number of a finding are needed");
	if (o.nr_map && !o.above)
		return cmd_usage_error("explain", "--map needs --above");
	if (!fl_text_u64(argv[argc - 1], NULL, &o.nr))
		return cmd_usage_error("explain", "\"%s\" is not the number of a finding",
				       argv[argc - 1]);
	/* the place before the first log is an option's, which has been read */
	if (o.top || o.above)
		argv[--optind] = o.top ? o.top : o.above;
	return open_and_tell(argv + optind, argc - optind - 1, &o);
}

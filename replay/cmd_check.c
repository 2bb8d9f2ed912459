// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_check: the block-level judge on one log or a group.
 */
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "text_lex.h"

const char cmd_check_help[] =
	"usage: fluxlog check [--json FILE] [--max N] LOG...\n"
	"\n"
	"Walks every flush point and every promise of the LOGs, judged as one group by\n"
	"their common ticks, and says whether each promised block survives a power cut at\n"
	"every instant: whether every crash image that the rules allow holds the promised\n"
	"version or a newer one. No image is built, no root is needed.\n"
	"\n"
	"  -j, --json FILE   write everything as JSON to FILE (- is standard output)\n"
	"  -m, --max N       print at most N findings (default 20, 0: all)\n"
	"\n"
	"Exit code: 0 all promises are kept; 1 findings; 2 could not judge: a log ends\n"
	"before its run does (what it holds is judged and printed all the same), there is\n"
	"no promise, or a log cannot be read.\n";

struct options {
	const char *json;
	uint64_t max;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "max", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	*o = (struct options){ .max = 20 };
	while ((c = getopt_long(argc, argv, ":j:m:h", longs, NULL)) != -1) {
		if (c == 'j')
			o->json = optarg;
		else if (c == 'h')
			return -1;
		else if (c != 'm')
			return cmd_bad_option("check", c, argv);
		else if (!fl_text_u64(optarg, NULL, &o->max))
			return cmd_usage_error("check", "--max %s is not a number", optarg);
	}
	if (!o->max)
		o->max = UINT64_MAX;
	if (optind == argc)
		return cmd_usage_error("check", "no log named");
	return FL_EXIT_FINE;
}

static int judge(const struct fl_group *g, const struct options *o)
{
	struct fl_check ck;
	struct fl_err err = { "" };
	int ret = fl_check_run(&ck, g, &err);
	int rc;

	if (!ret) {
		bool json_only = o->json && !strcmp(o->json, "-");

		if (!json_only)
			fl_report_check(stdout, g, &ck, o->max);
		if (o->json)
			ret = fl_report_check_json(o->json, g, &ck, &err);
	}
	rc = ret ? FL_EXIT_CANNOT : fl_check_exit(g, &ck);
	if (ret)
		fl_print_err(&err);
	fl_check_free(&ck);
	return rc;
}

int cmd_check(int argc, char **argv)
{
	struct options o;
	struct fl_group *g;
	struct fl_err err = { "" };
	int rc = parse(argc, argv, &o);

	if (rc < 0)
		fputs(cmd_check_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	if (fl_group_open(&g, argv + optind, argc - optind, FL_GROUP_STAMPS, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = judge(g, &o);
	fl_group_close(g);
	return rc;
}

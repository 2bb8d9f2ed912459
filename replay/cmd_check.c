// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_check: the block-level judge on one log or a group.
 */
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "layer_report.h"
#include "report.h"
#include "text_lex.h"

const char cmd_check_help[] =
	"usage: fluxlog check [--json FILE] [--max N] LOG...\n"
	"       fluxlog check --top LOG [--json FILE] [--max N] LOG...\n"
	"       fluxlog check --above LOG [--map MAP]... [--json FILE] [--max N] --below LOG...\n"
	"\n"
	"Walks every flush point and every promise of the LOGs, judged as one group by\n"
	"their common ticks, and says whether each promised block survives a power cut at\n"
	"every instant: whether every crash image that the rules allow holds the promised\n"
	"version or a newer one. No image is built, no root is needed.\n"
	"\n"
	"With --top: promises that were recorded above a layer that leaves data as it is and\n"
	"where it is (linear, striped, mirrored) are judged by what its devices keep. A promise\n"
	"holds iff each write below that carries its bytes on keeps them, so both legs of a\n"
	"mirror must; a finding names the leg.\n"
	"\n"
	"With --above and --below: judges the layer (linear, striped, mirrored, encrypted...)\n"
	"between the device of one LOG and the devices of the others: whatever a flush above\n"
	"made durable must be durable on each device below that it was written to by the time\n"
	"at which that flush was done above. Promises are not looked at.\n"
	"\n"
	"  -t, --top LOG     what was recorded above the layer; the other LOGs below it, one for\n"
	"                    each device that it uses\n"
	"  -a, --above LOG   what was recorded above the layer\n"
	"  -b, --below LOG   what was recorded below it, on one device; again for more, or all\n"
	"                    of them behind the options\n"
	"  -M, --map MAP     where the layer puts sectors: \"ABOVE LEN N BELOW\", LEN sectors from\n"
	"                    ABOVE on are those from BELOW on of the Nth lower log; again for\n"
	"                    more. Without a map, writes below are known by what they carry\n"
	"  -r, --rule RULE   true (default), or log-writes: by when a write would be in the log of\n"
	"                    dm-log-writes, to count how often that accuses a correct kernel;\n"
	"                    never a verdict, so exit code 2\n"
	"  -j, --json FILE   write everything as JSON to FILE (- is standard output)\n"
	"  -m, --max N       print at most N findings (default 20, 0: all)\n"
	"\n"
	"Exit code: 0 all promises are kept, the layer is right; 1 findings; 2 could not\n"
	"judge: a log ends before its run does (what it holds is judged and printed all the\n"
	"same), there is no promise, or a log cannot be read.\n";

struct options {
	const char *json;
	uint64_t max;
	char *log[FL_GROUP_MAX + 1];	/* above first, if there is one */
	int nr_log, nr_below;
	char upper;	/* option that named the log above: 'a' for --above, 't' for --top */
	bool log_writes;
	struct fl_layer_map map[FL_GROUP_MAX];
	unsigned int nr_map;
};

static int take_map(struct options *o, const char *text)
{
	struct fl_err err = { "" };

	if (o->nr_map == FL_GROUP_MAX)
		return cmd_usage_error("check", "more than %d --map", FL_GROUP_MAX);
	if (fl_layer_map_parse(text, &o->map[o->nr_map++], &err))
		return cmd_usage_error("check", "%s", err.msg);
	return FL_EXIT_FINE;
}

/* The log above takes the first place, those below follow. */
static int take_log(struct options *o, int c, char *path)
{
	if (c != 'b' && o->upper)
		return cmd_usage_error("check", o->upper == c && c == 'a' ? "more than one --above"
				       : "more than one log above (--top, --above)");
	if (o->nr_below >= FL_GROUP_MAX)
		return cmd_usage_error("check", "more than %d logs", FL_GROUP_MAX);
	if (c != 'b') {
		o->upper = (char)c;
		o->log[0] = path;
	} else {
		o->log[1 + o->nr_below++] = path;
	}
	return FL_EXIT_FINE;
}

/* Without --above, all logs stand behind the options. */
static int take_rest(struct options *o, int argc, char **argv)
{
	int i, rc = FL_EXIT_FINE, nr_option = o->nr_below;

	for (i = optind; i < argc && !rc; i++)
		rc = take_log(o, 'b', argv[i]);
	if (rc)
		return rc;
	if (o->upper && o->log_writes)
		return cmd_usage_error("check", "--rule is for one device's promises, not for %s",
				       o->upper == 'a' ? "--above" : "--top");
	if (o->upper != 'a' && (nr_option || o->nr_map))
		return cmd_usage_error("check", "--below and --map need --above");
	if (!o->nr_below)
		return cmd_usage_error("check", o->upper ? "no log below named" : "no log named");
	o->nr_log = o->nr_below + !!o->upper;
	if (o->nr_log > FL_GROUP_MAX)
		return cmd_usage_error("check", "more than %d logs", FL_GROUP_MAX);
	return FL_EXIT_FINE;
}

/* One option. -1: help was asked for. */
static int take(struct options *o, int c, char **argv)
{
	switch (c) {
	case 'h':
		return -1;
	case 'j':
		o->json = optarg;
		return FL_EXIT_FINE;
	case 'm':
		if (!fl_text_u64(optarg, NULL, &o->max))
			return cmd_usage_error("check", "--max %s is not a number", optarg);
		return FL_EXIT_FINE;
	case 'r':
		o->log_writes = !strcmp(optarg, "log-writes");
		if (!o->log_writes && strcmp(optarg, "true"))
			return cmd_usage_error("check", "--rule %s: true or log-writes", optarg);
		return FL_EXIT_FINE;
	case 'M':
		return take_map(o, optarg);
	case 'a':
	case 'b':
	case 't':
		return take_log(o, c, optarg);
	}
	return cmd_bad_option("check", c, argv);
}

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "max", required_argument, NULL, 'm' },
		{ "above", required_argument, NULL, 'a' },
		{ "below", required_argument, NULL, 'b' },
		{ "top", required_argument, NULL, 't' },
		{ "map", required_argument, NULL, 'M' },
		{ "rule", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, rc = FL_EXIT_FINE;

	*o = (struct options){ .max = 20 };
	while (!rc && (c = getopt_long(argc, argv, ":j:m:a:b:t:M:r:h", longs, NULL)) != -1)
		rc = take(o, c, argv);
	if (!o->max)
		o->max = UINT64_MAX;
	return rc ? rc : take_rest(o, argc, argv);
}

static int judge_layer(const struct fl_group *g, const struct options *o)
{
	struct fl_layer ly;
	struct fl_err err = { "" };
	int ret = fl_layer_run(&ly, g, o->map, o->nr_map, &err);
	int rc;

	if (!ret && !(o->json && !strcmp(o->json, "-")))
		fl_layer_report(stdout, &ly, o->max);
	if (!ret && o->json)
		ret = fl_layer_report_json(o->json, &ly, &err);
	rc = ret ? FL_EXIT_CANNOT : fl_layer_exit(&ly);
	if (ret)
		fl_print_err(&err);
	fl_layer_free(&ly);
	return rc;
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

static unsigned int group_flags(const struct options *o)
{
	/* for a layer, too: its verdict hangs on ticks, and these are checked then */
	return FL_GROUP_STAMPS | (o->log_writes ? FL_GROUP_LOG_WRITES : 0) |
	       (o->upper == 't' ? FL_GROUP_STACKED : 0);
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
	if (fl_group_open(&g, o.log + !o.upper, o.nr_log, group_flags(&o), &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = o.upper == 'a' ? judge_layer(g, &o) : judge(g, &o);
	fl_group_close(g);
	return rc;
}

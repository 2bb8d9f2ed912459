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
	"\n"
	"Tells the story of finding number FINDING, as fluxlog check LOG... counts them:\n"
	"the promise, the write, the flushes before, around and after it with ticks and\n"
	"times (in microseconds from the promise), the rule that was broken, and what\n"
	"would have made it right.\n"
	"\n"
	"  -t, --top LOG   as for fluxlog check --top: recorded above the others\n"
	"\n"
	"Exit code: 1 the finding was told (the log has findings); 2 there is no such\n"
	"finding, or the logs could not be read.\n";

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

static int open_and_tell(char **log, int nr_log, unsigned int flags, uint64_t nr)
{
	struct fl_group *g;
	struct fl_err err = { "" };
	int rc;

	if (fl_group_open(&g, log, nr_log, flags, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = tell(g, nr);
	fl_group_close(g);
	return rc;
}

int cmd_explain(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "top", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	char *top = NULL;
	uint64_t nr;
	int c;

	while ((c = getopt_long(argc, argv, ":t:h", longs, NULL)) != -1) {
		if (c == 'h') {
			fputs(cmd_explain_help, stdout);
			return FL_EXIT_FINE;
		}
		if (c != 't')
			return cmd_bad_option("explain", c, argv);
		if (top)
			return cmd_usage_error("explain", "more than one --top");
		top = optarg;
	}
	if (argc - optind < 2)
		return cmd_usage_error("explain", "a log and the number of a finding are needed");
	if (!fl_text_u64(argv[argc - 1], NULL, &nr))
		return cmd_usage_error("explain", "\"%s\" is not the number of a finding",
				       argv[argc - 1]);
	/* the place before the first log is an option's, which has been read */
	if (top)
		argv[--optind] = top;
	return open_and_tell(argv + optind, argc - optind - 1,
			     FL_GROUP_STAMPS | (top ? FL_GROUP_STACKED : 0), nr);
}

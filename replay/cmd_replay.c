// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_replay: write the image that a log gives to a file or block device.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "group.h"
#include "replay_all.h"

const char cmd_replay_help[] =
	"usage: fluxlog replay LOG TARGET\n"
	"\n"
	"Applies everything that LOG records, in the order in which it was done, to TARGET,\n"
	"a file (made anew, sparse) or a block device (zeroed first). What LOG never wrote\n"
	"comes out as zeros. Discards come out as zeros; writes that failed are left out\n"
	"and counted.\n"
	"\n"
	"Exit code: 0 TARGET holds all of it; 2 the log ends before its run does (TARGET\n"
	"holds what there is), or something could not be read or written.\n";

static int replay(const struct fl_group *g, const char *target)
{
	struct fl_err err = { "" };
	uint64_t failed = 0;

	if (fl_replay_all(&g->dev[0], target, &failed, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	printf("%s: %" PRIu64 " sectors, %u writes applied, %" PRIu64 " that failed left out\n",
	       target, g->log[0]->sup.data_sectors, g->dev[0].nr_ver - (unsigned int)failed,
	       failed);
	if (fl_group_complete(g))
		return FL_EXIT_FINE;
	fl_fail(&err, 0, "%s: %s, %s", g->log[0]->path, fl_end_name(g->log[0]->end),
		g->log[0]->end_why);
	fl_print_err(&err);
	return FL_EXIT_CANNOT;
}

int cmd_replay(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct fl_err err = { "" };
	struct fl_group *g;
	int c, rc;

	while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
		if (c != 'h')
			return cmd_bad_option("replay", c, argv);
		fputs(cmd_replay_help, stdout);
		return FL_EXIT_FINE;
	}
	if (argc - optind != 2)
		return cmd_usage_error("replay", "a log and a target are needed");
	if (fl_group_open(&g, argv + optind, 1, 0, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = replay(g, argv[optind + 1]);
	fl_group_close(g);
	return rc;
}

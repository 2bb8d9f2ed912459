// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_replay: write a crash image to a file or block device.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd.h"
#include "image_name.h"
#include "image_write.h"

const char cmd_replay_help[] =
	"usage: fluxlog replay [OPTION...] LOG... TARGET\n"
	"\n"
	"Writes the image that a device holds after a power cut to TARGET: a file (made\n"
	"anew, sparse) or a block device (each sector is written or zeroed, also behind the\n"
	"end of the image). What the log never wrote comes out as zeros or as in the base.\n"
	"\n"
	"  -t, --to CUT[/VARIANT]   which image [end/all]; the names are those of fluxlog\n"
	"                           mount, see there\n"
	"  -d, --dev N              of several logs, the device whose image it shall be\n"
	"  -b, --base FILE          shows where the log never wrote [zeros]\n"
	"\n"
	"end/all is everything that was recorded, applied in the order in which it was done:\n"
	"the device after unmount. Writes that failed float and so are applied in all, and\n"
	"discards come out as zeros; durable leaves both out.\n"
	"\n"
	"Exit code: 0 TARGET holds the image; 2 the log ends before its run does (TARGET\n"
	"holds what there is up to the cut), TARGET is a log or in use, or something could\n"
	"not be read or written.\n";

struct options {
	const char *to, *base;
	int dev;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "to", required_argument, NULL, 't' },
		{ "dev", required_argument, NULL, 'd' },
		{ "base", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t dev;
	int c;

	*o = (struct options){ .to = "end/all", .dev = -1 };
	while ((c = getopt_long(argc, argv, ":t:d:b:h", longs, NULL)) != -1) {
		if (c == 't')
			o->to = optarg;
		else if (c == 'b')
			o->base = optarg;
		else if (c == 'h')
			return -1;
		else if (c != 'd')
			return cmd_bad_option("replay", c, argv);
		else if (!cmd_number(optarg, &dev) || dev > UINT16_MAX)
			return cmd_usage_error("replay", "--dev %s is no device number", optarg);
		else
			o->dev = (int)dev;
	}
	if (argc - optind < 2)
		return cmd_usage_error("replay", "a log and a target are needed");
	return FL_EXIT_FINE;
}

static void say_done(const struct fl_image *img, const char *target)
{
	uint32_t issued = fl_issued_below(img->dev, (struct fl_cut){ .at = img->cut });
	uint32_t floating;

	free(fl_floating(img->dev, img->cut, &floating));
	printf("%s: %" PRIu64 " sectors, %u writes issued by then, %u of them floating\n",
	       target, img->dev->log->sup.data_sectors, issued, floating);
}

/* 2 for what ends early, after it was written all the same. */
static int say_ends(const struct fl_group *g)
{
	struct fl_err err;
	unsigned int i;
	int rc = FL_EXIT_FINE;

	for (i = 0; i < g->nr; i++) {
		if (g->log[i]->end == FL_END_COMPLETE)
			continue;
		fl_fail(&err, 0, "%s: %s, %s", g->log[i]->path, fl_end_name(g->log[i]->end),
			g->log[i]->end_why);
		fl_print_err(&err);
		rc = FL_EXIT_CANNOT;
	}
	return rc;
}

static int replay(const struct fl_group *g, const struct options *o, const char *target)
{
	struct fl_err err = { "" };
	struct fl_cuts cuts;
	struct fl_image img;
	int ret, base;

	fl_cuts_build(&cuts, g);
	ret = fl_base_open(o->base, &base, &err);
	if (!ret)
		ret = fl_image_find(&img, &cuts, o->to, o->dev, &err);
	if (!ret)
		ret = fl_image_write(&img, g, base, target, &err);
	if (ret)
		fl_print_err(&err);
	else
		say_done(&img, target);
	if (base >= 0)
		close(base);
	fl_cuts_free(&cuts);
	return ret ? FL_EXIT_CANNOT : say_ends(g);
}

int cmd_replay(int argc, char **argv)
{
	struct fl_err err = { "" };
	struct options o;
	struct fl_group *g;
	int rc = parse(argc, argv, &o);

	if (rc < 0)
		fputs(cmd_replay_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	if (fl_group_open(&g, argv + optind, argc - optind - 1, 0, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = replay(g, &o, argv[argc - 1]);
	fl_group_close(g);
	return rc;
}

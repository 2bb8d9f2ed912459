// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_diff: where two crash images differ, and by which writes.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "image_diff.h"
#include "image_name.h"
#include "image_xfs.h"

const char cmd_diff_help[] =
	"usage: fluxlog diff [OPTION...] LOG... A B\n"
	"\n"
	"Says in which extents the crash images A and B (CUT/VARIANT, see fluxlog help\n"
	"mount) differ by their bytes, and what each has there: a record, by its issue\n"
	"tick, or the base, which no record has changed.\n"
	"\n"
	"  -b, --base FILE   shows where the log never wrote [zeros]\n"
	"  -d, --dev N       of several logs, the device whose images they are\n"
	"  -F, --fs xfs      also say what the extents belong to, as far as xfs_db can tell:\n"
	"                    it reads the metadata of each image as they are, without log\n"
	"                    recovery; mounts the images, so needs root or fusermount3\n"
	"\n"
	"Exit code: 0 they are the same; 1 they differ; 2 could not compare.\n";

struct options {
	const char *base;
	int dev;
	bool xfs;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "dev", required_argument, NULL, 'd' },
		{ "fs", required_argument, NULL, 'F' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t dev;
	int c;

	*o = (struct options){ .dev = -1 };
	while ((c = getopt_long(argc, argv, ":b:d:F:h", longs, NULL)) != -1) {
		if (c == 'b')
			o->base = optarg;
		else if (c == 'h')
			return -1;
		else if (c == 'F' && strcmp(optarg, "xfs"))
			return cmd_usage_error("diff", "--fs %s: only xfs", optarg);
		else if (c == 'F')
			o->xfs = true;
		else if (c != 'd')
			return cmd_bad_option("diff", c, argv);
		else if (!cmd_number(optarg, &dev) || dev > UINT16_MAX)
			return cmd_usage_error("diff", "--dev %s is no device number", optarg);
		else
			o->dev = (int)dev;
	}
	if (argc - optind < 3)
		return cmd_usage_error("diff", "a log and two crash images are needed");
	return FL_EXIT_FINE;
}

static const char *describe(char *buf, size_t n, const struct fl_ver *v, uint64_t cut)
{
	if (!v)
		return "base";
	snprintf(buf, n, "%s %" PRIu64 "%s%s", fl_kind_name(v->rec->kind), v->rec->issue,
		 v->rec->status ? ", failed" : "", v->dur > cut ? ", floating" : "");
	return buf;
}

/* What sector @sector of extent @e belongs to in both images. */
static void describe_owner(char *buf, size_t n, const struct fl_xfs x[2],
			   const struct fl_extent *e, const size_t before[2], uint64_t sector)
{
	char text[2][1200];
	const char *words[2];
	int i;

	for (i = 0; i < 2; i++)
		words[i] = fl_xfs_words(text[i], sizeof(text[i]), &x[i],
					fl_xfs_place(&x[i], e, before[i], sector), sector);
	if (strcmp(words[0], words[1]))
		snprintf(buf, n, "A: %s; B: %s", words[0], words[1]);
	else
		snprintf(buf, n, "%s", words[0]);
}

/* A line for each run of sectors that belong to one thing. */
static void print_owners(const struct fl_xfs x[2], const struct fl_extent *e,
			 const size_t before[2])
{
	char now[2500], next[2500] = "";
	uint64_t run = 0, i;

	describe_owner(now, sizeof(now), x, e, before, e->sector);
	for (i = 0; i < e->nr; i++, run++) {
		describe_owner(next, sizeof(next), x, e, before, e->sector + i);
		if (!strcmp(now, next))
			continue;
		printf("%12s %8" PRIu64 "  %s\n", "", run, now);
		memcpy(now, next, sizeof(now));
		run = 0;
	}
	printf("%12s %8" PRIu64 "  %s\n", "", run, now);
}

static void print_diff(const struct fl_diff *d, const struct fl_image img[2],
		       const struct fl_xfs *x)
{
	size_t i, k, before[2] = { 0, 0 };
	char a[80], b[80];

	if (d->nr)
		printf("%12s %8s  %-28s %s\n", "sector", "sectors", "A", "B");
	for (i = 0; i < d->nr; i++) {
		const struct fl_extent *e = &d->extent[i];

		printf("%12" PRIu64 " %8" PRIu64 "  %-28s %s\n", e->sector, e->nr,
		       describe(a, sizeof(a), e->a, img[0].cut),
		       describe(b, sizeof(b), e->b, img[1].cut));
		if (!x)
			continue;
		print_owners(x, e, before);
		for (k = 0; k < 2; k++)
			before[k] += fl_xfs_blocks(&x[k], e);
	}
	if (d->nr)
		printf("%zu extents, %" PRIu64 " sectors differ\n", d->nr, d->sectors);
	else
		printf("the same: %" PRIu64 " sectors\n", img[0].dev->log->sup.data_sectors);
}

static int compare(const struct fl_cuts *cuts, const struct options *o, char *const id[2],
		   int base, struct fl_err *err)
{
	struct fl_xfs x[2] = { { .nr = 0 }, { .nr = 0 } };
	struct fl_diff d = { .nr = 0 };
	struct fl_image img[2];
	int i, ret = 0, differ;

	for (i = 0; i < 2 && !ret; i++)
		ret = fl_image_find(&img[i], cuts, id[i], o->dev, err);
	if (!ret)
		ret = fl_image_diff(&d, &img[0], &img[1], base, err);
	if (!ret && o->xfs && d.nr)
		ret = fl_xfs_ask(x, cuts, img, base, &d, err);
	if (!ret)
		print_diff(&d, img, o->xfs ? x : NULL);
	differ = d.nr > 0;
	fl_xfs_free(&x[0]);
	fl_xfs_free(&x[1]);
	free(d.extent);
	return ret ? ret : differ;
}

static int diff(const struct fl_group *g, const struct options *o, char *const id[2])
{
	struct fl_err err = { "" };
	struct fl_cuts cuts;
	int ret, base;

	fl_cuts_build(&cuts, g);
	ret = fl_base_open(o->base, &base, &err);
	if (!ret)
		ret = compare(&cuts, o, id, base, &err);
	if (ret < 0)
		fl_print_err(&err);
	if (base >= 0)
		close(base);
	fl_cuts_free(&cuts);
	return ret < 0 ? FL_EXIT_CANNOT : ret ? FL_EXIT_FINDINGS : FL_EXIT_FINE;
}

int cmd_diff(int argc, char **argv)
{
	struct fl_err err = { "" };
	struct options o;
	struct fl_group *g;
	int rc = parse(argc, argv, &o);

	if (rc < 0)
		fputs(cmd_diff_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	if (fl_group_open(&g, argv + optind, argc - optind - 2, 0, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	rc = diff(g, &o, argv + argc - 2);
	fl_group_close(g);
	return rc;
}

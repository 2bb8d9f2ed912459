// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_diff: where two crash images differ, and by which writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "image_diff.h"
#include "image_name.h"

const char cmd_diff_help[] =
	"usage: fluxlog diff [OPTION...] LOG... A B\n"
	"\n"
	"Says in which extents the crash images A and B (CUT/VARIANT, see fluxlog help\n"
	"mount) differ by their bytes, and what each has there: a record, by its issue\n"
	"tick, or the base, which no record has changed.\n"
	"\n"
	"  -b, --base FILE   shows where the log never wrote [zeros]\n"
	"  -d, --dev N       of several logs, the device whose images they are\n"
	"\n"
	"Exit code: 0 they are the same; 1 they differ; 2 could not compare.\n";

struct options {
	const char *base;
	int dev;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "dev", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t dev;
	int c;

	*o = (struct options){ .dev = -1 };
	while ((c = getopt_long(argc, argv, ":b:d:h", longs, NULL)) != -1) {
		if (c == 'b')
			o->base = optarg;
		else if (c == 'h')
			return -1;
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

static void print_diff(const struct fl_diff *d, const struct fl_image img[2])
{
	char a[80], b[80];
	size_t i;

	if (d->nr)
		printf("%12s %8s  %-28s %s\n", "sector", "sectors", "A", "B");
	for (i = 0; i < d->nr; i++) {
		const struct fl_extent *e = &d->extent[i];

		printf("%12" PRIu64 " %8" PRIu64 "  %-28s %s\n", e->sector, e->nr,
		       describe(a, sizeof(a), e->a, img[0].cut),
		       describe(b, sizeof(b), e->b, img[1].cut));
	}
	if (d->nr)
		printf("%zu extents, %" PRIu64 " sectors differ\n", d->nr, d->sectors);
	else
		printf("the same: %" PRIu64 " sectors\n", img[0].dev->log->sup.data_sectors);
}

static int open_base(const char *path, int *fd, struct fl_err *err)
{
	*fd = -1;
	if (!path)
		return 0;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? fl_fail(err, errno, "%s: %s", path, strerror(errno)) : 0;
}

static int diff(const struct fl_group *g, const struct options *o, char *const id[2])
{
	struct fl_diff d = { .nr = 0 };
	struct fl_err err = { "" };
	struct fl_image img[2];
	struct fl_cuts cuts;
	int ret, base, i;

	fl_cuts_build(&cuts, g);
	ret = open_base(o->base, &base, &err);
	for (i = 0; i < 2 && !ret; i++)
		ret = fl_image_find(&img[i], &cuts, id[i], o->dev, &err);
	if (!ret)
		ret = fl_image_diff(&d, &img[0], &img[1], base, &err);
	if (ret)
		fl_print_err(&err);
	else
		print_diff(&d, img);
	free(d.extent);
	if (base >= 0)
		close(base);
	fl_cuts_free(&cuts);
	return ret ? FL_EXIT_CANNOT : d.nr ? FL_EXIT_FINDINGS : FL_EXIT_FINE;
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

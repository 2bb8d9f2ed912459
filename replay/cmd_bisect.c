// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_bisect: why a crash image fails.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "report.h"
#include "walk_bisect.h"
#include "walk_setup.h"

const char cmd_bisect_help[] =
	"usage: fluxlog bisect [OPTION...] LOG... CUT[/VARIANT]\n"
	"\n"
	"For a cut at which fluxlog verify finds something: the smallest set of floating\n"
	"writes whose loss, or whose arrival, makes the image fail, and the last good and\n"
	"the first bad flush point up to the cut.\n"
	"\n"
	"  --fsck, --fsck-cmd CMD, --mount-cmd CMD, --mount-opts O, --timeout S,\n"
	"  --base FILE, -j, --jobs N   as for fluxlog verify\n"
	"\n"
	"Exit code: 0 the cut is good; 1 it fails, and this is why; 2 could not judge.\n";

enum { OPT_FSCK = 256, OPT_FSCK_CMD, OPT_MOUNT_CMD, OPT_MOUNT_OPTS, OPT_TIMEOUT, OPT_BASE };

static const struct option longs[] = {
	{ "fsck", no_argument, NULL, OPT_FSCK },
	{ "fsck-cmd", required_argument, NULL, OPT_FSCK_CMD },
	{ "mount-cmd", required_argument, NULL, OPT_MOUNT_CMD },
	{ "mount-opts", required_argument, NULL, OPT_MOUNT_OPTS },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "jobs", required_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct options {
	struct fl_judge_opts judge;
	struct fl_walk_opts walk;
	const char *base;
	uint64_t jobs;
	bool help;
};

static int parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){
		.judge = { .how = FL_COMPARE_ASK, .mount_opts = "" },
		.walk = { .timeout_s = 120, .journal = -1 },
		.jobs = 4 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	while ((c = getopt_long(argc, argv, ":j:h", longs, NULL)) != -1) {
		switch (c) {
		case OPT_FSCK: o->judge.fsck = true; break;
		case OPT_FSCK_CMD: o->judge.fsck_cmd = optarg; break;
		case OPT_MOUNT_CMD: o->judge.mount_cmd = optarg; break;
		case OPT_MOUNT_OPTS: o->judge.mount_opts = optarg; break;
		case OPT_BASE: o->base = optarg; break;
		case 'h': o->help = true; break;
		case OPT_TIMEOUT:
		case 'j':
			if (!cmd_number(optarg, c == 'j' ? &o->jobs : &o->walk.timeout_s) ||
			    !o->jobs || !o->walk.timeout_s)
				return cmd_usage_error("bisect", "\"%s\" makes no sense", optarg);
			break;
		default:
			return cmd_bad_option("bisect", c, argv);
		}
	}
	o->walk.jobs = (unsigned int)(o->jobs < 64 ? o->jobs : 64);
	if (!o->help && argc - optind < 2)
		return cmd_usage_error("bisect", "a log and a cut are needed");
	return FL_EXIT_FINE;
}

/* ---- telling -------------------------------------------------------------------- */

static void tell_write(const struct fl_setup *s, uint64_t issue)
{
	char buf[FL_LINE];
	unsigned int d;

	for (d = 0; d < s->g->nr; d++) {
		const struct fl_dev *dev = &s->g->dev[d];
		uint32_t n = fl_issued_below(dev, (struct fl_cut){ .at = issue });

		if (n && dev->ver[n - 1].rec->issue == issue)
			printf("  %s\n", fl_say_write(buf, s->g, d, &dev->ver[n - 1]));
	}
}

static void tell_flush(const struct fl_setup *s, const char *what, uint64_t nr)
{
	if (nr)
		printf("%s  flush-%" PRIu64 " (tick %" PRIu64 ")\n", what, nr,
		       s->cuts.flush[nr - 1]);
	else
		printf("%s  none up to this cut\n", what);
}

static void tell(const struct fl_setup *s, const struct fl_bisect *b, const char *cut)
{
	static const char *const what[] = {
		[FL_BISECT_GOOD] = "is good, with everything that floats and without",
		[FL_BISECT_LOSS] = "fails when this is lost:",
		[FL_BISECT_ARRIVAL] = "fails when this arrives:",
		[FL_BISECT_ALWAYS] = "fails whatever becomes of the floating writes",
	};
	unsigned int i;

	printf("cut %s %s\n", cut, what[b->what]);
	for (i = 0; i < b->nr_set; i++)
		tell_write(s, b->set[i]);
	if (b->nr_alone)
		printf("and so does each of these alone:\n");
	for (i = 0; i < b->nr_alone; i++)
		tell_write(s, b->alone[i]);
	if (b->what != FL_BISECT_GOOD) {
		printf("flush points, %s images\n",
		       b->kind == FL_ALL ? "\"all\"" : "\"durable\"");
		tell_flush(s, "  last good ", b->last_good);
		tell_flush(s, "  first bad ", b->first_bad);
	}
	printf("(%" PRIu64 " images judged)\n", b->images);
}

static int bisect(struct fl_setup *s, struct options *o, const char *id, struct fl_err *err)
{
	const char *slash = strchr(id, '/');
	struct fl_variant given;
	struct fl_bisect b;
	uint64_t cut;

	fl_setup_judge(s, &o->judge);
	if (fl_cut_find(&s->cuts, id, slash ? (size_t)(slash - id) : strlen(id), &cut, err) ||
	    (slash && fl_variant_parse(&given, slash + 1, err)) ||
	    fl_bisect(&b, &o->judge, &o->walk, s->where.birth, cut, slash ? &given : NULL, err))
		return FL_EXIT_CANNOT;
	tell(s, &b, id);
	return b.what == FL_BISECT_GOOD ? FL_EXIT_FINE : FL_EXIT_FINDINGS;
}

int cmd_bisect(int argc, char **argv)
{
	struct options o;
	struct fl_setup s;
	struct fl_err err = { "" };
	int rc = parse(argc, argv, &o);

	if (rc)
		return rc;
	if (o.help) {
		fputs(cmd_bisect_help, stdout);
		return FL_EXIT_FINE;
	}
	rc = FL_EXIT_CANNOT;
	if (!fl_setup_open(&s, argv + optind, argc - optind - 1, o.base, &err)) {
		rc = bisect(&s, &o, argv[argc - 1], &err);
		fl_setup_close(&s);
	}
	if (err.msg[0])
		fl_print_err(&err);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_verify: the filesystem-level walk over crash images.
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
#include "walk.h"
#include "walk_setup.h"

#define TIMEOUT 120	/* seconds for one image, unless told; in the help as well */

const char cmd_verify_help[] =
	"usage: fluxlog verify [OPTION...] LOG...\n"
	"\n"
	"Takes crash images of the LOGs one by one, mounts each (log recovery), compares\n"
	"every promise in force with what the files say, and unmounts it. Needs root and a\n"
	"kernel with the filesystem, loop and FUSE. XFS, ext4, btrfs; an external XFS log or\n"
	"ext4 journal is found among the LOGs.\n"
	"\n"
	"which images\n"
	"  --cuts LIST       flush (every flush point; default), promise, mark, all (every\n"
	"                    tick), a number (that many flush points, evenly spread), a cut,\n"
	"                    or A..B (flush points from cut A to cut B); several with commas\n"
	"  --images LIST     durable, all, suspicious (what check finds suspicious), seed=A..B,\n"
	"                    or any variant of fluxlog help mount; default\n"
	"                    durable,all,suspicious\n"
	"  --base FILE       what the filesystem's device held before the log began\n"
	"  --shard K/N       only every N-th image, from the K-th on; see fluxlog merge\n"
	"\n"
	"how they are judged\n"
	"  --compare HOW     ask (the filesystem where blocks lie, the log what they hold; read\n"
	"                    what recovery wrote; default), read (every promised byte), both\n"
	"  --fsck            run the check-only fsck after recovery\n"
	"  --fsck-cmd CMD    another one; %d is the device\n"
	"  --mount-cmd CMD   another way to mount; %d is the device, %m the folder\n"
	"  --mount-opts O    more mount options\n"
	"  --timeout S       seconds for one image (default 120)\n"
	"\n"
	"the walk\n"
	"  -j, --jobs N      images at the same time (default 4 a processor)\n"
	"  --order O         up (default), down, random, random=SEED; results are the same\n"
	"  --journal FILE    keep finished images there, and go on from there\n"
	"  --max-findings N  end after N bad images\n"
	"  --time-limit S    end after S seconds, and say what was not visited\n"
	"\n"
	"output\n"
	"  --json FILE       all results as JSON lines (- is standard output)\n"
	"  --ktap            results as KTAP on standard output\n"
	"  -m, --max N       print at most N bad images (default 10, 0: all)\n"
	"\n"
	"Exit code: 0 all images are good; 1 findings; 2 could not judge, or not all of it.\n";

enum {
	OPT_CUTS = 256, OPT_IMAGES, OPT_BASE, OPT_SHARD, OPT_COMPARE, OPT_FSCK, OPT_FSCK_CMD,
	OPT_MOUNT_CMD, OPT_MOUNT_OPTS, OPT_TIMEOUT, OPT_ORDER, OPT_JOURNAL, OPT_MAX_FINDINGS,
	OPT_TIME_LIMIT, OPT_JSON, OPT_KTAP,
};

static const struct option longs[] = {
	{ "cuts", required_argument, NULL, OPT_CUTS },
	{ "images", required_argument, NULL, OPT_IMAGES },
	{ "base", required_argument, NULL, OPT_BASE },
	{ "shard", required_argument, NULL, OPT_SHARD },
	{ "compare", required_argument, NULL, OPT_COMPARE },
	{ "fsck", no_argument, NULL, OPT_FSCK },
	{ "fsck-cmd", required_argument, NULL, OPT_FSCK_CMD },
	{ "mount-cmd", required_argument, NULL, OPT_MOUNT_CMD },
	{ "mount-opts", required_argument, NULL, OPT_MOUNT_OPTS },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "jobs", required_argument, NULL, 'j' },
	{ "order", required_argument, NULL, OPT_ORDER },
	{ "journal", required_argument, NULL, OPT_JOURNAL },
	{ "max-findings", required_argument, NULL, OPT_MAX_FINDINGS },
	{ "time-limit", required_argument, NULL, OPT_TIME_LIMIT },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "ktap", no_argument, NULL, OPT_KTAP },
	{ "max", required_argument, NULL, 'm' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct options {
	struct fl_plan_opts plan;
	struct fl_judge_opts judge;
	struct fl_walk_opts walk;
	const char *base, *journal, *json, *how, *timeout;
	uint64_t jobs, max;
	bool ktap, help;
};

/* ---- arguments ----------------------------------------------------------------- */

static bool parse_shard(const char *s, struct fl_plan_opts *o)
{
	char *slash = strchr(s, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return cmd_number(s, &o->shard) && cmd_number(slash + 1, &o->shards) && o->shard &&
	       o->shard <= o->shards;
}

static bool parse_compare(const char *s, struct options *o)
{
	static const char *const names[] = {
		[FL_COMPARE_READ] = "read", [FL_COMPARE_ASK] = "ask", [FL_COMPARE_BOTH] = "both",
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (strcmp(s, names[i]))
			continue;
		o->judge.how = (enum fl_compare_how)i;
		o->how = names[i];
		return true;
	}
	return false;
}

static bool parse_order(const char *s, struct fl_walk_opts *o)
{
	if (!strncmp(s, "random=", 7) && !cmd_number(s + 7, &o->seed))
		return false;
	o->order = !strcmp(s, "down") ? FL_WALK_DOWN : !strncmp(s, "random", 6) ? FL_WALK_RANDOM
									      : FL_WALK_UP;
	return !strcmp(s, "up") || o->order == FL_WALK_DOWN || !strcmp(s, "random") ||
	       !strncmp(s, "random=", 7);
}

/* Options whose value must make sense; false: it does not. */
static bool take_value(struct options *o, int c, char *v)
{
	switch (c) {
	case OPT_SHARD:
		return parse_shard(v, &o->plan);
	case OPT_COMPARE:
		return parse_compare(v, o);
	case OPT_ORDER:
		return parse_order(v, &o->walk);
	case OPT_TIMEOUT:
		return cmd_number(v, &o->walk.timeout_s) && o->walk.timeout_s;
	case OPT_TIME_LIMIT:
		return cmd_number(v, &o->walk.time_limit_s);
	case OPT_MAX_FINDINGS:
		return cmd_number(v, &o->walk.max_findings);
	case 'j':
		return cmd_number(v, &o->jobs) && o->jobs;
	case 'm':
		return cmd_number(v, &o->max);
	}
	return true;
}

static void take_text(struct options *o, int c, const char *v)
{
	switch (c) {
	case OPT_CUTS: o->plan.cuts = v; break;
	case OPT_IMAGES: o->plan.images = v; break;
	case OPT_BASE: o->base = v; break;
	case OPT_FSCK: o->judge.fsck = true; break;
	case OPT_FSCK_CMD: o->judge.fsck_cmd = v; break;
	case OPT_MOUNT_CMD: o->judge.mount_cmd = v; break;
	case OPT_MOUNT_OPTS: o->judge.mount_opts = v; break;
	case OPT_TIMEOUT: o->timeout = v; break;
	case OPT_JOURNAL: o->journal = v; break;
	case OPT_JSON: o->json = v; break;
	case OPT_KTAP: o->ktap = true; break;
	case 'h': o->help = true; break;
	}
}

static int parse(int argc, char **argv, struct options *o)
{
	int c;

	*o = (struct options){
		.plan = { .cuts = "flush", .images = "durable,all,suspicious", .shard = 1,
			  .shards = 1 },
		.judge = { .how = FL_COMPARE_ASK, .mount_opts = "" },
		.walk = { .timeout_s = TIMEOUT, .seed = 1, .journal = -1 },
		.how = "ask", .max = 10,
		.jobs = 4 * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	while ((c = getopt_long(argc, argv, ":j:m:h", longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return cmd_bad_option("verify", c, argv);
		if (!take_value(o, c, optarg))
			return cmd_usage_error("verify", "%s: \"%s\" makes no sense",
					       argv[optind - (optarg == argv[optind - 1] ? 2 : 1)],
					       optarg);
		take_text(o, c, optarg);
	}
	o->max = o->max ? o->max : UINT64_MAX;
	o->walk.jobs = (unsigned int)(o->jobs < 64 ? o->jobs : 64);
	if (!o->help && optind == argc)
		return cmd_usage_error("verify", "no log named");
	return FL_EXIT_FINE;
}

/* ---- the journal --------------------------------------------------------------- */

/* Take over what an earlier walk of the same finished; -errno if it was another walk. */
static int read_journal(struct fl_walk *w, FILE *f, const struct fl_walk_head *h,
			const char *path, struct fl_err *err)
{
	struct fl_walk_head old;
	struct fl_result r;
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (getline(&line, &room, f) <= 0) {
		free(line);
		return 0;
	}
	if (fl_head_parse(line, &old) || strcmp(old.what, h->what) || old.shard != h->shard ||
	    old.shards != h->shards)
		ret = fl_fail(err, EINVAL, "%s: the journal of another walk", path);
	while (!ret && getline(&line, &room, f) > 0) {
		if (fl_line_parse(line, &r))
			continue;	/* cut off when the walk was killed */
		if (r.verdict == FL_POINT_ERROR || !fl_walk_resume(w, &r))
			fl_result_free(&r);
	}
	free(line);
	return ret;
}

/* Rewrite the journal without a torn last line, and leave it open for appending. */
static int open_journal(struct fl_walk *w, struct options *o, const struct fl_walk_head *h,
			struct fl_err *err)
{
	FILE *f = fopen(o->journal, "re");
	int ret = 0;

	if (!f && errno != ENOENT)
		return fl_fail(err, errno, "%s: %s", o->journal, strerror(errno));
	if (f) {
		ret = read_journal(w, f, h, o->journal, err);
		fclose(f);
	}
	if (!ret)
		ret = fl_walk_write(o->journal, h, w->result, w->plan->nr, err);
	if (ret)
		return ret;
	o->walk.journal = open(o->journal, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (o->walk.journal < 0)
		return fl_fail(err, errno, "%s: %s", o->journal, strerror(errno));
	return 0;
}

/* ---- the walk ------------------------------------------------------------------ */

static int report(const struct fl_walk *w, const struct fl_walk_head *h,
		  const struct options *o, struct fl_err *err)
{
	bool quiet = o->ktap || (o->json && !strcmp(o->json, "-"));
	double rate = w->seconds > 0 ? (double)w->visited_now / w->seconds : 0;
	struct fl_tally t;
	int ret = 0;

	if (o->json)
		ret = fl_walk_write(o->json, h, w->result, w->plan->nr, err);
	if (o->ktap)
		fl_walk_ktap(stdout, w->result, w->plan->nr);
	if (!quiet) {
		fl_walk_print(stdout, h, w->result, w->plan->nr, o->max, rate, w->why_ended);
		if (w->resumed)
			printf("\n(%" PRIu64 " images were judged by an earlier run.)\n",
			       w->resumed);
	}
	fl_tally(&t, w->result, w->plan->nr);
	return ret ? FL_EXIT_CANNOT : fl_walk_exit(h, &t);
}

static int walk(struct fl_setup *s, struct options *o, struct fl_walk_head *h,
		const struct fl_plan *plan, struct fl_err *err)
{
	struct fl_walk w;
	int rc = FL_EXIT_CANNOT, ret = 0;

	fl_setup_judge(s, &o->judge);
	fl_walk_init(&w, plan);
	if (o->journal)
		ret = open_journal(&w, o, h, err);
	if (!ret)
		ret = fl_walk_run(&w, &o->judge, &o->walk, err);
	if (!ret)
		rc = report(&w, h, o, err);
	if (o->walk.journal >= 0)
		close(o->walk.journal);
	fl_walk_free(&w);
	return rc;
}

/* What results depend on: shards and journals belong together iff it is the same. */
static void say_how(char *how, size_t n, const struct options *o)
{
	const struct fl_judge_opts *j = &o->judge;

	snprintf(how, n, "cuts=%s images=%s compare=%s fsck=%s mount-opts=%s%s%s%s",
		 o->plan.cuts, o->plan.images, o->how,
		 j->fsck_cmd ? j->fsck_cmd : j->fsck ? "yes" : "no", j->mount_opts,
		 o->base ? " base" : "", j->mount_cmd ? " mount-cmd=" : "",
		 j->mount_cmd ? j->mount_cmd : "");
}

static void say_again(struct fl_walk_head *h, const struct options *o)
{
	const struct fl_judge_opts *j = &o->judge;

	if (strcmp(o->how, "ask"))
		fl_head_again(h, "--compare", o->how);
	if (j->fsck_cmd)
		fl_head_again(h, "--fsck-cmd", j->fsck_cmd);
	else if (j->fsck)
		fl_head_again(h, "--fsck", NULL);
	if (j->mount_cmd)
		fl_head_again(h, "--mount-cmd", j->mount_cmd);
	if (j->mount_opts[0])
		fl_head_again(h, "--mount-opts", j->mount_opts);
	if (o->walk.timeout_s != TIMEOUT)
		fl_head_again(h, "--timeout", o->timeout);
	if (o->base)
		fl_head_again(h, "--base", o->base);
}

static int verify(struct fl_setup *s, struct options *o, char **log, int nr,
		  struct fl_err *err)
{
	struct fl_walk_head h;
	struct fl_plan plan;
	char how[512];
	int rc = FL_EXIT_CANNOT;

	o->plan.birth = s->where.birth;
	o->plan.based = s->based;
	say_how(how, sizeof(how), o);
	fl_setup_head(s, &h, log, nr, how);
	say_again(&h, o);
	if (!fl_plan_build(&plan, &s->cuts, &s->ck, &o->plan, err)) {
		h.shard = o->plan.shard;
		h.shards = o->plan.shards;
		h.points = plan.nr;
		h.unborn = plan.unborn;
		rc = walk(s, o, &h, &plan, err);
	}
	fl_plan_free(&plan);
	return rc;
}

int cmd_verify(int argc, char **argv)
{
	struct options o;
	struct fl_setup s;
	struct fl_err err = { "" };
	int rc = parse(argc, argv, &o);

	if (rc)
		return rc;
	if (o.help) {
		fputs(cmd_verify_help, stdout);
		return FL_EXIT_FINE;
	}
	rc = FL_EXIT_CANNOT;
	if (!fl_setup_open(&s, argv + optind, argc - optind, o.base, &err)) {
		rc = verify(&s, &o, argv + optind, argc - optind, &err);
		fl_setup_close(&s);
	}
	if (err.msg[0])
		fl_print_err(&err);
	return rc;
}

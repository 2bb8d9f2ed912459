// SPDX-License-Identifier: GPL-2.0
/*
 * load_opts: the command line of fluxlog-load.
 *
 * Takes   argc and argv.
 * Gives   a struct load_opts in which every field is set and allowed.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fluxlog_load.h"

#define LOAD_MAX_THREADS	1024
#define LOAD_MAX_BS		(64U << 20)
#define LOAD_MAX_SYNC_EVERY	65536
#define LOAD_MAX_MARK		200

static const char help[] =
"usage: fluxlog-load --dir DIR [option]...\n"
"\n"
"Writes files whose sectors describe themselves and, after each sync call that\n"
"returns 0, promises the bytes written since the one before it.\n"
"\n"
"  --dir DIR             where the files are made; must exist\n"
"  --threads N           writers (1)\n"
"  --ops N               writes of each (1000)\n"
"  --bs BYTES            bytes of a write, a multiple of 512 (4096)\n"
"  --mode append         each write extends the file (this is the default)\n"
"  --mode overwrite      each write replaces a block chosen at random\n"
"  --file-blocks N       overwrite: blocks of each thread (256)\n"
"  --files own|shared    a file for each thread (default), or one for all, in\n"
"                        which each block still belongs to one thread\n"
"  --sync fsync|fdatasync|dsync|mixed\n"
"                        what acknowledges a write; dsync: O_DSYNC; mixed: the\n"
"                        first writer fsync, the next fdatasync, and so on (fsync)\n"
"  --sync-every N        writes before each sync, not with dsync (1)\n"
"  --no-sync             sync nothing and promise all the same: the negative\n"
"                        control, which a checker must object to\n"
"  --io buffered|direct|dontcache\n"
"                        dontcache: RWF_DONTCACHE, from Linux 6.14 on (buffered)\n"
"  --think-ms N          pause before each write (0)\n"
"  --promise dm:NAME     send promises to the fluxlog target NAME\n"
"  --promise file:PATH   append promises to a file, a line each\n"
"  --promise none        keep them (this is the default)\n"
"  --mark TEXT           a mark for the log before the first write, after overwrite\n"
"                        has filled its files; needs --promise dm:NAME\n"
"  --run N               number of the run, in stamps, promises and file names;\n"
"                        must be new in DIR (milliseconds since 1970)\n"
"  --seed N              for the choice of blocks (1)\n"
"  --give-up N           failures in a row after which a writer ends, 0 for never (16)\n"
"  --progress SECONDS    between progress lines on stderr, 0 for none (5)\n"
"  --help                this text\n"
"\n"
"Exit status: 0 every call succeeded, 1 some failed (they are counted), 2 could\n"
"not run.\n";

/* A table of words, ended by NULL; the index is the value. */
static const char *const mode_words[] = { "append", "overwrite", NULL };
static const char *const sync_words[] = { "fsync", "fdatasync", "dsync", "mixed", NULL };
static const char *const io_words[] = { "buffered", "direct", "dontcache", NULL };
static const char *const files_words[] = { "own", "shared", NULL };

static int parse_word(unsigned int *out, const char *opt, const char *arg,
		      const char *const *words, struct fl_err *err)
{
	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(words[i], arg)) {
			*out = i;
			return 0;
		}
	}
	return fl_fail(err, EINVAL, "--%s %s: no such choice (see --help)", opt, arg);
}

static int parse_bool(bool *out, const char *opt, const char *arg,
		      const char *const *words, struct fl_err *err)
{
	unsigned int v = 0;
	int ret = parse_word(&v, opt, arg, words, err);

	*out = v == 1;
	return ret;
}

static int parse_num(uint64_t *out, const char *opt, const char *arg,
		     uint64_t min, uint64_t max, struct fl_err *err)
{
	char *end;

	errno = 0;
	*out = strtoull(arg, &end, 10);
	if (arg[0] < '0' || arg[0] > '9' || *end)
		return fl_fail(err, EINVAL, "--%s %s: not a number", opt, arg);
	if (errno || *out < min || *out > max)
		return fl_fail(err, EINVAL, "--%s %s: not within %" PRIu64 " to %" PRIu64,
			       opt, arg, min, max);
	return 0;
}

static int parse_promise(struct load_opts *o, const char *arg, struct fl_err *err)
{
	const char *colon = strchr(arg, ':');

	o->sink_name = colon ? colon + 1 : "";
	if (!strcmp(arg, "none"))
		o->sink = LOAD_SINK_NONE;
	else if (!strncmp(arg, "dm:", 3) && *o->sink_name)
		o->sink = LOAD_SINK_DM;
	else if (!strncmp(arg, "file:", 5) && *o->sink_name)
		o->sink = LOAD_SINK_FILE;
	else
		return fl_fail(err, EINVAL,
			       "--promise %s: not dm:NAME, file:PATH or none", arg);
	return 0;
}

enum { OPT_DIR = 256, OPT_THREADS, OPT_OPS, OPT_BS, OPT_MODE, OPT_FILE_BLOCKS,
       OPT_FILES, OPT_SYNC, OPT_SYNC_EVERY, OPT_NO_SYNC, OPT_IO, OPT_PROMISE,
       OPT_RUN, OPT_SEED, OPT_GIVE_UP, OPT_THINK_MS, OPT_MARK,
       OPT_PROGRESS, OPT_HELP };

static const struct option options[] = {
	{ "dir", required_argument, NULL, OPT_DIR },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "ops", required_argument, NULL, OPT_OPS },
	{ "bs", required_argument, NULL, OPT_BS },
	{ "mode", required_argument, NULL, OPT_MODE },
	{ "file-blocks", required_argument, NULL, OPT_FILE_BLOCKS },
	{ "files", required_argument, NULL, OPT_FILES },
	{ "sync", required_argument, NULL, OPT_SYNC },
	{ "sync-every", required_argument, NULL, OPT_SYNC_EVERY },
	{ "no-sync", no_argument, NULL, OPT_NO_SYNC },
	{ "io", required_argument, NULL, OPT_IO },
	{ "promise", required_argument, NULL, OPT_PROMISE },
	{ "run", required_argument, NULL, OPT_RUN },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "give-up", required_argument, NULL, OPT_GIVE_UP },
	{ "mark", required_argument, NULL, OPT_MARK },
	{ "think-ms", required_argument, NULL, OPT_THINK_MS },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 }
};

static int parse_choice(struct load_opts *o, int opt, const char *arg,
			struct fl_err *err)
{
	unsigned int v = 0;
	int ret;

	switch (opt) {
	case OPT_MODE:
		ret = parse_word(&v, "mode", arg, mode_words, err);
		o->mode = (enum load_mode)v;
		return ret;
	case OPT_SYNC:
		ret = parse_word(&v, "sync", arg, sync_words, err);
		o->sync = (enum load_sync)v;
		return ret;
	case OPT_IO:
		ret = parse_word(&v, "io", arg, io_words, err);
		o->io = (enum load_io)v;
		return ret;
	case OPT_FILES:
		return parse_bool(&o->shared, "files", arg, files_words, err);
	default:
		return parse_promise(o, arg, err);
	}
}

static int parse_one(struct load_opts *o, int opt, const char *arg, struct fl_err *err)
{
	switch (opt) {
	case OPT_DIR:
		o->dir = arg;
		return 0;
	case OPT_MARK:
		o->mark = arg;
		return 0;
	case OPT_NO_SYNC:
		o->no_sync = true;
		return 0;
	case OPT_THREADS:
		return parse_num(&o->threads, "threads", arg, 1, LOAD_MAX_THREADS, err);
	case OPT_OPS:
		return parse_num(&o->ops, "ops", arg, 1, UINT32_MAX, err);
	case OPT_BS:
		return parse_num(&o->bs, "bs", arg, 512, LOAD_MAX_BS, err);
	case OPT_FILE_BLOCKS:
		return parse_num(&o->file_blocks, "file-blocks", arg, 1, UINT32_MAX, err);
	case OPT_SYNC_EVERY:
		return parse_num(&o->sync_every, "sync-every", arg, 1,
				 LOAD_MAX_SYNC_EVERY, err);
	case OPT_RUN:
		return parse_num(&o->run, "run", arg, 1, UINT64_MAX, err);
	case OPT_SEED:
		return parse_num(&o->seed, "seed", arg, 0, UINT64_MAX, err);
	case OPT_GIVE_UP:
		return parse_num(&o->give_up, "give-up", arg, 0, UINT32_MAX, err);
	case OPT_THINK_MS:
		return parse_num(&o->think_ms, "think-ms", arg, 0, 60000, err);
	case OPT_PROGRESS:
		return parse_num(&o->progress, "progress", arg, 0, 86400, err);
	case OPT_MODE:
	case OPT_SYNC:
	case OPT_IO:
	case OPT_FILES:
	case OPT_PROMISE:
		return parse_choice(o, opt, arg, err);
	default:
		return fl_fail(err, EINVAL, "unknown option or missing value (see --help)");
	}
}

static int check_opts(const struct load_opts *o, struct fl_err *err)
{
	if (!o->dir)
		return fl_fail(err, EINVAL, "--dir is missing (see --help)");
	if (o->bs % 512)
		return fl_fail(err, EINVAL, "--bs %" PRIu64 ": not a multiple of 512", o->bs);
	if (o->sync == LOAD_DSYNC && o->sync_every != 1)
		return fl_fail(err, EINVAL,
			       "--sync-every: with --sync dsync each write is a sync");
	if (o->mark && (o->sink != LOAD_SINK_DM || !*o->mark || strlen(o->mark) > LOAD_MAX_MARK))
		return fl_fail(err, EINVAL, "--mark: needs --promise dm:NAME and 1 to %d bytes",
			       LOAD_MAX_MARK);
	if (o->no_sync && o->sync == LOAD_DSYNC)
		return fl_fail(err, EINVAL,
			       "--no-sync: with --sync dsync each write is a sync");
	return 0;
}

int load_opts_parse(struct load_opts *o, int argc, char **argv, struct fl_err *err)
{
	struct timespec ts;
	int opt, ret;

	clock_gettime(CLOCK_REALTIME, &ts);
	*o = (struct load_opts){
		.threads = 1, .ops = 1000, .bs = 4096, .file_blocks = 256,
		.sync_every = 1, .seed = 1, .progress = 5, .give_up = 16, .sink_name = "",
		.run = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000,
	};
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (opt == OPT_HELP) {
			fputs(help, stdout);
			exit(FL_EXIT_FINE);
		}
		if (opt == '?')
			return fl_fail(err, EINVAL,
				       "%s: unknown option or missing value (see --help)",
				       argv[optind - 1]);
		ret = parse_one(o, opt, optarg, err);
		if (ret)
			return ret;
	}
	if (optind < argc)
		return fl_fail(err, EINVAL, "%s: not an option (see --help)", argv[optind]);
	return check_opts(o, err);
}

enum load_sync load_sync_of(const struct load_opts *o, uint64_t id)
{
	if (o->sync != LOAD_MIXED)
		return o->sync;
	return id % 2 ? LOAD_FDATASYNC : LOAD_FSYNC;
}

const char *load_call_name(const struct load_opts *o, uint64_t id)
{
	return o->no_sync ? "none" : sync_words[load_sync_of(o, id)];
}

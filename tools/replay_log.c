// SPDX-License-Identifier: GPL-2.0
/*
 * replay-log: the options of the program of that name in xfstests, and its output.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../replay/text_lex.h"
#include "replay_log.h"

static const char help[] =
	"usage: replay-log --log LOG [OPTION...]\n"
	"\n"
	"Replays a log of dm-log-writes, or of fluxlog, entry by entry.\n"
	"\n"
	"  --log LOG            the log: a file or a block device\n"
	"  --replay DEVICE      replay onto it; without, and without --find, tell what LOG is\n"
	"  --find               only find the entry at which a replay would stop, and print\n"
	"                       ENTRY@BLOCK: its number and the block behind it\n"
	"  --num-entries        only print how many entries LOG has\n"
	"  --start-entry N      start at entry N [0]\n"
	"  --start-mark MARK    start behind the first mark MARK\n"
	"  --end-mark MARK      stop at the next mark MARK; it must be there\n"
	"  --next-flush         stop at the next flush\n"
	"  --next-fua           stop at the next FUA write\n"
	"  --limit N            stop after N entries\n"
	"  --fsck COMMAND       run COMMAND when --check says; it fails if it does not end\n"
	"                       with 0\n"
	"  --check N|flush|fua|discard  after every N entries, or each flush, FUA write or\n"
	"                       discard\n"
	"  --no-discard         leave discards out\n"
	"  --start-sector S     leave out what ends before block S of the device\n"
	"  --end-sector S       leave out what begins behind block S\n"
	"  -v, --verbose        print each entry that is replayed; twice: also what is not\n"
	"  -h, --help           this\n"
	"\n"
	"Blocks have the size that LOG tells. Exit code: 0 done; 1 not found, or COMMAND failed;\n"
	"2 could not be done: LOG is torn or corrupt, a mark is missing, or something could not\n"
	"be read or written.\n";

enum option_id {
	ID_LOG = 256, ID_REPLAY, ID_FIND, ID_COUNT, ID_START_ENTRY, ID_START_MARK, ID_END_MARK,
	ID_NEXT_FLUSH, ID_NEXT_FUA, ID_LIMIT, ID_FSCK, ID_CHECK, ID_NO_DISCARD,
	ID_START_SECTOR, ID_END_SECTOR,
};

static const struct option options[] = {
	{ "log", required_argument, NULL, ID_LOG },
	{ "replay", required_argument, NULL, ID_REPLAY },
	{ "find", no_argument, NULL, ID_FIND },
	{ "num-entries", no_argument, NULL, ID_COUNT },
	{ "start-entry", required_argument, NULL, ID_START_ENTRY },
	{ "start-mark", required_argument, NULL, ID_START_MARK },
	{ "end-mark", required_argument, NULL, ID_END_MARK },
	{ "next-flush", no_argument, NULL, ID_NEXT_FLUSH },
	{ "next-fua", no_argument, NULL, ID_NEXT_FUA },
	{ "limit", required_argument, NULL, ID_LIMIT },
	{ "fsck", required_argument, NULL, ID_FSCK },
	{ "check", required_argument, NULL, ID_CHECK },
	{ "no-discard", no_argument, NULL, ID_NO_DISCARD },
	{ "start-sector", required_argument, NULL, ID_START_SECTOR },
	{ "end-sector", required_argument, NULL, ID_END_SECTOR },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int wrong(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "replay-log: %s %s %s; see replay-log --help\n", option, value, what);
	return -EINVAL;
}

static int number(const char *option, uint64_t *out)
{
	return fl_text_u64(optarg, NULL, out) ? 0 : wrong(option, optarg, "is no number");
}

static int check_mode(struct rl_options *o)
{
	if (!strcmp(optarg, "flush"))
		o->check = RL_CHECK_FLUSH;
	else if (!strcmp(optarg, "fua"))
		o->check = RL_CHECK_FUA;
	else if (!strcmp(optarg, "discard"))
		o->check = RL_CHECK_DISCARD;
	else if (fl_text_u64(optarg, NULL, &o->check_every) && o->check_every)
		o->check = RL_CHECK_NUMBER;
	else
		return wrong("--check", optarg, "is neither a number nor flush, fua or discard");
	return 0;
}

/* The options that say what to do, and with what. */
static int take_what(struct rl_options *o, int id)
{
	switch (id) {
	case 'v':
		o->verbose++;
		return 0;
	case ID_LOG:
		o->log = optarg;
		return 0;
	case ID_REPLAY:
		o->replay = optarg;
		return 0;
	case ID_FIND:
		o->find = true;
		return 0;
	case ID_COUNT:
		o->count = true;
		return 0;
	case ID_FSCK:
		o->fsck = optarg;
		return 0;
	case ID_CHECK:
		return check_mode(o);
	case ID_NO_DISCARD:
		o->no_discard = true;
		return 0;
	}
	return -ENOENT;
}

/* The options that say from where to where. */
static int take_where(struct rl_options *o, int id)
{
	switch (id) {
	case ID_START_ENTRY:
		return number("--start-entry", &o->start_entry);
	case ID_START_MARK:
		o->start_mark = optarg;
		return 0;
	case ID_END_MARK:
		o->end_mark = optarg;
		return 0;
	case ID_NEXT_FLUSH:
		o->stop |= FL_V1_FLUSH;
		return 0;
	case ID_NEXT_FUA:
		o->stop |= FL_V1_FUA;
		return 0;
	case ID_LIMIT:
		return number("--limit", &o->limit);
	case ID_START_SECTOR:
		return number("--start-sector", &o->start_sector);
	case ID_END_SECTOR:
		return number("--end-sector", &o->end_sector);
	}
	return -ENOENT;
}

/* 0, 1 if help was asked for, or -EINVAL after one line on stderr. */
static int parse(int argc, char **argv, struct rl_options *o)
{
	int c, ret = 0;

	*o = (struct rl_options){ .end_sector = UINT64_MAX };
	while (!ret && (c = getopt_long(argc, argv, ":vh", options, NULL)) != -1) {
		if (c == 'h')
			return 1;
		if (c == ':')
			return wrong("option", argv[optind - 1], "needs a value");
		if (c == '?')
			return wrong("option", argv[optind - 1], "is unknown");
		ret = take_what(o, c);
		if (ret == -ENOENT)
			ret = take_where(o, c);
	}
	if (ret)
		return ret;
	if (optind < argc)
		return wrong("argument", argv[optind], "belongs to no option");
	if (!o->log)
		return wrong("option", "--log", "is missing");
	if (!o->fsck != !o->check)
		return wrong("--fsck and --check", "",
			     "need each other");
	return 0;
}

/* ---- the log ---------------------------------------------------------------------- */

/* A fluxlog log as entries. One that ends early is short of one, so that whoever walks
 * past what is there meets the reason. */
static int export(struct fl_log *log, struct fl_v1 **out, struct fl_err *err)
{
	struct fl_v1_loss loss;
	struct fl_dev dev;
	int ret = fl_log_load(log, NULL, err);

	if (ret)
		return ret;
	ret = fl_dev_build(&dev, log, FL_RULE_TRUE, err);
	if (!ret)
		ret = fl_v1_export(out, &dev, &loss, err);
	fl_dev_free(&dev);
	if (!ret && loss.early) {
		(*out)->counted++;
		snprintf((*out)->why, sizeof((*out)->why), "%s at offset %" PRIu64 ": %.180s",
			 fl_end_name(log->end), log->end_off, log->end_why);
	}
	return ret;
}

static int print_count(struct rl *rl)
{
	if (rl->v1->why[0]) {
		fl_fail(&rl->err, EBADMSG, "%s: %s", rl->log->path, rl->v1->why);
		return FL_EXIT_CANNOT;
	}
	if (rl->o.count)
		printf("%" PRIu64 "\n", rl->v1->nr);
	else
		printf("Log version=%d, sectorsize=%u, entries=%" PRIu64 "\n", FL_V1_VERSION,
		       rl->v1->block, rl->v1->nr);
	return FL_EXIT_FINE;
}

static int run(struct rl *rl)
{
	int rc;

	if (rl->o.find)
		return rl_find(rl);
	if (rl->o.count || !rl->o.replay)
		return print_count(rl);
	if (rl_target_open(rl))
		return FL_EXIT_CANNOT;
	rl->buf = fl_alloc(1, 1u << 20);
	rc = rl_replay(rl);
	free(rl->buf);
	if (close(rl->fd) && rc == FL_EXIT_FINE) {
		fl_fail(&rl->err, errno, "%s: %s", rl->o.replay, strerror(errno));
		rc = FL_EXIT_CANNOT;
	}
	return rc;
}

/* rl->v1, by the index or by reading the log. @own is what an export takes. */
static int open_log(struct rl *rl, struct fl_v1 **own)
{
	int ret;

	if (rl_index_load(rl))
		return 0;
	ret = fl_log_open(&rl->log, rl->o.log, &rl->err);
	if (!ret && !rl->log->v1)
		ret = export(rl->log, own, &rl->err);
	if (ret)
		return ret;
	rl->v1 = *own ? *own : rl->log->v1;
	rl_index_save(rl);
	return 0;
}

int main(int argc, char **argv)
{
	struct rl rl = { .fd = -1 };
	struct fl_v1 *own = NULL;
	int rc = parse(argc, argv, &rl.o);

	if (rc > 0)
		fputs(help, stdout);
	if (rc)
		return rc > 0 ? FL_EXIT_FINE : FL_EXIT_CANNOT;
	rc = open_log(&rl, &own) ? FL_EXIT_CANNOT : run(&rl);
	fl_v1_free(own);
	rl_index_drop(&rl);
	fl_log_close(rl.log);
	if (fflush(stdout) || ferror(stdout)) {
		fl_fail(&rl.err, errno, "writing to standard output: %s", strerror(errno));
		rc = FL_EXIT_CANNOT;
	}
	if (rl.err.msg[0])
		fprintf(stderr, "replay-log: %s\n", rl.err.msg);
	return rc;
}

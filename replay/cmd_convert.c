// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_convert: a dm-log-writes log as a fluxlog log, and back.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "log_build.h"
#include "new_file.h"
#include "progress.h"
#include "v1_log.h"

const char cmd_convert_help[] =
	"usage: fluxlog convert LOG -o OUT [--data-sectors N]\n"
	"\n"
	"Makes OUT, a fluxlog log, of LOG, a log of dm-log-writes (or of qemu's blklogwrites),\n"
	"or the other way round: what LOG is decides.\n"
	"\n"
	"  -o, --output OUT        the log to write\n"
	"  -s, --data-sectors N    size of the recorded device in sectors of 512 bytes, which a\n"
	"                          dm-log-writes log does not tell [end of the last range]\n"
	"\n"
	"A log of dm-log-writes has neither status nor issue nor time. Imported, its entries\n"
	"follow one another, which is a reading and no evidence: flushes may have overlapped.\n"
	"The log says so in its arguments, and no verdict is passed on it but CANNOT KNOW.\n"
	"\n"
	"Exported, replaying up to a flush or FUA entry gives the durable image of that flush\n"
	"point. Promises and failed writes have no place in such a log and are counted.\n"
	"\n"
	"Exit code: 0 written, and LOG is complete; 2 not written, or LOG ends early (what there\n"
	"is, is written).\n";

struct options {
	const char *in, *out;
	uint64_t data_sectors;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "data-sectors", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	*o = (struct options){ 0 };
	while ((c = getopt_long(argc, argv, ":o:s:h", longs, NULL)) != -1) {
		if (c == 'o')
			o->out = optarg;
		else if (c == 'h')
			return -1;
		else if (c != 's')
			return cmd_bad_option("convert", c, argv);
		else if (!cmd_number(optarg, &o->data_sectors) || !o->data_sectors)
			return cmd_usage_error("convert", "--data-sectors %s is no size", optarg);
	}
	if (argc - optind != 1)
		return cmd_usage_error("convert", "one log, please, not %d", argc - optind);
	if (!o->out)
		return cmd_usage_error("convert", "no -o OUT");
	o->in = argv[optind];
	return FL_EXIT_FINE;
}

/* ---- from v1 -------------------------------------------------------------------- */

struct import {
	struct fl_build *b;
	struct fl_progress meter;
	struct fl_err *err;
};

static int see_record(void *arg, const struct fl_log *log, uint64_t idx, const uint8_t *payload)
{
	const struct fl_rec *r = &log->rec[idx];
	struct import *im = arg;

	return fl_build_add(im->b, r, log->inl + r->inl, payload, im->err);
}

static void see_progress(void *arg, uint64_t bytes)
{
	fl_progress_step(&((struct import *)arg)->meter, bytes);
}

static int set_size(struct fl_log *log, uint64_t sectors, struct fl_err *err)
{
	if (sectors && sectors < log->sup.data_sectors)
		return fl_fail(err, EINVAL, "%s: its entries reach up to sector %" PRIu64
			       ", behind --data-sectors %" PRIu64, log->path,
			       log->sup.data_sectors, sectors);
	if (sectors)
		log->sup.data_sectors = sectors;
	return 0;
}

static int import(struct fl_log *log, const struct options *o, int fd, struct fl_err *err)
{
	struct import im = { .err = err };
	const struct fl_visitor v = { .record = see_record, .progress = see_progress, .arg = &im };
	struct fl_super sup;
	int ret = set_size(log, o->data_sectors, err);

	if (ret)
		return ret;
	sup = log->sup;
	sup.log_sectors = 0;
	ret = fl_build_begin(&im.b, fd, &sup, err);
	if (ret)
		return ret;
	fl_progress_begin(&im.meter, "converting", log->bytes);
	ret = fl_log_load(log, &v, err);
	fl_progress_end(&im.meter);
	if (ret) {
		fl_build_abort(im.b);
		return ret;
	}
	return fl_build_finish(im.b, 0, err);
}

static void say_import(const struct fl_log *log)
{
	printf("%" PRIu64 " entries, %" PRIu64 " records, a device of at least %" PRIu64
	       " sectors\n", log->v1->nr, log->nr_rec, log->sup.data_sectors);
	printf("What a dm-log-writes log cannot tell, and no verdict is passed on: which flushes\n"
	       "overlapped, so whether one covered writes that are logged behind it; what was in\n"
	       "flight; whether a write or flush failed; when anything happened.\n");
}

/* ---- to v1 ---------------------------------------------------------------------- */

static void say_export(const struct fl_v1 *v1, const struct fl_v1_loss *loss)
{
	printf("%" PRIu64 " entries, blocks of %u bytes\n", v1->nr, v1->block);
	if (loss->promises)
		printf("%" PRIu64 " promises are not in it: dm-log-writes has no word for them\n",
		       loss->promises);
	if (loss->failed)
		printf("%" PRIu64 " writes and flushes failed: it has no data of theirs, and tells no failure\n",
		       loss->failed);
	if (loss->replaced)
		printf("%" PRIu64 " writes are not in it: newer data are there before they are durable\n",
		       loss->replaced);
}

static int export(struct fl_log *log, const struct options *o, int fd, struct fl_err *err)
{
	struct fl_v1_loss loss;
	struct fl_v1 *v1 = NULL;
	struct fl_dev dev;
	int ret;

	if (o->data_sectors)
		return fl_fail(err, EINVAL, "%s: is a fluxlog log and tells the size of its device",
			       log->path);
	ret = fl_log_load(log, NULL, err);
	if (ret)
		return ret;
	ret = fl_dev_build(&dev, log, FL_RULE_TRUE, err);
	if (!ret)
		ret = fl_v1_export(&v1, &dev, &loss, err);
	if (!ret)
		ret = fl_v1_write(v1, log, fd, err);
	if (!ret)
		say_export(v1, &loss);
	fl_v1_free(v1);
	fl_dev_free(&dev);
	return ret;
}

static int convert(struct fl_log *log, const struct options *o, struct fl_err *err)
{
	struct fl_new_file f;
	int ret = fl_new_begin(&f, o->out, err);

	if (!ret)
		ret = log->v1 ? import(log, o, f.fd, err) : export(log, o, f.fd, err);
	if (!ret)
		ret = fl_new_commit(&f, err);
	fl_new_end(&f);
	if (!ret && log->v1)
		say_import(log);
	if (!ret && log->end != FL_END_COMPLETE)
		ret = fl_fail(err, EBADMSG, "%s: %s at offset %" PRIu64 ": %s", log->path,
			      fl_end_name(log->end), log->end_off, log->end_why);
	return ret;
}

int cmd_convert(int argc, char **argv)
{
	struct fl_err err = { "" };
	struct fl_log *log = NULL;
	struct options o;
	int rc = parse(argc, argv, &o);

	if (rc < 0)
		fputs(cmd_convert_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	rc = fl_log_open(&log, o.in, &err);
	if (!rc)
		rc = convert(log, &o, &err);
	if (rc)
		fl_print_err(&err);
	fl_log_close(log);
	return rc ? FL_EXIT_CANNOT : FL_EXIT_FINE;
}

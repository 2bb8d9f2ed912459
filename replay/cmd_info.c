// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_info: what a log is, what is in it, how it ends.
 *
 * Takes   paths of logs.
 * Gives   a page for each, and the same as JSON if asked for.
 * Relies  on log_reader for all judgement about the log.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "log_reader.h"
#include "log_summary.h"
#include "progress.h"
#include "text_lex.h"
#include "uuid.h"

const char cmd_info_help[] =
	"usage: fluxlog info [--json FILE] LOG...\n"
	"\n"
	"Tells what each LOG is, counts its records, and says how it ends: complete, or\n"
	"stopped, cut off or corrupt, at which offset and why.\n"
	"\n"
	"  -j, --json FILE   write the same as JSON to FILE (- is standard output, which\n"
	"                    then gets nothing else)\n"
	"\n"
	"Exit code: 0 every log is complete; 2 one is not, or could not be read.\n";

static void print_time(const char *label, uint64_t ns)
{
	time_t t = (time_t)(ns / 1000000000);
	char text[40];
	struct tm tm;

	if (!ns || !gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%F %T UTC", &tm))
		return;
	printf("  %-10s %s\n", label, text);
}

static void print_super(const struct fl_log *log)
{
	const struct fl_super *s = &log->sup;
	char uuid[FL_UUID_LEN + 1], epoch[FL_UUID_LEN + 1];
	uint64_t used = (log->end_off + FL_SECTOR - 1) / FL_SECTOR;

	/* quoted: whatever these texts hold, the terminal is not to obey it */
	fl_put_quoted(stdout, "  device     ", s->data_name, strlen(s->data_name));
	printf(" (device %u of its group), %" PRIu64 " sectors, blocks of %u bytes\n", s->dev,
	       s->data_sectors, s->data_block_size);
	printf("  %-10s %" PRIu64 " of %" PRIu64 " sectors used (%.1f%%), blocks of %u bytes, %"
	       PRIu64 " units\n", "log", used, s->log_sectors,
	       100.0 * (double)used / (double)s->log_sectors, s->block_size, log->units);
	if (s->args[0]) {
		fl_put_quoted(stdout, "  arguments  ", s->args, strlen(s->args));
		putchar('\n');
	}
	printf("  %-10s %s\n", "uuid", fl_uuid_str(uuid, s->uuid));
	printf("  %-10s %s\n", "epoch", fl_uuid_str(epoch, s->epoch));
	print_time("recorded", s->created_real_ns);
}

static void print_records(const struct fl_log *log, const struct fl_summary *sum)
{
	printf("  %-10s %" PRIu64, "records", log->nr_rec);
	for (unsigned int kind = FLUXLOG_WRITE; kind <= FLUXLOG_END; kind++)
		if (sum->kinds[kind])
			printf("%s%" PRIu64 " %s", kind == FLUXLOG_WRITE ? ": " : ", ",
			       sum->kinds[kind], fl_kind_name(kind));
	putchar('\n');
	if (!log->nr_rec)
		return;
	printf("  %-10s %" PRIu64 " bytes in writes, %" PRIu64 " writes with FUA, %" PRIu64
	       " events failed\n", "data", sum->bytes, sum->fua, sum->failed);
	printf("  %-10s %" PRIu64 " to %" PRIu64 "\n", "ticks", sum->tick_min, sum->tick_max);
	printf("  %-10s %.6f s, from %.6f to %.6f\n", "time",
	       (double)(sum->ns_max - sum->ns_min) / 1e9, (double)sum->ns_min / 1e9,
	       (double)sum->ns_max / 1e9);
}

static void print_end(const struct fl_log *log)
{
	printf("  %-10s ", "end");
	switch (log->end) {
	case FL_END_COMPLETE:
		printf("complete, at offset %" PRIu64 "\n", log->end_off);
		return;
	case FL_END_STOPPED:
		printf("stopped, at offset %" PRIu64 ": %s\n", log->end_off, log->end_why);
		return;
	case FL_END_CUT_OFF:
	case FL_END_CORRUPT:
		printf("%s at offset %" PRIu64 ": %s\n", fl_end_name(log->end), log->end_off,
		       log->end_why);
	}
}

static int load(struct fl_log **log, const char *path, struct fl_err *err)
{
	struct fl_visitor v = { .progress = fl_progress_visit };
	struct fl_progress p;
	int rc = fl_log_open(log, path, err);

	if (rc)
		return rc;
	fl_progress_begin(&p, "reading", (*log)->bytes);
	v.arg = &p;
	rc = fl_log_load(*log, &v, err);
	fl_progress_end(&p);
	if (rc) {
		fl_log_close(*log);
		*log = NULL;
	}
	return rc;
}

static void print_page(const struct fl_log *log, const struct fl_summary *sum)
{
	printf("%s: %s\n", log->path, fl_end_name(log->end));
	print_super(log);
	print_records(log, sum);
	print_end(log);
	fflush(stdout);
}

/* One log, as a page (@page) and into @all (NULL: no JSON is wanted); true if it
 * is complete. */
static bool info_one(const char *path, bool page, struct json_object *all)
{
	struct fl_log *log = NULL;
	struct fl_summary sum;
	struct fl_err err;
	bool complete;

	if (load(&log, path, &err)) {
		fl_print_err(&err);
		if (all)
			fl_json_add_error(all, path, &err);
		return false;
	}
	fl_summarize(log, &sum);
	if (page)
		print_page(log, &sum);
	if (all)
		fl_json_add_log(all, log, &sum);
	complete = log->end == FL_END_COMPLETE;
	if (!complete) {
		fprintf(stderr, "fluxlog: %s: %s at offset %" PRIu64 ": %s\n", path,
			fl_end_name(log->end), log->end_off, log->end_why);
	}
	fl_log_close(log);
	return complete;
}

static int info_all(int nr, char **paths, const char *json_path)
{
	struct json_object *all = json_path ? fl_json_new() : NULL;
	bool page = !json_path || strcmp(json_path, "-");
	int rc = FL_EXIT_FINE;
	struct fl_err err;

	for (int i = 0; i < nr; i++)
		if (!info_one(paths[i], page, all))
			rc = FL_EXIT_CANNOT;
	if (all && fl_json_write(all, json_path, &err)) {
		fl_print_err(&err);
		rc = FL_EXIT_CANNOT;
	}
	return rc;
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", required_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *json_path = NULL;
	int c;

	while ((c = getopt_long(argc, argv, ":j:h", options, NULL)) != -1) {
		switch (c) {
		case 'j':
			json_path = optarg;
			break;
		case 'h':
			fputs(cmd_info_help, stdout);
			return FL_EXIT_FINE;
		default:
			return cmd_bad_option("info", c, argv);
		}
	}
	if (optind == argc)
		return cmd_usage_error("info", "no log is named");
	return info_all(argc - optind, argv + optind, json_path);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_summary: counts and ranges over a log, for people and as JSON.
 */
#ifndef LOG_SUMMARY_H
#define LOG_SUMMARY_H

#include "log_reader.h"

struct json_object;

/**
 * struct fl_summary - a log in numbers
 * @kinds: records of each kind
 * @bytes: payload bytes of all writes
 * @fua: writes with FUA
 * @failed: writes to zeroes that ended with an error
 * @tick_min, @tick_max, @ns_min, @ns_max: ranges; without meaning if there are
 *	no records
 */
struct fl_summary {
	uint64_t kinds[FLUXLOG_END + 1];
	uint64_t bytes, fua, failed;
	uint64_t tick_min, tick_max, ns_min, ns_max;
};

void fl_summarize(const struct fl_log *log, struct fl_summary *out);

struct json_object *fl_json_new(void);
void fl_json_add_log(struct json_object *all, const struct fl_log *log,
		     const struct fl_summary *sum);
void fl_json_add_error(struct json_object *all, const char *path, const struct fl_err *err);

/* Write to @path ("-": standard output) and let go of @all, also on failure. */
int fl_json_write(struct json_object *all, const char *path, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report: what the judge says, for people and as JSON.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "checker.h"

struct json_object;

/* The summary, at most @max findings, and the verdict in one sentence. */
void fl_report_check(FILE *out, const struct fl_group *g, const struct fl_check *ck,
		     uint64_t max);

/* The same, whole, as JSON; each promise with its verdict. -errno with @err. */
int fl_report_check_json(const char *path, const struct fl_group *g,
			 const struct fl_check *ck, struct fl_err *err);

/* Parts of it: all logs of a group; a write, flush or discard. */
struct json_object *fl_logs_json(const struct fl_group *g);
struct json_object *fl_record_json(const struct fl_rec *r);

/* The exit code that the verdict comes to (FL_EXIT_*): a log that ends early or
 * holds no promise could not be judged, whatever was found in what there is. */
int fl_check_exit(const struct fl_group *g, const struct fl_check *ck);

/* One-line descriptions, shared with explain. @buf is filled and returned. */
#define FL_LINE 384
const char *fl_say_promise(char *buf, const struct fl_group *g, uint64_t prom);
const char *fl_say_write(char *buf, const struct fl_group *g, uint32_t dev,
			 const struct fl_ver *v);
/* Part of a promise: "bytes 0 to 4095", "sectors 8 to 15". */
const char *fl_say_range(char *buf, const struct fl_prom *p, uint64_t start, uint64_t len);
/* 1234567 as "1,234,567"; @buf holds 32. */
const char *fl_commas(char *buf, uint64_t v);

#endif

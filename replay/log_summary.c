// SPDX-License-Identifier: GPL-2.0
/*
 * log_summary: a log in numbers.
 *
 * Takes   a loaded log.
 * Gives   counts and ranges, and a JSON object for each log.
 * Relies  on json-c.
 */
#include "json_util.h"
#include "log_summary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log_rules.h"
#include "uuid.h"

static void widen(uint64_t *min, uint64_t *max, uint64_t lo, uint64_t hi)
{
	if (lo < *min)
		*min = lo;
	if (hi > *max)
		*max = hi;
}

void fl_summarize(const struct fl_log *log, struct fl_summary *out)
{
	*out = (struct fl_summary){ .tick_min = UINT64_MAX, .ns_min = UINT64_MAX };
	for (uint64_t i = 0; i < log->nr_rec; i++) {
		const struct fl_rec *r = &log->rec[i];

		out->kinds[r->kind]++;
		if (r->kind == FLUXLOG_WRITE) {
			out->bytes += r->nr * FL_SECTOR;
			out->fua += !!(r->flags & FLUXLOG_F_FUA);
		}
		out->failed += fl_kind_is_io(r->kind) && r->status;
		widen(&out->tick_min, &out->tick_max, r->issue, r->done);
		widen(&out->ns_min, &out->ns_max, r->issue_ns, r->done_ns);
	}
}

struct json_object *fl_json_new(void)
{
	return json_object_new_array();
}

static struct json_object *super_json(const struct fl_super *s)
{
	struct json_object *o = json_object_new_object();
	char uuid[FL_UUID_LEN + 1];

	fl_put_text(o, "uuid", fl_uuid_str(uuid, s->uuid));
	fl_put_text(o, "epoch", fl_uuid_str(uuid, s->epoch));
	fl_put_num(o, "dev", s->dev);
	fl_put_text(o, "data_name", s->data_name);
	fl_put_text(o, "args", s->args);
	fl_put_num(o, "block_size", s->block_size);
	fl_put_num(o, "data_block_size", s->data_block_size);
	fl_put_num(o, "data_sectors", s->data_sectors);
	fl_put_num(o, "log_sectors", s->log_sectors);
	fl_put_num(o, "created_real_ns", s->created_real_ns);
	fl_put_num(o, "created_mono_ns", s->created_mono_ns);
	fl_put_num(o, "start_tick", s->start_tick);
	return o;
}

static struct json_object *records_json(const struct fl_log *log, const struct fl_summary *sum)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int kind = FLUXLOG_WRITE; kind <= FLUXLOG_END; kind++)
		fl_put_num(o, fl_kind_name(kind), sum->kinds[kind]);
	fl_put_num(o, "all", log->nr_rec);
	fl_put_num(o, "fua", sum->fua);
	fl_put_num(o, "failed", sum->failed);
	fl_put_num(o, "bytes", sum->bytes);
	if (!log->nr_rec)
		return o;
	fl_put_num(o, "tick_min", sum->tick_min);
	fl_put_num(o, "tick_max", sum->tick_max);
	fl_put_num(o, "ns_min", sum->ns_min);
	fl_put_num(o, "ns_max", sum->ns_max);
	return o;
}

void fl_json_add_log(struct json_object *all, const struct fl_log *log,
		     const struct fl_summary *sum)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "log", log->path);
	fl_put_text(o, "end", fl_end_name(log->end));
	fl_put_num(o, "end_offset", log->end_off);
	fl_put_text(o, "why", log->end_why);
	fl_put_num(o, "bytes", log->bytes);
	fl_put_num(o, "units", log->units);
	json_object_object_add(o, "super", super_json(&log->sup));
	json_object_object_add(o, "records", records_json(log, sum));
	json_object_array_add(all, o);
}

void fl_json_add_error(struct json_object *all, const char *path, const struct fl_err *err)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "log", path);
	fl_put_text(o, "end", "unreadable");
	fl_put_text(o, "why", err->msg);
	json_object_array_add(all, o);
}

static int write_text(const char *text, const char *path, struct fl_err *err)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "we") : stdout;
	int rc;

	if (!f)
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	rc = fprintf(f, "%s\n", text) < 0 ? errno : 0;
	if (f != stdout && fclose(f) && !rc)
		rc = errno;
	return rc ? fl_fail(err, rc, "%s: %s", path, strerror(rc)) : 0;
}

int fl_json_write(struct json_object *all, const char *path, struct fl_err *err)
{
	int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE;
	int rc = write_text(json_object_to_json_string_ext(all, flags), path, err);

	json_object_put(all);
	return rc;
}

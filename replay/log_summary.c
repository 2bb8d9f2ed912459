// SPDX-License-Identifier: GPL-2.0
/*
 * log_summary: a log in numbers.
 *
 * Takes   a loaded log.
 * Gives   counts and ranges, and a JSON object for each log.
 * Relies  on json-c.
 */
#include "log_summary.h"

#include <errno.h>
#include <json-c/json.h>
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

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

static struct json_object *super_json(const struct fl_super *s)
{
	struct json_object *o = json_object_new_object();
	char uuid[FL_UUID_LEN + 1];

	add_text(o, "uuid", fl_uuid_str(uuid, s->uuid));
	add_text(o, "epoch", fl_uuid_str(uuid, s->epoch));
	add_u64(o, "dev", s->dev);
	add_text(o, "data_name", s->data_name);
	add_text(o, "args", s->args);
	add_u64(o, "block_size", s->block_size);
	add_u64(o, "data_block_size", s->data_block_size);
	add_u64(o, "data_sectors", s->data_sectors);
	add_u64(o, "log_sectors", s->log_sectors);
	add_u64(o, "created_real_ns", s->created_real_ns);
	add_u64(o, "created_mono_ns", s->created_mono_ns);
	add_u64(o, "start_tick", s->start_tick);
	return o;
}

static struct json_object *records_json(const struct fl_log *log, const struct fl_summary *sum)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int kind = FLUXLOG_WRITE; kind <= FLUXLOG_END; kind++)
		add_u64(o, fl_kind_name(kind), sum->kinds[kind]);
	add_u64(o, "all", log->nr_rec);
	add_u64(o, "fua", sum->fua);
	add_u64(o, "failed", sum->failed);
	add_u64(o, "bytes", sum->bytes);
	if (!log->nr_rec)
		return o;
	add_u64(o, "tick_min", sum->tick_min);
	add_u64(o, "tick_max", sum->tick_max);
	add_u64(o, "ns_min", sum->ns_min);
	add_u64(o, "ns_max", sum->ns_max);
	return o;
}

void fl_json_add_log(struct json_object *all, const struct fl_log *log,
		     const struct fl_summary *sum)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "log", log->path);
	add_text(o, "end", fl_end_name(log->end));
	add_u64(o, "end_offset", log->end_off);
	add_text(o, "why", log->end_why);
	add_u64(o, "bytes", log->bytes);
	add_u64(o, "units", log->units);
	json_object_object_add(o, "super", super_json(&log->sup));
	json_object_object_add(o, "records", records_json(log, sum));
	json_object_array_add(all, o);
}

void fl_json_add_error(struct json_object *all, const char *path, const struct fl_err *err)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "log", path);
	add_text(o, "end", "unreadable");
	add_text(o, "why", err->msg);
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

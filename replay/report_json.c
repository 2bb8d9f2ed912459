// SPDX-License-Identifier: GPL-2.0
/* See report.h: the JSON form. All of it, nothing cut; numbers are ticks, sectors,
 * bytes and nanoseconds as the log has them. */
#include <json-c/json.h>

#include "log_summary.h"
#include "report.h"

static void add_u64(struct json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

static void add_text(struct json_object *o, const char *key, const char *v)
{
	json_object_object_add(o, key, json_object_new_string(v));
}

static struct json_object *logs_json(const struct fl_group *g)
{
	struct json_object *all = fl_json_new();
	struct fl_summary sum;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		fl_summarize(g->log[i], &sum);
		fl_json_add_log(all, g->log[i], &sum);
	}
	return all;
}

static struct json_object *summary_json(const struct fl_check *ck)
{
	struct json_object *o = json_object_new_object();

	add_u64(o, "records", ck->records);
	add_u64(o, "writes", ck->writes);
	add_u64(o, "fua", ck->fua);
	add_u64(o, "flushes", ck->flushes);
	add_u64(o, "discards", ck->discards);
	add_u64(o, "marks", ck->marks);
	add_u64(o, "failed", ck->failed);
	add_u64(o, "flush_points", ck->flush_points);
	add_u64(o, "widest", ck->widest);
	add_u64(o, "widest_tick", ck->widest_tick);
	add_u64(o, "promises", ck->promises);
	add_u64(o, "judged", ck->judged);
	add_u64(o, "kept", ck->kept);
	add_u64(o, "broken", ck->broken);
	add_u64(o, "beyond", ck->beyond);
	add_u64(o, "block_bytes", ck->block);
	add_u64(o, "blocks", ck->blocks);
	add_u64(o, "findings", ck->findings.nr);
	return o;
}

static struct json_object *range_json(const struct fl_rec *r)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "kind", fl_kind_name(r->kind));
	if (r->kind != FLUXLOG_FLUSH) {
		add_u64(o, "sector", r->sector);
		add_u64(o, "sectors", r->nr);
	}
	add_u64(o, "flags", r->flags);
	add_u64(o, "issue", r->issue);
	add_u64(o, "done", r->done);
	add_u64(o, "issue_ns", r->issue_ns);
	add_u64(o, "done_ns", r->done_ns);
	add_u64(o, "status", r->status);
	return o;
}

static struct json_object *promise_json(const struct fl_group *g, uint64_t i)
{
	const struct fl_prom *p = &g->prom[i];
	struct json_object *o = json_object_new_object();
	struct fl_promise whole;

	fl_promise_get(p->log, p->rec, &whole);
	add_u64(o, "message", p->rec->issue);
	add_text(o, "call", fl_call_name(p->call));
	add_u64(o, "at_ns", p->at_ns);
	if (p->kind == FLUXLOG_PROMISE_FILE) {
		add_u64(o, "run", p->run);
		add_u64(o, "file", p->file);
		add_text(o, "path", whole.path);
		add_u64(o, "gen", p->gen);
	} else {
		add_u64(o, "dev", p->file);
	}
	add_u64(o, "start", p->start);
	add_u64(o, "len", p->len);
	return o;
}

static struct json_object *finding_json(const struct fl_group *g, const struct fl_finding *f)
{
	struct json_object *o = json_object_new_object();

	add_text(o, "id", fl_problem[f->code].id);
	add_text(o, "name", fl_problem[f->code].name);
	add_text(o, "text", fl_problem[f->code].text);
	json_object_object_add(o, "promise", promise_json(g, f->prom));
	add_u64(o, "start", f->start);
	add_u64(o, "len", f->len);
	if (f->dev != FL_NO_DEV) {
		add_u64(o, "dev", g->log[f->dev]->sup.dev);
		add_u64(o, "sector", f->sector);
	}
	if (f->write)
		json_object_object_add(o, "write", range_json(f->write->rec));
	if (f->other)
		json_object_object_add(o, "other", range_json(f->other->rec));
	if (f->flush)
		json_object_object_add(o, "flush", range_json(f->flush));
	return o;
}

int fl_report_check_json(const char *path, const struct fl_group *g,
			 const struct fl_check *ck, struct fl_err *err)
{
	static const char *const word[] = {
		[FL_KEPT] = "kept", [FL_BROKEN] = "broken", [FL_BEYOND] = "not judged",
	};
	struct json_object *o = json_object_new_object();
	struct json_object *findings = json_object_new_array();
	struct json_object *promises = json_object_new_array();
	uint64_t i;

	for (i = 0; i < ck->findings.nr; i++)
		json_object_array_add(findings, finding_json(g, &ck->findings.f[i]));
	for (i = 0; i < g->nr_prom; i++) {
		struct json_object *p = promise_json(g, i);

		add_text(p, "verdict", word[ck->verdict[i]]);
		json_object_array_add(promises, p);
	}
	add_u64(o, "exit", (uint64_t)fl_check_exit(g, ck));
	json_object_object_add(o, "logs", logs_json(g));
	json_object_object_add(o, "summary", summary_json(ck));
	json_object_object_add(o, "findings", findings);
	json_object_object_add(o, "promises", promises);
	return fl_json_write(o, path, err);
}

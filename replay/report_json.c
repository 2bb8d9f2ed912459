// SPDX-License-Identifier: GPL-2.0
/* See report.h: the JSON form. All of it, nothing cut; numbers are ticks, sectors,
 * bytes and nanoseconds as the log has them. */

#include "json_util.h"
#include "log_summary.h"
#include "report.h"
#include "stack.h"

struct json_object *fl_logs_json(const struct fl_group *g)
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

	fl_put_num(o, "records", ck->records);
	fl_put_num(o, "writes", ck->writes);
	fl_put_num(o, "fua", ck->fua);
	fl_put_num(o, "flushes", ck->flushes);
	fl_put_num(o, "discards", ck->discards);
	fl_put_num(o, "marks", ck->marks);
	fl_put_num(o, "failed", ck->failed);
	fl_put_num(o, "flush_points", ck->flush_points);
	fl_put_num(o, "widest", ck->widest);
	fl_put_num(o, "widest_tick", ck->widest_tick);
	fl_put_num(o, "promises", ck->promises);
	fl_put_num(o, "judged", ck->judged);
	fl_put_num(o, "kept", ck->kept);
	fl_put_num(o, "broken", ck->broken);
	fl_put_num(o, "beyond", ck->beyond);
	fl_put_num(o, "block_bytes", ck->block);
	fl_put_num(o, "blocks", ck->blocks);
	fl_put_num(o, "findings", ck->findings.nr);
	return o;
}

struct json_object *fl_record_json(const struct fl_rec *r)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "kind", fl_kind_name(r->kind));
	if (r->kind != FLUXLOG_FLUSH) {
		fl_put_num(o, "sector", r->sector);
		fl_put_num(o, "sectors", r->nr);
	}
	fl_put_num(o, "flags", r->flags);
	fl_put_num(o, "issue", r->issue);
	fl_put_num(o, "done", r->done);
	fl_put_num(o, "issue_ns", r->issue_ns);
	fl_put_num(o, "done_ns", r->done_ns);
	fl_put_num(o, "status", r->status);
	return o;
}

static struct json_object *promise_json(const struct fl_group *g, uint64_t i)
{
	const struct fl_prom *p = &g->prom[i];
	struct json_object *o = json_object_new_object();
	struct fl_promise whole;

	fl_promise_get(p->log, p->rec, &whole);
	fl_put_num(o, "message", p->rec->issue);
	fl_put_text(o, "call", fl_call_name(p->call));
	fl_put_num(o, "at_ns", p->at_ns);
	if (p->kind == FLUXLOG_PROMISE_FILE) {
		fl_put_num(o, "run", p->run);
		fl_put_num(o, "file", p->file);
		fl_put_text(o, "path", whole.path);
		fl_put_num(o, "gen", p->gen);
	} else {
		fl_put_num(o, "dev", p->file);
	}
	fl_put_num(o, "start", p->start);
	fl_put_num(o, "len", p->len);
	return o;
}

static struct json_object *finding_json(const struct fl_group *g, const struct fl_finding *f)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "id", fl_problem[f->code].id);
	fl_put_text(o, "name", fl_problem[f->code].name);
	fl_put_text(o, "text", fl_problem[f->code].text);
	json_object_object_add(o, "promise", promise_json(g, f->prom));
	fl_put_num(o, "start", f->start);
	fl_put_num(o, "len", f->len);
	if (f->dev != FL_NO_DEV) {
		fl_put_num(o, "dev", g->log[f->dev]->sup.dev);
		if (g->stacked)
			fl_put_text(o, "log", g->log[f->dev]->path);
		fl_put_num(o, "sector", f->sector);
	}
	if (f->write)
		json_object_object_add(o, "write", fl_record_json(f->write->rec));
	if (f->other)
		json_object_object_add(o, "other", fl_record_json(f->other->rec));
	if (f->flush)
		json_object_object_add(o, "flush", fl_record_json(f->flush));
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

		fl_put_text(p, "verdict", word[ck->verdict[i]]);
		json_object_array_add(promises, p);
	}
	fl_put_num(o, "exit", (uint64_t)fl_check_exit(g, ck));
	json_object_object_add(o, "logs", fl_logs_json(g));
	json_object_object_add(o, "summary", summary_json(ck));
	if (g->stacked)
		json_object_object_add(o, "stacked", fl_stack_json(g, ck));
	json_object_object_add(o, "findings", findings);
	json_object_object_add(o, "promises", promises);
	return fl_json_write(o, path, err);
}

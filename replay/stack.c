// SPDX-License-Identifier: GPL-2.0
/* See stack.h. */
#include <inttypes.h>
#include <string.h>

#include "json_util.h"
#include "report.h"
#include "stack.h"

static void count_record(struct fl_leg *leg, const struct fl_rec *r)
{
	bool write = r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES;
	bool flush = r->kind == FLUXLOG_FLUSH;

	leg->writes += write;
	leg->failed_writes += write && r->status;
	leg->flushes += flush;
	leg->failed_flushes += flush && r->status;
	leg->swallowed += flush && !r->status && !fl_took_effect(r);
}

/* Findings stand in the order of the promises: each is counted once for each leg. */
static void count_findings(struct fl_stack *st, const struct fl_check *ck)
{
	uint64_t last[FL_GROUP_MAX], last_flush = UINT64_MAX, i;

	memset(last, 0xff, sizeof(last));
	for (i = 0; i < ck->findings.nr; i++) {
		const struct fl_finding *f = &ck->findings.f[i];
		bool on_flush = f->code == FL_FLUSH_FAILED || f->code == FL_FLUSH_SWALLOWED;
		uint32_t dev = f->dev == FL_NO_DEV ? 0 : f->dev;

		if (last[dev] != f->prom)
			st->leg[dev].broken++;
		last[dev] = f->prom;
		if (on_flush && last_flush != f->prom) {
			st->on_failed_flush++;
			last_flush = f->prom;
		}
	}
}

void fl_stack_count(struct fl_stack *st, const struct fl_group *g,
		    const struct fl_check *ck)
{
	unsigned int i;
	uint64_t r;

	memset(st, 0, sizeof(*st));
	for (i = 0; i < g->nr; i++)
		for (r = 0; r < g->log[i]->nr_rec; r++)
			count_record(&st->leg[i], &g->log[i]->rec[r]);
	count_findings(st, ck);
}

static void print_leg(FILE *out, const struct fl_group *g, unsigned int i,
		      const struct fl_leg *leg)
{
	fprintf(out, "  %-6s %9" PRIu64 " %7" PRIu64 " %9" PRIu64 " %7" PRIu64 " %10" PRIu64
		" %9" PRIu64 "  %s\n", i ? "leg" : "above", leg->writes, leg->failed_writes,
		leg->flushes, leg->failed_flushes, leg->swallowed, leg->broken,
		g->log[i]->path);
}

void fl_stack_report(FILE *out, const struct fl_group *g, const struct fl_check *ck)
{
	struct fl_stack st;
	unsigned int i;

	fl_stack_count(&st, g, ck);
	fprintf(out, "\n  %-6s %9s %7s %9s %7s %10s %9s\n", "stack", "writes", "failed",
		"flushes", "failed", "swallowed", "broken");
	for (i = 0; i < g->nr; i++)
		print_leg(out, g, i, &st.leg[i]);
	fprintf(out, "  promises that rest on a flush that failed or was swallowed: %" PRIu64 "\n",
		st.on_failed_flush);
}

static struct json_object *leg_json(const struct fl_group *g, unsigned int i,
				    const struct fl_leg *leg)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "log", g->log[i]->path);
	fl_put_num(o, "dev", g->log[i]->sup.dev);
	fl_put_num(o, "leg_writes", leg->writes);
	fl_put_num(o, "leg_failed_writes", leg->failed_writes);
	fl_put_num(o, "leg_flushes", leg->flushes);
	fl_put_num(o, "leg_failed_flushes", leg->failed_flushes);
	fl_put_num(o, "leg_swallowed", leg->swallowed);
	fl_put_num(o, "leg_broken", leg->broken);
	return o;
}

struct json_object *fl_stack_json(const struct fl_group *g, const struct fl_check *ck)
{
	struct json_object *o = json_object_new_object();
	struct json_object *legs = json_object_new_array();
	struct fl_stack st;
	unsigned int i;

	fl_stack_count(&st, g, ck);
	json_object_object_add(o, "above", leg_json(g, 0, &st.leg[0]));
	for (i = 1; i < g->nr; i++)
		json_object_array_add(legs, leg_json(g, i, &st.leg[i]));
	json_object_object_add(o, "legs", legs);
	fl_put_num(o, "on_failed_flush", st.on_failed_flush);
	return o;
}

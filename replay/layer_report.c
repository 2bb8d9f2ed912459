// SPDX-License-Identifier: GPL-2.0
/* See layer_report.h. */
#include <inttypes.h>

#include "json_util.h"
#include "layer_report.h"
#include "log_summary.h"
#include "report.h"

/* ---- for people -------------------------------------------------------------- */

static void print_logs(FILE *out, const struct fl_layer *ly)
{
	const struct fl_group *g = ly->g;
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		fprintf(out, "%s       %s: %s%s%s\n", i ? "below" : "above", g->log[i]->path,
			fl_end_name(g->log[i]->end), g->log[i]->end_why[0] ? ", " : "",
			g->log[i]->end_why);
}

static void print_counts(FILE *out, const struct fl_layer *ly)
{
	char a[32], b[32], c[32];

	fprintf(out, "flushes     %s above, %s of them failed\n", fl_commas(a, ly->flushes),
		fl_commas(b, ly->flushes_failed));
	fprintf(out, "writes      %s durable above were judged, by %s",
		fl_commas(a, ly->judged), ly->nr_map ? "the map" : "what they carry");
	if (!ly->nr_map)
		fprintf(out, "; %s more carry nothing to be known by, %s were not found below",
			fl_commas(b, ly->unknown), fl_commas(c, ly->lost));
	fprintf(out, "\nfindings    %s\n", fl_commas(a, ly->nr));
}

static void print_codes(FILE *out, const struct fl_layer *ly)
{
	uint64_t n[FL_LAYER_NR_CODES] = { 0 }, i;
	char buf[32];
	int c;

	for (i = 0; i < ly->nr; i++)
		n[ly->f[i].code]++;
	for (c = 0; c < FL_LAYER_NR_CODES; c++)
		if (n[c])
			fprintf(out, "  %-6s %-22s %s\n", fl_layer_problem[c].id,
				fl_layer_problem[c].name, fl_commas(buf, n[c]));
}

static void print_flush(FILE *out, const char *name, const struct fl_rec *r)
{
	fprintf(out, "  %-9s issued at tick %" PRIu64 ", done at tick %" PRIu64 " (%.9f s)%s\n",
		name, r->issue, r->done, (double)r->done_ns / 1e9,
		r->status ? ", failed" : fl_took_effect(r) ? "" : ", swallowed");
}

static void print_finding(FILE *out, const struct fl_layer *ly, uint64_t i)
{
	const struct fl_layer_finding *f = &ly->f[i];
	const struct fl_layer_problem *pb = &fl_layer_problem[f->code];
	const struct fl_log *low = ly->g->log[f->below];
	char buf[FL_LINE];

	fprintf(out, "\nfinding %" PRIu64 ": %s %s: %s\n", i + 1, pb->id, pb->name, pb->text);
	if (f->flush != f->above->rec)
		print_flush(out, "flush", f->flush);
	fprintf(out, "  write     %s\n", fl_say_write(buf, ly->g, 0, f->above));
	if (f->writes > 1)
		fprintf(out, "            and %" PRIu64 " more writes\n", f->writes - 1);
	fprintf(out, "  lower log %s, %s, sector %" PRIu64 "\n", low->path, low->sup.data_name,
		f->sector);
	if (f->write)
		fprintf(out, "  there     %s\n", fl_say_write(buf, ly->g, f->below, f->write));
	if (f->leg_flush)
		print_flush(out, "its flush", f->leg_flush);
}

static void print_verdict(FILE *out, const struct fl_layer *ly)
{
	char a[32];

	if (!fl_group_complete(ly->g))
		fprintf(out, "\nCOULD NOT JUDGE the whole run: a log ends before the run does.\n");
	if (ly->lost)
		fprintf(out, "\nCOULD NOT JUDGE: the layer changes data, or a lower log is missing; --map tells where sectors lie.\n");
	if (!ly->judged)
		fprintf(out, "\nCOULD NOT JUDGE: no write above is durable, so there is nothing to hold the layer to.\n");
	if (ly->nr)
		fprintf(out, "\nVERDICT: BROKEN. The layer says that writes are durable which are not.\n");
	else if (fl_layer_exit(ly) == FL_EXIT_FINE)
		fprintf(out, "\nVERDICT: GOOD. All %s writes that are durable above are durable below by then.\n",
			fl_commas(a, ly->judged));
}

void fl_layer_report(FILE *out, const struct fl_layer *ly, uint64_t max)
{
	uint64_t i;

	print_logs(out, ly);
	print_counts(out, ly);
	print_codes(out, ly);
	for (i = 0; i < ly->nr && i < max; i++)
		print_finding(out, ly, i);
	if (i < ly->nr)
		fprintf(out, "\n(%" PRIu64 " more findings; --max 0 or --json shows all)\n",
			ly->nr - i);
	print_verdict(out, ly);
}

/* ---- JSON -------------------------------------------------------------------- */

static struct json_object *finding_json(const struct fl_layer_finding *f)
{
	struct json_object *o = json_object_new_object();

	fl_put_text(o, "id", fl_layer_problem[f->code].id);
	fl_put_text(o, "name", fl_layer_problem[f->code].name);
	fl_put_text(o, "text", fl_layer_problem[f->code].text);
	json_object_object_add(o, "flush", fl_record_json(f->flush));
	json_object_object_add(o, "above", fl_record_json(f->above->rec));
	fl_put_num(o, "writes", f->writes);
	fl_put_num(o, "below", f->below);
	fl_put_num(o, "sector", f->sector);
	if (f->write)
		json_object_object_add(o, "write", fl_record_json(f->write->rec));
	if (f->leg_flush)
		json_object_object_add(o, "leg_flush", fl_record_json(f->leg_flush));
	return o;
}

int fl_layer_report_json(const char *path, const struct fl_layer *ly, struct fl_err *err)
{
	struct json_object *o = json_object_new_object();
	struct json_object *findings = json_object_new_array();
	uint64_t i;

	for (i = 0; i < ly->nr; i++)
		json_object_array_add(findings, finding_json(&ly->f[i]));
	fl_put_num(o, "exit", (uint64_t)fl_layer_exit(ly));
	fl_put_num(o, "flushes", ly->flushes);
	fl_put_num(o, "flushes_failed", ly->flushes_failed);
	fl_put_num(o, "judged", ly->judged);
	fl_put_num(o, "unknown", ly->unknown);
	fl_put_num(o, "lost", ly->lost);
	json_object_object_add(o, "logs", fl_logs_json(ly->g));
	json_object_object_add(o, "findings", findings);
	return fl_json_write(o, path, err);
}

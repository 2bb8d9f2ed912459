// SPDX-License-Identifier: GPL-2.0
/* See walk_report.h. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_util.h"
#include "crash_cut.h"
#include "report.h"
#include "v1_log.h"
#include "walk_report.h"

/* ---- sums ---------------------------------------------------------------------- */

void fl_tally(struct fl_tally *t, const struct fl_result *r, uint64_t n)
{
	uint64_t i;
	uint32_t k;

	*t = (struct fl_tally){ .points = n };
	for (i = 0; i < n; i++) {
		t->good += r[i].verdict == FL_POINT_GOOD;
		t->bad += r[i].verdict == FL_POINT_BAD;
		t->same += r[i].verdict == FL_POINT_SAME;
		t->errors += r[i].verdict == FL_POINT_ERROR;
		t->none += r[i].verdict == FL_POINT_NONE;
		t->bytes += r[i].bytes;
		if (r[i].promises > t->promises)
			t->promises = r[i].promises;
		for (k = 0; k < r[i].findings.nr; k++)
			t->codes[r[i].findings.f[k].code]++;
	}
}

int fl_walk_exit(const struct fl_walk_head *h, const struct fl_tally *t)
{
	if (t->errors || !h->complete || h->imported || h->unnamed || !t->points)
		return FL_EXIT_CANNOT;
	if (t->bad)
		return FL_EXIT_FINDINGS;
	return t->none ? FL_EXIT_CANNOT : FL_EXIT_FINE;
}

/* ---- for people ---------------------------------------------------------------- */

static void print_range(FILE *out, const struct fl_fs_finding *f)
{
	fprintf(out, "    %s, bytes %" PRIu64 " to %" PRIu64, f->path, f->start,
		f->start + f->len - 1);
	if (f->gen)
		fprintf(out, ", promised generation %" PRIu64, f->gen);
	fprintf(out, ": %s\n", f->detail);
}

/* The cut as --cuts and a shell take it: a mark's text may be anything. */
static const char *name_cut(char buf[FL_CUT_NAME], const struct fl_result *r, size_t len)
{
	size_t i;

	for (i = 0; i < len && (isalnum((unsigned char)r->point[i]) ||
				strchr("-_", r->point[i])); i++)
		;
	if (i == len)
		snprintf(buf, FL_CUT_NAME, "%.*s", (int)len, r->point);
	else
		snprintf(buf, FL_CUT_NAME, "tick-%" PRIu64, r->tick);
	return buf;
}

static void print_point(FILE *out, const struct fl_walk_head *h, const struct fl_result *r)
{
	const char *slash = strchr(r->point, '/');
	char cut[FL_CUT_NAME];
	uint32_t i;

	fprintf(out, "\nimage %s (tick %" PRIu64 ", %" PRIu64 " promises in force)\n", r->point,
		r->tick, r->promises);
	for (i = 0; i < r->findings.nr && i < 10; i++) {
		const struct fl_fs_finding *f = &r->findings.f[i];

		fprintf(out, "  %s %s: %s\n", fl_fs_problem[f->code].id,
			fl_fs_problem[f->code].name, fl_fs_problem[f->code].text);
		if (f->path[0])
			print_range(out, f);
		else
			fprintf(out, "    %s\n", f->detail);
	}
	if (i < r->findings.nr)
		fprintf(out, "  and %" PRIu32 " more\n", r->findings.nr - i);
	fprintf(out, "  again: fluxlog verify --cuts %s --images %s %s\n",
		name_cut(cut, r, (size_t)(slash - r->point)), slash + 1, h->again);
}

static void print_bad(FILE *out, const struct fl_walk_head *h, const struct fl_result *r,
		      uint64_t n, uint64_t max, const struct fl_tally *t)
{
	uint64_t i, shown = 0;
	char buf[32];
	int c;

	for (c = 0; c < FL_FS_NR_CODES; c++)
		if (t->codes[c])
			fprintf(out, "  %-6s %-22s %s\n", fl_fs_problem[c].id,
				fl_fs_problem[c].name, fl_commas(buf, t->codes[c]));
	for (i = 0; i < n && shown < max; i++) {
		if (r[i].verdict != FL_POINT_BAD)
			continue;
		print_point(out, h, &r[i]);
		shown++;
	}
	if (shown < t->bad)
		fprintf(out, "\n(%" PRIu64 " more bad images; --max 0 or --json shows all)\n",
			t->bad - shown);
	for (i = 0; i < n; i++)
		if (r[i].verdict == FL_POINT_ERROR)
			fprintf(out, "image %s: COULD NOT JUDGE: %s\n", r[i].point, r[i].text);
}

static void print_verdict(FILE *out, const struct fl_walk_head *h, const struct fl_tally *t,
			  const char *why_ended)
{
	char a[32], b[32];

	if (!h->complete)
		fprintf(out, "\nCOULD NOT JUDGE the whole run: a log ends before the run does.\n");
	if (h->imported)
		fprintf(out, "\nCANNOT KNOW: " FL_IMPORTED_SAYS "\n");
	if (h->unnamed)
		fprintf(out, "\nCOULD NOT JUDGE %s promised files: no promise tells their path.\n",
			fl_commas(a, h->unnamed));
	if (t->none)
		fprintf(out, "\nNOT VISITED: %s of %s images (%s).\n", fl_commas(a, t->none),
			fl_commas(b, t->points), why_ended[0] ? why_ended : "unfinished");
	if (!t->points)
		fprintf(out, "\nCOULD NOT JUDGE: no cut was asked for that has a filesystem.\n");
	else if (t->bad && h->imported)
		fprintf(out, "\n%s of %s crash images fail, as the log is read; a correct kernel may be behind it.\n",
			fl_commas(a, t->bad), fl_commas(b, t->points));
	else if (t->bad)
		fprintf(out, "\nVERDICT: BROKEN. %s of %s crash images break a promise or do not recover.\n",
			fl_commas(a, t->bad), fl_commas(b, t->points));
	else if (!t->errors && !t->none && (!h->complete || h->imported || h->unnamed))
		fprintf(out, "\nAs far as can be told all %s crash images are good.\n",
			fl_commas(a, t->points));
	else if (!t->errors && !t->none)
		fprintf(out, "\nVERDICT: GOOD. All %s crash images recover and hold every promise in force.\n",
			fl_commas(a, t->points));
}

void fl_walk_print(FILE *out, const struct fl_walk_head *h, const struct fl_result *r,
		   uint64_t n, uint64_t max, double rate, const char *why_ended)
{
	char a[32], b[32], c[32];
	struct fl_tally t;

	fl_tally(&t, r, n);
	fprintf(out, "filesystem  %s\n", h->fs);
	fprintf(out, "images      %s: %s mounted and judged, %s hold the same bytes as one of them\n",
		fl_commas(a, t.points), fl_commas(b, t.good + t.bad), fl_commas(c, t.same));
	if (h->shards > 1)
		fprintf(out, "shard       %" PRIu64 " of %" PRIu64 "\n", h->shard, h->shards);
	if (h->unborn)
		fprintf(out, "too early   %s cuts lie before the filesystem was made\n",
			fl_commas(a, h->unborn));
	fprintf(out, "results     %s good, %s bad\n", fl_commas(a, t.good + t.same),
		fl_commas(b, t.bad));
	fprintf(out, "compared    %s promised bytes in files; up to %s promises in force\n",
		fl_commas(a, t.bytes), fl_commas(b, t.promises));
	if (rate > 0)
		fprintf(out, "rate        %.1f images a second\n", rate);
	print_bad(out, h, r, n, max, &t);
	print_verdict(out, h, &t, why_ended);
}

/* ---- KTAP ---------------------------------------------------------------------- */

/* On one line: a fsck's words have many. */
static void print_flat(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

static void ktap_finding(FILE *out, const struct fl_fs_finding *f)
{
	fprintf(out, "# %s %s ", fl_fs_problem[f->code].id, fl_fs_problem[f->code].name);
	if (f->path[0]) {
		print_flat(out, f->path);
		fprintf(out, " %" PRIu64 "+%" PRIu64 " ", f->start, f->len);
	}
	print_flat(out, f->detail);
	fputc('\n', out);
}

void fl_walk_ktap(FILE *out, const struct fl_result *r, uint64_t n)
{
	uint64_t i;
	uint32_t k;

	fprintf(out, "KTAP version 1\n1..%" PRIu64 "\n", n);
	for (i = 0; i < n; i++) {
		bool ok = r[i].verdict == FL_POINT_GOOD || r[i].verdict == FL_POINT_SAME;

		if (r[i].verdict == FL_POINT_NONE) {
			fprintf(out, "ok %" PRIu64 " %s # SKIP not visited\n", i + 1, r[i].point);
			continue;
		}
		for (k = 0; k < r[i].findings.nr; k++)
			ktap_finding(out, &r[i].findings.f[k]);
		fprintf(out, "%s %" PRIu64 " %s%s%s\n", ok ? "ok" : "not ok", i + 1, r[i].point,
			r[i].verdict == FL_POINT_ERROR ? " # could not judge: " : "",
			r[i].verdict == FL_POINT_ERROR ? r[i].text : "");
	}
}

/* ---- files --------------------------------------------------------------------- */

char *fl_head_make(const struct fl_walk_head *h)
{
	struct json_object *o = json_object_new_object();
	char *line;

	fl_put_num(o, "walk", 1);
	fl_put_text(o, "what", h->what);
	fl_put_text(o, "fs", h->fs);
	fl_put_text(o, "again", h->again);
	fl_put_num(o, "shard", h->shard);
	fl_put_num(o, "shards", h->shards);
	fl_put_num(o, "points", h->points);
	fl_put_num(o, "unborn", h->unborn);
	fl_put_num(o, "unnamed", h->unnamed);
	json_object_object_add(o, "complete", json_object_new_boolean(h->complete));
	json_object_object_add(o, "imported", json_object_new_boolean(h->imported));
	line = fl_strdup(fl_json_line(o));
	json_object_put(o);
	return line;
}

int fl_head_parse(const char *line, struct fl_walk_head *h)
{
	struct json_object *o = json_tokener_parse(line), *v;
	int ret = -EINVAL;

	*h = (struct fl_walk_head){ 0 };
	if (o && json_object_is_type(o, json_type_object) && fl_get_num(o, "walk") == 1) {
		snprintf(h->what, sizeof(h->what), "%s", fl_get_text(o, "what"));
		snprintf(h->fs, sizeof(h->fs), "%s", fl_get_text(o, "fs"));
		snprintf(h->again, sizeof(h->again), "%s", fl_get_text(o, "again"));
		h->shard = fl_get_num(o, "shard");
		h->shards = fl_get_num(o, "shards");
		h->points = fl_get_num(o, "points");
		h->unborn = fl_get_num(o, "unborn");
		h->unnamed = fl_get_num(o, "unnamed");
		h->complete = json_object_object_get_ex(o, "complete", &v) &&
			      json_object_get_boolean(v);
		h->imported = json_object_object_get_ex(o, "imported", &v) &&
			      json_object_get_boolean(v);
		ret = h->what[0] && h->shards && h->shard && h->shard <= h->shards ? 0 : -EINVAL;
	}
	json_object_put(o);
	return ret;
}

int fl_walk_write(const char *path, const struct fl_walk_head *h, const struct fl_result *r,
		  uint64_t n, struct fl_err *err)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "we") : stdout;
	char *line = fl_head_make(h);
	uint64_t i;
	int bad;

	if (!f) {
		free(line);
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	}
	fprintf(f, "%s\n", line);
	free(line);
	for (i = 0; i < n; i++) {
		if (r[i].verdict == FL_POINT_NONE)
			continue;
		line = fl_line_make(&r[i]);
		fprintf(f, "%s\n", line);
		free(line);
	}
	bad = ferror(f) | (f == stdout ? fflush(f) : fclose(f));
	return bad ? fl_fail(err, EIO, "%s: could not be written", path) : 0;
}

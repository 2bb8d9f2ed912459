// SPDX-License-Identifier: GPL-2.0
/* See report.h: the text form. */
#include <inttypes.h>
#include <string.h>

#include "log_names.h"
#include "report.h"
#include "stack.h"
#include "v1_log.h"

/* ---- words ------------------------------------------------------------------- */

const char *fl_commas(char *buf, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v), i;
	char *p = buf;

	for (i = 0; i < n; i++) {
		*p++ = digits[i];
		if (i + 1 < n && (n - i - 1) % 3 == 0)
			*p++ = ',';
	}
	*p = '\0';
	return buf;
}

const char *fl_say_range(char *buf, const struct fl_prom *p, uint64_t start, uint64_t len)
{
	snprintf(buf, FL_LINE, "%s %" PRIu64 " to %" PRIu64,
		 p->kind == FLUXLOG_PROMISE_FILE ? "bytes" : "sectors", start,
		 start + len - 1);
	return buf;
}

const char *fl_say_promise(char *buf, const struct fl_group *g, uint64_t prom)
{
	const struct fl_prom *p = &g->prom[prom];
	char range[FL_LINE], who[128] = "";
	struct fl_promise whole;

	fl_promise_get(p->log, p->rec, &whole);
	if (p->kind == FLUXLOG_PROMISE_SECTORS)
		snprintf(who, sizeof(who), "device %" PRIu64, p->file);
	else if (whole.path[0])
		snprintf(who, sizeof(who), "file %" PRIu64 " (%.80s)", p->file, whole.path);
	else
		snprintf(who, sizeof(who), "file %" PRIu64, p->file);
	fl_say_range(range, p, p->start, p->len);
	if (p->kind == FLUXLOG_PROMISE_FILE)
		snprintf(range + strlen(range), sizeof(range) - strlen(range),
			 " generation %" PRIu64, p->gen);
	snprintf(buf, FL_LINE, "%s of %s, %.100s, at %.9f s (message at tick %" PRIu64 ")",
		 fl_call_name(p->call), who, range, (double)p->at_ns / 1e9, p->rec->issue);
	return buf;
}

const char *fl_say_write(char *buf, const struct fl_group *g, uint32_t dev,
			 const struct fl_ver *v)
{
	const struct fl_rec *r = v->rec;

	snprintf(buf, FL_LINE,
		 "%s%s of device %u, sectors %" PRIu64 " to %" PRIu64
		 ", issued at tick %" PRIu64 ", done at tick %" PRIu64 "%s",
		 r->flags & FLUXLOG_F_FUA ? "FUA " : "", fl_kind_name(r->kind),
		 g->log[dev]->sup.dev, r->sector, r->sector + r->nr - 1, r->issue, r->done,
		 r->status ? ", failed" : "");
	return buf;
}

/* ---- summary ----------------------------------------------------------------- */

static void print_logs(FILE *out, const struct fl_group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		fprintf(out, "log         %s: %s%s%s\n", g->log[i]->path,
			fl_end_name(g->log[i]->end), g->log[i]->end_why[0] ? ", " : "",
			g->log[i]->end_why);
}

static void print_counts(FILE *out, const struct fl_check *ck)
{
	char a[32], b[32], c[32], d[32];

	fprintf(out, "records     %s: %s writes (%s FUA), %s flushes,",
		fl_commas(a, ck->records), fl_commas(b, ck->writes), fl_commas(c, ck->fua),
		fl_commas(d, ck->flushes));
	fprintf(out, " %s discards, %s promises, %s marks; %s failed\n",
		fl_commas(a, ck->discards), fl_commas(b, ck->promises),
		fl_commas(c, ck->marks), fl_commas(d, ck->failed));
	fprintf(out, "walked      %s flush points; at most %s writes float at one cut",
		fl_commas(a, ck->flush_points), fl_commas(b, ck->widest));
	if (ck->widest)
		fprintf(out, " (tick %" PRIu64 ")", ck->widest_tick);
	fprintf(out, "\npromises    %s judged: %s kept, %s broken", fl_commas(a, ck->judged),
		fl_commas(b, ck->kept), fl_commas(c, ck->broken));
	if (ck->beyond)
		fprintf(out, "; %s NOT JUDGED", fl_commas(a, ck->beyond));
	fprintf(out, "\nblocks      %s promised, of %s bytes\n", fl_commas(a, ck->blocks),
		fl_commas(b, ck->block));
	fprintf(out, "findings    %s\n", fl_commas(a, ck->findings.nr));
}

/* ---- findings ---------------------------------------------------------------- */

static void print_finding(FILE *out, const struct fl_group *g, const struct fl_check *ck,
			  uint64_t i)
{
	const struct fl_finding *f = &ck->findings.f[i];
	const struct fl_problem *pb = &fl_problem[f->code];
	char buf[FL_LINE];

	fprintf(out, "\nfinding %" PRIu64 ": %s %s: %s\n", i + 1, pb->id, pb->name, pb->text);
	fprintf(out, "  promise   %s\n", fl_say_promise(buf, g, f->prom));
	fprintf(out, "  part      %s\n",
		fl_say_range(buf, &g->prom[f->prom], f->start, f->len));
	if (g->stacked && f->dev != FL_NO_DEV)
		fprintf(out, "  %-9s %s\n", f->dev ? "leg" : "above", g->log[f->dev]->path);
	if (f->write)
		fprintf(out, "  promised  %s\n", fl_say_write(buf, g, f->dev, f->write));
	if (f->other && f->other != f->write)
		fprintf(out, "  instead   %s\n", fl_say_write(buf, g, f->dev, f->other));
	if (f->flush)
		fprintf(out, "  flush     issued at tick %" PRIu64 ", done at tick %" PRIu64
			" (%.9f s)%s\n", f->flush->issue, f->flush->done,
			(double)f->flush->done_ns / 1e9, f->flush->status ? ", failed"
			: fl_took_effect(f->flush) ? "" : ", swallowed");
}

static void print_codes(FILE *out, const struct fl_check *ck)
{
	uint64_t n[FL_NR_CODES] = { 0 }, i;
	char buf[32];
	int c;

	for (i = 0; i < ck->findings.nr; i++)
		n[ck->findings.f[i].code]++;
	for (c = 0; c < FL_NR_CODES; c++)
		if (n[c])
			fprintf(out, "  %-6s %-22s %s\n", fl_problem[c].id, fl_problem[c].name,
				fl_commas(buf, n[c]));
}

static void print_findings(FILE *out, const struct fl_group *g, const struct fl_check *ck,
			   uint64_t max)
{
	uint64_t i;

	print_codes(out, ck);
	for (i = 0; i < ck->findings.nr && i < max; i++)
		print_finding(out, g, ck, i);
	if (i < ck->findings.nr)
		fprintf(out, "\n(%" PRIu64 " more findings; --max 0 or --json shows all)\n",
			ck->findings.nr - i);
	if (ck->findings.nr)
		fprintf(out, "\nfluxlog explain %sLOG... NUMBER tells the story of a finding.\n",
			g->stacked ? "--top TOP " : "");
}

/* ---- verdict ----------------------------------------------------------------- */

/* What another rule says is no verdict on the kernel. */
static void print_accusations(FILE *out, const struct fl_check *ck)
{
	char a[32], b[32];

	fprintf(out, "\nNO VERDICT: by the rule of dm-log-writes, which is not the true one, %s of %s promises would be called broken.\n",
		fl_commas(a, ck->broken), fl_commas(b, ck->judged));
}

static void print_verdict(FILE *out, const struct fl_group *g, const struct fl_check *ck)
{
	bool whole = fl_group_complete(g) && !ck->beyond;
	char a[32], b[32];

	if (fl_group_imported(g)) {
		fprintf(out, "\nCANNOT KNOW: " FL_IMPORTED_SAYS "\n");
		return;
	}
	if (!fl_group_complete(g))
		fprintf(out, "\nCOULD NOT JUDGE the whole run: a log ends before the run does; beyond tick %"
			PRIu64 " nothing is known.\n", g->horizon);
	else if (ck->beyond)
		fprintf(out, "\nCOULD NOT JUDGE %s promises: other writes above the layer had the same bytes in flight, and what is lost below may be theirs.\n",
			fl_commas(a, ck->beyond));
	if (g->log_writes)
		print_accusations(out, ck);
	else if (!ck->promises)
		fprintf(out, "\nCOULD NOT JUDGE: no promise in the log, so there is nothing to hold it to.\n");
	else if (ck->broken)
		fprintf(out, "\nVERDICT: BROKEN. %s of %s promises do not survive a power cut at every instant.\n",
			fl_commas(a, ck->broken), fl_commas(b, ck->judged));
	else if (ck->judged)
		fprintf(out, "\nVERDICT: %s. All %s promises%s survive a power cut at every instant.\n",
			whole ? "GOOD" : "good as far as it goes", fl_commas(a, ck->judged),
			whole ? "" : " that could be judged");
}

int fl_check_exit(const struct fl_group *g, const struct fl_check *ck)
{
	if (!fl_group_complete(g) || fl_group_imported(g) || !ck->promises || ck->beyond ||
	    g->log_writes)
		return FL_EXIT_CANNOT;
	return ck->findings.nr ? FL_EXIT_FINDINGS : FL_EXIT_FINE;
}

void fl_report_check(FILE *out, const struct fl_group *g, const struct fl_check *ck,
		     uint64_t max)
{
	print_logs(out, g);
	print_counts(out, ck);
	if (g->stacked)
		fl_stack_report(out, g, ck);
	print_findings(out, g, ck, max);
	print_verdict(out, g, ck);
}

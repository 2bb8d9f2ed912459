// SPDX-License-Identifier: GPL-2.0
/* See checker.h: counts, the walk over flush points, and the walk over promises. */
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "crash_cut.h"
#include "progress.h"
#include "sorted.h"
#include "v1_log.h"

/* ---- counts ------------------------------------------------------------------ */

static bool is_write(const struct fl_rec *r)
{
	return r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES;
}

static void count_record(struct fl_check *ck, const struct fl_rec *r)
{
	bool fua = is_write(r) && (r->flags & FLUXLOG_F_FUA);

	ck->records++;
	ck->writes += is_write(r);
	ck->fua += fua;
	ck->flushes += r->kind == FLUXLOG_FLUSH;
	ck->discards += r->kind == FLUXLOG_DISCARD;
	ck->marks += r->kind == FLUXLOG_MARK;
	ck->failed += r->status && r->kind <= FLUXLOG_ZEROES;
	ck->flush_points += fl_is_flush_point(r);
}

static void count_records(struct fl_check *ck, const struct fl_group *g)
{
	unsigned int i;
	uint64_t r;

	for (i = fl_group_first(g); i < g->nr; i++)
		for (r = 0; r < g->log[i]->nr_rec; r++)
			count_record(ck, &g->log[i]->rec[r]);
}

/* A promise's range in bytes; sectors promises count sectors of 512. */
static uint64_t bytes_of(const struct fl_prom *p, uint64_t v)
{
	return p->kind == FLUXLOG_PROMISE_SECTORS ? v * FL_SECTOR : v;
}

/* The largest block up to 4096 bytes on which all promises begin and end. */
static void count_blocks(struct fl_check *ck, const struct fl_group *g)
{
	uint64_t i, all = 4096, bytes = 0;

	for (i = 0; i < g->nr_prom; i++) {
		all |= bytes_of(&g->prom[i], g->prom[i].start);
		all |= bytes_of(&g->prom[i], g->prom[i].len);
		bytes += bytes_of(&g->prom[i], g->prom[i].len);
	}
	ck->block = all & -all;
	ck->blocks = bytes / ck->block;
}

/* ---- floating writes at each cut --------------------------------------------- */

/* Sweep over all cuts in the order of ticks: one more floats at each issue, one
 * less from the tick on at which it is durable. */
static void sweep(struct fl_check *ck, const uint64_t *issue, const uint64_t *dur,
		  uint64_t n)
{
	uint64_t i, d = 0;

	for (i = 0; i < n; i++) {
		while (d < n && dur[d] <= issue[i])
			d++;
		if (i + 1 - d > ck->widest) {
			ck->widest = i + 1 - d;
			ck->widest_tick = issue[i];
		}
	}
}

static void find_widest(struct fl_check *ck, const struct fl_group *g)
{
	uint64_t *issue = fl_alloc(ck->writes + 1, sizeof(*issue));
	uint64_t *dur = fl_alloc(ck->writes + 1, sizeof(*dur));
	uint64_t n = 0;
	unsigned int i;
	uint32_t v;

	for (i = fl_group_first(g); i < g->nr; i++) {
		for (v = 0; v < g->dev[i].nr_ver; v++) {
			if (!is_write(g->dev[i].ver[v].rec))
				continue;
			issue[n] = g->dev[i].ver[v].rec->issue;
			dur[n++] = g->dev[i].ver[v].dur;
		}
	}
	fl_sort_u64(issue, n);
	fl_sort_u64(dur, n);
	sweep(ck, issue, dur, n);
	free(issue);
	free(dur);
}

/* ---- promises ---------------------------------------------------------------- */

static void not_judged(struct fl_check *ck, uint64_t i)
{
	ck->verdict[i] = FL_BEYOND;
	ck->beyond++;
}

static int judge(struct fl_check *ck, const struct fl_group *g, uint64_t i,
		 struct fl_err *err)
{
	uint64_t before = ck->findings.nr;
	bool broken;
	int ret;

	if (g->prom[i].rec->issue > g->horizon || fl_group_imported(g)) {
		not_judged(ck, i);
		return 0;
	}
	ret = g->prom[i].kind == FLUXLOG_PROMISE_FILE
		? fl_judge_file(g, i, &ck->findings, err)
		: fl_judge_sectors(g, i, &ck->findings, err);
	if (ret < 0)
		return ret;
	broken = ck->findings.nr > before;
	if (ret == FL_UNSURE && !broken) {
		not_judged(ck, i);
		return 0;
	}
	ck->judged++;
	ck->verdict[i] = broken ? FL_BROKEN : FL_KEPT;
	ck->broken += broken;
	ck->kept += !broken;
	return 0;
}

int fl_check_run(struct fl_check *ck, const struct fl_group *g, struct fl_err *err)
{
	struct fl_progress meter;
	uint64_t i;
	int ret = 0;

	memset(ck, 0, sizeof(*ck));
	count_records(ck, g);
	count_blocks(ck, g);
	find_widest(ck, g);
	ck->promises = g->nr_prom;
	ck->verdict = fl_alloc(g->nr_prom + 1, sizeof(*ck->verdict));
	fl_progress_begin(&meter, "judging promises", g->nr_prom);
	for (i = 0; i < g->nr_prom && !ret; i++) {
		ret = judge(ck, g, i, err);
		if (i % 1024 == 0)
			fl_progress_step(&meter, i);
	}
	fl_progress_end(&meter);
	return ret;
}

void fl_check_free(struct fl_check *ck)
{
	fl_findings_free(&ck->findings);
	free(ck->verdict);
	memset(ck, 0, sizeof(*ck));
}

// SPDX-License-Identifier: GPL-2.0
/* See crash_cut.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_cut.h"
#include "sorted.h"
#include "text_lex.h"

static int cmp_mark(const void *a, const void *b)
{
	const struct fl_mark *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

bool fl_is_flush_point(const struct fl_rec *r)
{
	return r->kind == FLUXLOG_FLUSH ||
	       ((r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES) &&
		(r->flags & FLUXLOG_F_FUA));
}

/* ---- marks ------------------------------------------------------------------- */

static void mark_name(struct fl_mark *m, const struct fl_log *log, const struct fl_rec *r)
{
	const uint8_t *text = log->inl + r->inl;
	size_t i, n = (size_t)snprintf(m->name, sizeof(m->name), "mark-");

	/* room for ".N" stays */
	for (i = 0; i < r->inl_len && n < sizeof(m->name) - 24; i++)
		m->name[n++] = text[i] > 0x20 && text[i] < 0x7f && text[i] != '/'
			? (char)text[i] : '_';
	m->name[n] = '\0';
}

static int cmp_name(const void *a, const void *b)
{
	const struct fl_mark *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : cmp_mark(a, b);
}

/* Equal names get numbers, in the order of their ticks. */
static void number_marks(struct fl_cuts *cuts)
{
	uint64_t i, first = 0;

	qsort(cuts->mark, cuts->nr_mark, sizeof(*cuts->mark), cmp_name);
	for (i = 1; i < cuts->nr_mark; i++) {
		size_t n = strlen(cuts->mark[i].name);

		if (strcmp(cuts->mark[i].name, cuts->mark[first].name))
			first = i;
		else
			snprintf(cuts->mark[i].name + n, sizeof(cuts->mark[i].name) - n,
				 ".%" PRIu64, i - first + 1);
	}
	qsort(cuts->mark, cuts->nr_mark, sizeof(*cuts->mark), cmp_mark);
}

/* ---- building ---------------------------------------------------------------- */

static void count(struct fl_cuts *cuts, const struct fl_log *log)
{
	uint64_t r;

	for (r = 0; r < log->nr_rec; r++) {
		cuts->nr_flush += fl_is_flush_point(&log->rec[r]);
		cuts->nr_mark += log->rec[r].kind == FLUXLOG_MARK;
	}
}

static void collect(struct fl_cuts *cuts, const struct fl_log *log)
{
	uint64_t r;

	for (r = 0; r < log->nr_rec; r++) {
		const struct fl_rec *rec = &log->rec[r];

		if (rec->done > cuts->g->horizon)
			continue;
		if (rec->done > cuts->last)
			cuts->last = rec->done;
		if (fl_is_flush_point(rec))
			cuts->flush[cuts->nr_flush++] = rec->done;
		if (rec->kind == FLUXLOG_MARK) {
			cuts->mark[cuts->nr_mark].tick = rec->done;
			mark_name(&cuts->mark[cuts->nr_mark++], log, rec);
		}
	}
}

void fl_cuts_build(struct fl_cuts *cuts, const struct fl_group *g)
{
	unsigned int i;

	*cuts = (struct fl_cuts){ .g = g };
	for (i = 0; i < g->nr; i++)
		count(cuts, g->log[i]);
	cuts->flush = fl_alloc(cuts->nr_flush + 1, sizeof(*cuts->flush));
	cuts->mark = fl_alloc(cuts->nr_mark + 1, sizeof(*cuts->mark));
	cuts->nr_flush = cuts->nr_mark = 0;
	for (i = 0; i < g->nr; i++)
		collect(cuts, g->log[i]);
	fl_sort_u64(cuts->flush, cuts->nr_flush);
	number_marks(cuts);
}

void fl_cuts_free(struct fl_cuts *cuts)
{
	free(cuts->flush);
	free(cuts->mark);
	memset(cuts, 0, sizeof(*cuts));
}

/* ---- names ------------------------------------------------------------------- */

const char *fl_cut_name(char buf[FL_CUT_NAME], const struct fl_cuts *cuts,
			enum fl_cut_kind kind, uint64_t nr)
{
	static const char *const prefix[] = {
		[FL_CUT_FLUSH] = "flush-", [FL_CUT_PROMISE] = "promise-",
		[FL_CUT_TICK] = "tick-", [FL_CUT_START] = "start", [FL_CUT_END] = "end",
	};

	if (kind == FL_CUT_MARK)
		snprintf(buf, FL_CUT_NAME, "%s", cuts->mark[nr - 1].name);
	else if (kind == FL_CUT_START || kind == FL_CUT_END)
		snprintf(buf, FL_CUT_NAME, "%s", prefix[kind]);
	else
		snprintf(buf, FL_CUT_NAME, "%s%" PRIu64, prefix[kind], nr);
	return buf;
}

static bool find_mark(const struct fl_cuts *cuts, const char *name, uint64_t *tick)
{
	uint64_t i;

	for (i = 0; i < cuts->nr_mark; i++) {
		if (!strcmp(cuts->mark[i].name, name)) {
			*tick = cuts->mark[i].tick;
			return true;
		}
	}
	return false;
}

/* "PREFIXN" with a number written as fl_cut_name() writes it, so that one cut has one
 * name. */
static bool numbered(const char *name, const char *prefix, uint64_t *nr)
{
	size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && name[n] >= '0' && name[n] <= '9' &&
	       !(name[n] == '0' && name[n + 1]) && fl_text_u64(name + n, NULL, nr);
}

static bool find_tick(const struct fl_cuts *cuts, const char *name, uint64_t *tick)
{
	uint64_t nr = 0;

	if (!strcmp(name, "start"))
		*tick = 0;
	else if (!strcmp(name, "end"))
		*tick = cuts->last;
	else if (numbered(name, "flush-", &nr) && nr && nr <= cuts->nr_flush)
		*tick = cuts->flush[nr - 1];
	else if (numbered(name, "promise-", &nr) && nr && nr <= cuts->g->nr_prom)
		*tick = cuts->g->prom[nr - 1].rec->issue;
	else if (numbered(name, "tick-", &nr))
		*tick = nr;
	else
		return find_mark(cuts, name, tick);
	return true;
}

int fl_cut_find(const struct fl_cuts *cuts, const char *name, size_t len, uint64_t *tick,
		struct fl_err *err)
{
	char buf[FL_CUT_NAME];

	snprintf(buf, sizeof(buf), "%.*s", (int)(len < sizeof(buf) ? len : sizeof(buf)), name);
	if (len >= sizeof(buf) || !find_tick(cuts, buf, tick))
		return fl_fail(err, EINVAL,
			       "no cut \"%s\": flush-1 to flush-%" PRIu64 ", promise-1 to promise-%"
			       PRIu64 ", mark-TEXT, tick-T, start, end",
			       buf, cuts->nr_flush, cuts->g->nr_prom);
	if (*tick > cuts->last && cuts->g->horizon != FL_NEVER)
		return fl_fail(err, EINVAL,
			       "cut \"%s\" is beyond tick %" PRIu64 ", where a log ends early",
			       buf, cuts->last);
	return 0;
}

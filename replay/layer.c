// SPDX-License-Identifier: GPL-2.0
/* See layer.h: the rule, and writes that are found by a map. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "text_lex.h"
#include "v1_log.h"

const struct fl_layer_problem fl_layer_problem[FL_LAYER_NR_CODES] = {
	[FL_LAYER_NOT_WRITTEN] = { "FL201", "layer-not-written",
		"a write was done above, and no write below has its sectors" },
	[FL_LAYER_WRITE_FAILED] = { "FL202", "layer-write-failed",
		"a write was done above, but it failed below or never reached the device" },
	[FL_LAYER_FLUSH_FAILED] = { "FL203", "layer-flush-failed",
		"a flush succeeded above, but that of the device below failed" },
	[FL_LAYER_FLUSH_SWALLOWED] = { "FL204", "layer-flush-swallowed",
		"a flush succeeded above, but that of the device below was swallowed" },
	[FL_LAYER_FLUSH_LATE] = { "FL205", "layer-flush-late",
		"a flush was done above before that of the device below was done" },
	[FL_LAYER_FLUSH_EARLY] = { "FL206", "layer-flush-early",
		"the device below was flushed before the write there was done" },
	[FL_LAYER_NOT_FLUSHED] = { "FL207", "layer-not-flushed",
		"a flush succeeded above, and the device below that holds the write was not flushed" },
};

int fl_layer_map_parse(const char *text, struct fl_layer_map *out, struct fl_err *err)
{
	uint64_t v[4];
	unsigned int i;
	const char *p = text;

	for (i = 0; i < 4; i++) {
		p += strspn(p, " ");
		if (!fl_text_u64(p, &p, &v[i]) || (*p && *p != ' '))
			break;
	}
	if (i < 4 || p[strspn(p, " ")] || !v[1] || v[0] + v[1] < v[0] ||
	    v[3] + v[1] < v[3] || !v[2] || v[2] >= FL_GROUP_MAX)
		return fl_fail(err, EINVAL,
			       "map \"%s\": should be four numbers: sector above, sectors, lower log (from 1), sector below",
			       text);
	*out = (struct fl_layer_map){ v[0], v[1], (unsigned int)v[2], v[3] };
	return 0;
}

/* ---- the rule ---------------------------------------------------------------- */

static int is_it(void *arg, const struct fl_ver *v)
{
	return v == arg;
}

bool fl_layer_is_safe(const struct fl_dev *low, const struct fl_ver *w, uint64_t sector,
		      uint64_t by)
{
	struct fl_cut cut = { .at = by };
	bool base;

	if (w->dur <= by)
		return true;
	return !fl_front(low, fl_index_seg(&low->index, sector), cut, FL_DURABLE, is_it,
			 (void *)w, &base);
}

/* Why @w is not durable by @by: what became of the flushes of its device. */
static enum fl_layer_code why(const struct fl_dev *low, const struct fl_ver *w, uint64_t by,
			      const struct fl_rec **flush)
{
	uint32_t after = fl_flush_after(low, w->rec->done), i;

	*flush = NULL;
	if (!fl_took_effect(w->rec))
		return FL_LAYER_WRITE_FAILED;
	for (i = after; i < low->nr_flush && low->flush[i]->issue < by; i++) {
		*flush = low->flush[i];
		if (fl_took_effect(*flush))
			return FL_LAYER_FLUSH_LATE;
		if ((*flush)->done < by)
			return (*flush)->status ? FL_LAYER_FLUSH_FAILED
						: FL_LAYER_FLUSH_SWALLOWED;
	}
	*flush = NULL;
	for (i = after; i-- > 0 && low->flush_done[i] > w->rec->issue;) {
		if (fl_took_effect(low->flush[i]) && low->flush[i]->done > w->rec->issue) {
			*flush = low->flush[i];
			return FL_LAYER_FLUSH_EARLY;
		}
	}
	return FL_LAYER_NOT_FLUSHED;
}

static int cmp_done(const void *a, const void *b)
{
	const struct fl_rec *x = *(const struct fl_rec *const *)a;
	const struct fl_rec *y = *(const struct fl_rec *const *)b;

	return x->done < y->done ? -1 : x->done > y->done;
}

/* What made @above durable: its own end if it was FUA, or a flush. */
static const struct fl_rec *made_durable(const struct fl_layer *ly, const struct fl_ver *above)
{
	struct fl_rec key = { .done = above->dur };
	const struct fl_rec *p = &key, **hit;

	if (above->dur == above->rec->done)
		return above->rec;
	hit = bsearch(&p, ly->by_done, ly->nr_by_done, sizeof(*hit), cmp_done);
	return hit ? *hit : above->rec;
}

static void add(struct fl_layer *ly, const struct fl_layer_finding *f)
{
	uint64_t i = ly->nr;

	/* the writes of one flush lie close together */
	while (i-- > 0 && ly->nr - i <= 16) {
		struct fl_layer_finding *old = &ly->f[i];

		if (old->flush != f->flush || old->below != f->below || old->code != f->code)
			continue;
		if (old->above != f->above)
			old->writes++;
		return;
	}
	if (ly->nr == ly->room) {
		ly->room = ly->room ? 2 * ly->room : 16;
		ly->f = fl_realloc(ly->f, ly->room, sizeof(*ly->f));
	}
	ly->f[ly->nr++] = *f;
}

void fl_layer_accuse(struct fl_layer *ly, const struct fl_ver *above, unsigned int below,
		     const struct fl_ver *w, uint64_t sector)
{
	struct fl_layer_finding f = {
		.code = FL_LAYER_NOT_WRITTEN, .flush = made_durable(ly, above),
		.above = above, .below = below, .write = w, .sector = sector, .writes = 1,
	};

	if (w)
		f.code = why(&ly->g->dev[below], w, above->dur, &f.leg_flush);
	add(ly, &f);
}

/* ---- by a map ---------------------------------------------------------------- */

/* Writes below that can be @above's, of one list. *@seen: the last that failed, or, which
 * counts for more, one that succeeded. */
static void judge_list(struct fl_layer *ly, const struct fl_ver *above, unsigned int below,
		       const struct fl_list *l, uint64_t sector, const struct fl_ver **seen)
{
	const struct fl_dev *low = &ly->g->dev[below];
	struct fl_cut issued = { .at = above->rec->issue };
	uint32_t i;

	for (i = fl_list_below(l, fl_issued_below(low, issued)); i < l->n; i++) {
		const struct fl_ver *w = &low->ver[l->id[i]];

		if (w->rec->issue > above->rec->done)
			break;
		if (!fl_layer_within(w, above))
			continue;
		if (!*seen || fl_took_effect(w->rec))
			*seen = w;
		if (fl_took_effect(w->rec) && !fl_layer_is_safe(low, w, sector, above->dur))
			fl_layer_accuse(ly, above, below, w, sector);
	}
}

static void judge_segment(struct fl_layer *ly, const struct fl_ver *above, unsigned int below,
			  uint64_t sector)
{
	const struct fl_index *ix = &ly->g->dev[below].index;
	uint32_t seg = fl_index_seg(ix, sector);
	struct fl_list list[FL_INDEX_LISTS];
	unsigned int nr = seg == FL_NO_SEG ? 0 : fl_index_lists(ix, seg, list), i;
	const struct fl_ver *seen = NULL;

	for (i = 0; i < nr; i++)
		judge_list(ly, above, below, &list[i], sector, &seen);
	if (!seen || !fl_took_effect(seen->rec))
		fl_layer_accuse(ly, above, below, seen, sector);
}

/* The part of @above that @m takes. */
static void judge_part(struct fl_layer *ly, const struct fl_ver *above,
		       const struct fl_layer_map *m)
{
	uint64_t from = above->rec->sector, to = from + above->rec->nr;
	uint64_t pos, last;

	from = from > m->start ? from : m->start;
	to = to < m->start + m->len ? to : m->start + m->len;
	if (from >= to)
		return;
	last = m->at + (to - m->start);
	for (pos = m->at + (from - m->start); pos < last;
	     pos = fl_index_until(&ly->g->dev[m->below].index, pos))
		judge_segment(ly, above, m->below, pos);
}

/* How far from @from on each sector is in a map. */
static uint64_t mapped_until(const struct fl_layer *ly, uint64_t from)
{
	uint64_t until = from;
	unsigned int i;

	for (i = 0; i < ly->nr_map; i++) {
		const struct fl_layer_map *m = &ly->map[i];

		if (from >= m->start && from < m->start + m->len && m->start + m->len > until)
			until = m->start + m->len;
	}
	return until;
}

static int judge_mapped(struct fl_layer *ly, const struct fl_ver *above, struct fl_err *err)
{
	uint64_t pos = above->rec->sector, to = pos + above->rec->nr, until;
	unsigned int i;

	for (; pos < to; pos = until) {
		until = mapped_until(ly, pos);
		if (until == pos)
			return fl_fail(err, EINVAL, "%s: sector %llu was written and no --map has it",
				       ly->g->log[0]->path, (unsigned long long)pos);
	}
	for (i = 0; i < ly->nr_map; i++)
		judge_part(ly, above, &ly->map[i]);
	ly->judged++;
	return 0;
}

static int by_map(struct fl_layer *ly, struct fl_err *err)
{
	const struct fl_dev *top = &ly->g->dev[0];
	uint32_t i;
	int ret = 0;

	for (i = 0; i < top->nr_ver && !ret; i++)
		if (top->ver[i].dur != FL_NEVER)
			ret = judge_mapped(ly, &top->ver[i], err);
	return ret;
}

static int check_map(const struct fl_layer *ly, struct fl_err *err)
{
	unsigned int i;

	for (i = 0; i < ly->nr_map; i++) {
		const struct fl_layer_map *m = &ly->map[i];

		if (m->below >= ly->g->nr)
			return fl_fail(err, EINVAL, "--map names lower log %u, there are %u",
				       m->below, ly->g->nr - 1);
		if (m->at + m->len > ly->g->log[m->below]->sup.data_sectors)
			return fl_fail(err, EINVAL,
				       "--map goes past the %llu sectors of the device of %s",
				       (unsigned long long)ly->g->log[m->below]->sup.data_sectors,
				       ly->g->log[m->below]->path);
	}
	return 0;
}

/* ---- all of it --------------------------------------------------------------- */

static void collect_flushes(struct fl_layer *ly)
{
	const struct fl_dev *top = &ly->g->dev[0];
	uint32_t i;

	ly->by_done = fl_alloc((size_t)top->nr_flush + 1, sizeof(*ly->by_done));
	for (i = 0; i < top->nr_flush; i++) {
		if (fl_took_effect(top->flush[i]))
			ly->by_done[ly->nr_by_done++] = top->flush[i];
	}
	ly->flushes = top->nr_flush;
	ly->flushes_failed = top->nr_flush - ly->nr_by_done;
	qsort(ly->by_done, ly->nr_by_done, sizeof(*ly->by_done), cmp_done);
}

int fl_layer_run(struct fl_layer *ly, const struct fl_group *g,
		 const struct fl_layer_map *map, unsigned int nr_map, struct fl_err *err)
{
	int ret;

	*ly = (struct fl_layer){ .g = g, .map = map, .nr_map = nr_map };
	if (fl_group_imported(g))
		return fl_fail(err, EINVAL, FL_IMPORTED_SAYS);
	ret = check_map(ly, err);
	if (ret)
		return ret;
	collect_flushes(ly);
	return nr_map ? by_map(ly, err) : fl_layer_by_content(ly, err);
}

void fl_layer_free(struct fl_layer *ly)
{
	free(ly->by_done);
	free(ly->f);
	memset(ly, 0, sizeof(*ly));
}

int fl_layer_exit(const struct fl_layer *ly)
{
	if (!fl_group_complete(ly->g) || !ly->judged || ly->lost)
		return FL_EXIT_CANNOT;
	return ly->nr ? FL_EXIT_FINDINGS : FL_EXIT_FINE;
}

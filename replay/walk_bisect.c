// SPDX-License-Identifier: GPL-2.0
/* See walk_bisect.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sorted.h"
#include "walk_bisect.h"

/* What goes on: which writes may be in the set, and whether a set is lost or arrives. */
struct hunt {
	struct fl_bisect *b;
	const struct fl_judge_opts *jo;
	const struct fl_walk_opts *wo;
	uint64_t cut;
	enum fl_variant_kind how;	/* FL_DROP or FL_ONLY */
	uint64_t *rec;
	uint32_t nr;
	struct fl_err *err;
};

/* ---- trying images ------------------------------------------------------------- */

static struct fl_point point_at(uint64_t cut, struct fl_variant *var)
{
	struct fl_point p = { .cut = cut, .var = var, .same = FL_NO_POINT };

	snprintf(p.cut_name, sizeof(p.cut_name), "tick-%" PRIu64, cut);
	return p;
}

/* Judge @n points at the same time; bad[i] is set for each. */
static int try_points(struct hunt *h, struct fl_point *p, uint32_t n, bool *bad)
{
	struct fl_plan plan = { .point = p, .nr = n };
	struct fl_walk w;
	uint32_t i;
	int ret;

	fl_walk_init(&w, &plan);
	ret = fl_walk_run(&w, h->jo, h->wo, h->err);
	for (i = 0; i < n && !ret; i++) {
		if (w.result[i].verdict == FL_POINT_GOOD || w.result[i].verdict == FL_POINT_BAD)
			bad[i] = w.result[i].verdict == FL_POINT_BAD;
		else
			ret = fl_fail(h->err, EIO, "image %s: %s", w.result[i].point,
				      w.result[i].text[0] ? w.result[i].text : w.why_ended);
	}
	h->b->images += n;
	fl_walk_free(&w);
	return ret;
}

static int try_variant(struct hunt *h, uint64_t cut, const struct fl_variant *var, bool *bad)
{
	struct fl_variant copy = *var;
	struct fl_point p = point_at(cut, &copy);

	return try_points(h, &p, 1, bad);
}

static int try_kind(struct hunt *h, uint64_t cut, enum fl_variant_kind kind, bool *bad)
{
	return try_variant(h, cut, &(struct fl_variant){ .kind = kind }, bad);
}

/* Some sets of h->rec at the same time. A set that is too large to name is not tried and
 * counts as good. */
struct set {
	const uint64_t *rec;
	uint32_t nr;
};

static int try_sets(struct hunt *h, const struct set *s, uint32_t n, bool *bad)
{
	struct fl_variant *var = fl_alloc((size_t)n + 1, sizeof(*var));
	struct fl_point *p = fl_alloc((size_t)n + 1, sizeof(*p));
	uint32_t *who = fl_alloc((size_t)n + 1, sizeof(*who)), m = 0, i;
	bool *got = fl_alloc((size_t)n + 1, sizeof(*got));
	int ret;

	for (i = 0; i < n; i++) {
		bad[i] = false;
		if (!s[i].nr || s[i].nr > FL_VARIANT_RECS)
			continue;
		var[m] = (struct fl_variant){ .kind = h->how, .nr_rec = s[i].nr };
		memcpy(var[m].rec, s[i].rec, s[i].nr * sizeof(*s[i].rec));
		p[m] = point_at(h->cut, &var[m]);
		who[m++] = i;
	}
	ret = try_points(h, p, m, got);
	for (i = 0; i < m && !ret; i++)
		bad[who[i]] = got[i];
	free(var);
	free(p);
	free(who);
	free(got);
	return ret;
}

/* ---- the smallest set ---------------------------------------------------------- */

/* 1: single writes do it, 0: none does, -errno. */
static int try_singles(struct hunt *h)
{
	struct set *s = fl_alloc((size_t)h->nr + 1, sizeof(*s));
	bool *bad = fl_alloc((size_t)h->nr + 1, sizeof(*bad));
	uint32_t i;
	int ret;

	for (i = 0; i < h->nr; i++)
		s[i] = (struct set){ &h->rec[i], 1 };
	ret = try_sets(h, s, h->nr, bad);
	for (i = 0; i < h->nr && !ret; i++) {
		if (!bad[i])
			continue;
		if (!h->b->nr_set)
			h->b->set[h->b->nr_set++] = h->rec[i];
		else if (h->b->nr_alone < FL_VARIANT_RECS)
			h->b->alone[h->b->nr_alone++] = h->rec[i];
	}
	free(s);
	free(bad);
	return ret ? ret : h->b->nr_set > 0;
}

/* All but the part [@from, @to) of @rec, in a new array. */
static uint64_t *without(const uint64_t *rec, uint32_t nr, uint32_t from, uint32_t to)
{
	uint64_t *out = fl_alloc((size_t)nr + 1, sizeof(*out));

	memcpy(out, rec, from * sizeof(*rec));
	memcpy(out + from, rec + to, (nr - to) * sizeof(*rec));
	return out;
}

/* One round of delta debugging with @parts parts: take the first part that fails alone,
 * else the first without which it still fails. 2: a part, 1: a rest, 0: neither. */
static int shrink(struct hunt *h, uint32_t parts)
{
	struct set *s = fl_alloc(2 * (size_t)parts, sizeof(*s));
	bool *bad = fl_alloc(2 * (size_t)parts, sizeof(*bad));
	uint32_t i, hit = 2 * parts;
	int ret;

	for (i = 0; i < parts; i++) {
		uint32_t from = (uint32_t)((uint64_t)h->nr * i / parts);
		uint32_t to = (uint32_t)((uint64_t)h->nr * (i + 1) / parts);

		s[i] = (struct set){ h->rec + from, to - from };
		s[parts + i] = (struct set){ without(h->rec, h->nr, from, to),
					     h->nr - (to - from) };
	}
	ret = try_sets(h, s, parts == 2 ? parts : 2 * parts, bad);
	for (i = 2 * parts; i-- > 0 && !ret;)
		if (bad[i])
			hit = i;
	if (hit < 2 * parts) {
		memmove(h->rec, s[hit].rec, s[hit].nr * sizeof(*h->rec));
		h->nr = s[hit].nr;
	}
	for (i = parts; i < 2 * parts; i++)
		free((uint64_t *)(uintptr_t)s[i].rec);
	free(s);
	free(bad);
	return ret ? ret : hit < parts ? 2 : hit < 2 * parts;
}

static int delta_debug(struct hunt *h)
{
	uint32_t parts = 2;

	while (h->nr > 1) {
		int ret = shrink(h, parts < h->nr ? parts : h->nr);

		if (ret < 0)
			return ret;
		if (ret == 2)
			parts = 2;
		else if (ret == 1)
			parts = parts > 2 ? parts - 1 : 2;
		else if (parts >= h->nr)
			break;
		else
			parts *= 2;
	}
	if (h->nr > FL_VARIANT_RECS)
		return fl_fail(h->err, E2BIG,
			       "the smallest set that was found has %u writes, more than can be named",
			       h->nr);
	memcpy(h->b->set, h->rec, h->nr * sizeof(*h->rec));
	h->b->nr_set = h->nr;
	return 0;
}

/* The floating writes at the cut; of those, with @given, the ones that it leaves out. */
static void collect(struct hunt *h, const struct fl_variant *given)
{
	unsigned int d;

	for (d = 0; d < h->jo->g->nr; d++) {
		uint32_t n, i;
		const struct fl_ver **v = fl_floating(&h->jo->g->dev[d], h->cut, &n);

		h->rec = fl_realloc(h->rec, h->nr + n + 1, sizeof(*h->rec));
		for (i = 0; i < n; i++)
			if (!given || !fl_variant_applies(h->jo->g, h->cut, given, v[i]))
				h->rec[h->nr++] = v[i]->rec->issue;
		free(v);
	}
}

static int find_set(struct hunt *h, const struct fl_variant *given)
{
	int ret;

	collect(h, given);
	fl_sort_u64(h->rec, h->nr);
	ret = try_singles(h);
	if (!ret)
		ret = delta_debug(h);
	free(h->rec);
	return ret < 0 ? ret : 0;
}

/* ---- flush points --------------------------------------------------------------- */

static uint64_t flushes_up_to(const struct fl_cuts *cuts, uint64_t tick)
{
	return fl_up_to(cuts->flush, cuts->nr_flush, tick);
}

/* From the cut backwards in growing steps to a good flush point, then halving. */
static int find_flush_points(struct hunt *h, uint64_t birth)
{
	const struct fl_cuts *cuts = h->jo->cuts;
	uint64_t first = flushes_up_to(cuts, birth ? birth - 1 : 0) + 1;
	uint64_t bad = flushes_up_to(cuts, h->cut) + 1, good = bad, step = 1;
	bool is_bad = true;
	int ret = 0;

	while (is_bad && good > first && !ret) {
		good = good - first > step ? good - step : first;
		step *= 2;
		ret = try_kind(h, cuts->flush[good - 1], h->b->kind, &is_bad);
		if (is_bad)
			bad = good;
	}
	while (!is_bad && bad - good > 1 && !ret) {
		uint64_t mid = good + (bad - good) / 2;
		bool mid_bad = false;

		ret = try_kind(h, cuts->flush[mid - 1], h->b->kind, &mid_bad);
		if (mid_bad)
			bad = mid;
		else
			good = mid;
	}
	h->b->last_good = is_bad ? 0 : good;
	h->b->first_bad = bad > flushes_up_to(cuts, h->cut) ? 0 : bad;
	return ret;
}

/* ---- all together --------------------------------------------------------------- */

static int find_cause(struct hunt *h, const struct fl_variant *given)
{
	bool durable = false, all = false, other = false;
	int ret = try_kind(h, h->cut, FL_DURABLE_ONLY, &durable);

	if (!ret)
		ret = try_kind(h, h->cut, FL_ALL, &all);
	if (!ret && given && !durable && !all)
		ret = try_variant(h, h->cut, given, &other);
	if (ret)
		return ret;
	h->b->kind = durable ? FL_DURABLE_ONLY : FL_ALL;
	if (durable && all) {
		h->b->what = FL_BISECT_ALWAYS;
		return 0;
	}
	if (!durable && !all && !other) {
		h->b->what = FL_BISECT_GOOD;
		return 0;
	}
	h->b->what = all ? FL_BISECT_ARRIVAL : FL_BISECT_LOSS;
	h->how = all ? FL_ONLY : FL_DROP;
	return find_set(h, other ? given : NULL);
}

int fl_bisect(struct fl_bisect *b, const struct fl_judge_opts *jo,
	      const struct fl_walk_opts *wo, uint64_t birth, uint64_t cut,
	      const struct fl_variant *given, struct fl_err *err)
{
	struct hunt h = { .b = b, .jo = jo, .wo = wo, .cut = cut, .err = err };
	int ret;

	*b = (struct fl_bisect){ 0 };
	ret = find_cause(&h, given);
	if (ret || b->what == FL_BISECT_GOOD)
		return ret;
	return find_flush_points(&h, birth);
}

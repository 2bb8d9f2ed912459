// SPDX-License-Identifier: GPL-2.0
/* See walk_plan.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_print.h"
#include "text_lex.h"
#include "walk_plan.h"

#define SUSPICIOUS_MAX 256	/* points that the judge's findings add */

const char *fl_point_name(char buf[FL_POINT_NAME], const struct fl_point *p)
{
	char var[FL_VARIANT_NAME];

	snprintf(buf, FL_POINT_NAME, "%s/%s", p->cut_name, fl_variant_name(var, p->var));
	return buf;
}

static struct fl_variant *add_variant(struct fl_plan *plan, const struct fl_variant *var)
{
	if (plan->nr_var == plan->room_var) {
		plan->room_var = plan->room_var ? 2 * plan->room_var : 8;
		plan->var = fl_realloc(plan->var, plan->room_var, sizeof(struct fl_variant *));
	}
	plan->var[plan->nr_var] = fl_alloc(1, sizeof(*var));
	*plan->var[plan->nr_var] = *var;
	return plan->var[plan->nr_var++];
}

static void add_point(struct fl_plan *plan, uint64_t cut, const char *name,
		      struct fl_variant *var)
{
	struct fl_point *p;

	if (plan->nr == plan->room) {
		plan->room = plan->room ? 2 * plan->room : 1024;
		plan->point = fl_realloc(plan->point, plan->room, sizeof(*p));
	}
	p = &plan->point[plan->nr++];
	*p = (struct fl_point){ .cut = cut, .var = var, .same = FL_NO_POINT };
	snprintf(p->cut_name, sizeof(p->cut_name), "%s", name);
}

/* ---- images ------------------------------------------------------------------ */

/* The images that are asked for, and whether the suspicious ones are. */
struct images {
	struct fl_variant **var;
	uint32_t nr;
	bool suspicious;
};

/* "seed=1..8" */
static bool seed_range(const char *s, uint64_t *from, uint64_t *to)
{
	return !strncmp(s, "seed=", 5) && fl_text_u64(s + 5, &s, from) &&
	       !strncmp(s, "..", 2) && fl_text_u64(s + 2, NULL, to) && *from <= *to &&
	       *to - *from < 65536;
}

static void add_image(struct fl_plan *plan, struct images *im, const struct fl_variant *var)
{
	im->var = fl_realloc(im->var, im->nr + 1, sizeof(struct fl_variant *));
	im->var[im->nr++] = add_variant(plan, var);
}

static int parse_image(struct fl_plan *plan, struct images *im, const char *s,
		       struct fl_err *err)
{
	struct fl_variant var = { .kind = FL_SEED };
	uint64_t from, to;
	int ret;

	if (!strcmp(s, "suspicious")) {
		im->suspicious = true;
		return 0;
	}
	if (seed_range(s, &from, &to)) {
		for (var.n = from; var.n <= to; var.n++)
			add_image(plan, im, &var);
		return 0;
	}
	ret = fl_variant_parse(&var, s, err);
	if (!ret)
		add_image(plan, im, &var);
	return ret;
}

/* A list at commas; a comma before a digit belongs to drop=1,2. */
static char *next_item(char **rest)
{
	char *s = *rest, *p = s;

	if (!s || !*s)
		return NULL;
	while ((p = strchr(p, ',')) && p[1] >= '0' && p[1] <= '9')
		p++;
	*rest = p ? p + 1 : NULL;
	if (p)
		*p = '\0';
	return s;
}

static int parse_images(struct fl_plan *plan, struct images *im, const char *text,
			struct fl_err *err)
{
	char *copy = fl_strdup(text), *rest = copy, *item;
	int ret = 0;

	while (!ret && (item = next_item(&rest)))
		ret = parse_image(plan, im, item, err);
	if (!ret && !im->nr && !im->suspicious)
		ret = fl_fail(err, EINVAL, "--images names none");
	free(copy);
	return ret;
}

/* ---- cuts -------------------------------------------------------------------- */

struct cutter {
	struct fl_plan *plan;
	const struct fl_cuts *cuts;
	const struct images *im;
	uint64_t birth;
};

static void add_cut(struct cutter *c, uint64_t cut, const char *name)
{
	uint32_t i;

	if (cut < c->birth) {
		c->plan->unborn++;
		return;
	}
	for (i = 0; i < c->im->nr; i++)
		add_point(c->plan, cut, name, c->im->var[i]);
}

static void add_kind(struct cutter *c, enum fl_cut_kind kind, uint64_t from, uint64_t to)
{
	char name[FL_CUT_NAME];
	uint64_t i;

	for (i = from; i <= to; i++) {
		uint64_t tick = kind == FL_CUT_FLUSH ? c->cuts->flush[i - 1]
			: kind == FL_CUT_MARK ? c->cuts->mark[i - 1].tick
			: kind == FL_CUT_PROMISE ? c->cuts->g->prom[i - 1].rec->issue : i;

		if (tick <= c->cuts->last)
			add_cut(c, tick, fl_cut_name(name, c->cuts, kind, i));
	}
}

/* @n flush points, evenly spread over those after the birth, the last one included. */
static void add_spread(struct cutter *c, uint64_t n)
{
	uint64_t first = 0, i, nr;
	char name[FL_CUT_NAME];

	while (first < c->cuts->nr_flush && c->cuts->flush[first] < c->birth)
		first++;
	nr = c->cuts->nr_flush - first;
	n = n < nr ? n : nr;
	for (i = 1; i <= n; i++) {
		uint64_t k = first + (uint64_t)((unsigned __int128)i * nr / n);

		add_cut(c, c->cuts->flush[k - 1],
			fl_cut_name(name, c->cuts, FL_CUT_FLUSH, k));
	}
}

/* "A..B": the two cuts and every flush point between them. */
static int add_range(struct cutter *c, const char *s, const char *dots, struct fl_err *err)
{
	char name[FL_CUT_NAME];
	uint64_t from, to, i;
	int ret = fl_cut_find(c->cuts, s, (size_t)(dots - s), &from, err);

	if (!ret)
		ret = fl_cut_find(c->cuts, dots + 2, strlen(dots + 2), &to, err);
	if (ret)
		return ret;
	if (from > to)
		return fl_fail(err, EINVAL, "--cuts %s: the first is the later one", s);
	for (i = 1; i <= c->cuts->nr_flush; i++)
		if (c->cuts->flush[i - 1] >= from && c->cuts->flush[i - 1] <= to)
			add_cut(c, c->cuts->flush[i - 1],
				fl_cut_name(name, c->cuts, FL_CUT_FLUSH, i));
	return 0;
}

static int add_cuts(struct cutter *c, const char *s, struct fl_err *err)
{
	const char *dots = strstr(s, "..");
	uint64_t n;
	int ret;

	if (!strcmp(s, "flush"))
		add_kind(c, FL_CUT_FLUSH, 1, c->cuts->nr_flush);
	else if (!strcmp(s, "promise"))
		add_kind(c, FL_CUT_PROMISE, 1, c->cuts->g->nr_prom);
	else if (!strcmp(s, "mark"))
		add_kind(c, FL_CUT_MARK, 1, c->cuts->nr_mark);
	else if (!strcmp(s, "all"))
		add_kind(c, FL_CUT_TICK, 1, c->cuts->last);
	else if (fl_text_u64(s, NULL, &n))
		add_spread(c, n);
	else if (dots)
		return add_range(c, s, dots, err);
	else {
		ret = fl_cut_find(c->cuts, s, strlen(s), &n, err);
		if (ret)
			return ret;
		add_cut(c, n, s);
	}
	return 0;
}

static int parse_cuts(struct cutter *c, const char *text, struct fl_err *err)
{
	char *copy = fl_strdup(text), *save = NULL, *item;
	int ret = 0;

	for (item = strtok_r(copy, ",", &save); item && !ret; item = strtok_r(NULL, ",", &save))
		ret = add_cuts(c, item, err);
	free(copy);
	return ret;
}

/* ---- what the judge finds suspicious ------------------------------------------ */

static bool floats_at(const struct fl_ver *v, uint64_t cut)
{
	return v->rec->issue <= cut && v->dur > cut;
}

/* For a broken promise: the image at its message that lacks the promised write, or has
 * only what may be there instead. */
static void add_suspicious(struct cutter *c, const struct fl_check *ck)
{
	char name[FL_CUT_NAME];
	uint64_t i, n = 0;

	for (i = 0; i < ck->findings.nr && n < SUSPICIOUS_MAX; i++) {
		const struct fl_finding *f = &ck->findings.f[i];
		uint64_t cut = c->cuts->g->prom[f->prom].rec->issue;
		struct fl_variant var = { .kind = f->other ? FL_ONLY : FL_DROP, .nr_rec = 1 };
		const struct fl_ver *v = f->other ? f->other : f->write;

		if (!v || cut < c->birth || !floats_at(v, cut))
			continue;
		var.rec[0] = v->rec->issue;
		add_point(c->plan, cut, fl_cut_name(name, c->cuts, FL_CUT_PROMISE, f->prom + 1),
			  add_variant(c->plan, &var));
		n++;
	}
}

/* ---- order, shards, same bytes ------------------------------------------------ */

static int cmp_point(const void *a, const void *b)
{
	const struct fl_point *x = a, *y = b;
	char vx[FL_VARIANT_NAME], vy[FL_VARIANT_NAME];

	if (x->cut != y->cut)
		return x->cut < y->cut ? -1 : 1;
	if (x->var->kind != y->var->kind)
		return x->var->kind < y->var->kind ? -1 : 1;
	return strcmp(fl_variant_name(vx, x->var), fl_variant_name(vy, y->var));
}

static void sort_and_shard(struct fl_plan *plan, const struct fl_plan_opts *o)
{
	uint32_t i, kept = 0;

	qsort(plan->point, plan->nr, sizeof(*plan->point), cmp_point);
	for (i = 0; i < plan->nr; i++)
		if (!kept || cmp_point(&plan->point[kept - 1], &plan->point[i]))
			plan->point[kept++] = plan->point[i];
	plan->nr = kept;
	for (i = 0, kept = 0; i < plan->nr; i++)
		if (i % o->shards == o->shard - 1)
			plan->point[kept++] = plan->point[i];
	plan->nr = kept;
}

struct printed {
	struct fl_print print;
	uint32_t point;
};

static int cmp_printed(const void *a, const void *b)
{
	const struct printed *x = a, *y = b;

	if (x->print.a != y->print.a)
		return x->print.a < y->print.a ? -1 : 1;
	if (x->print.b != y->print.b)
		return x->print.b < y->print.b ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

/* Prints of the durable and all images of the plan. */
static uint32_t print_points(const struct fl_plan *plan, const struct fl_group *g,
			     bool based, struct printed *out)
{
	static const enum fl_variant_kind kinds[] = { FL_DURABLE_ONLY, FL_ALL };
	uint64_t *cut = fl_alloc((size_t)plan->nr + 1, sizeof(*cut));
	struct fl_print *print = fl_alloc((size_t)plan->nr + 1, sizeof(*print));
	uint32_t n = 0, i, k, m;

	for (k = 0; k < 2; k++) {
		for (i = 0, m = 0; i < plan->nr; i++)
			if (plan->point[i].var->kind == kinds[k])
				cut[m++] = plan->point[i].cut;
		fl_prints(g, based, kinds[k], cut, m, print);
		for (i = 0, m = 0; i < plan->nr; i++)
			if (plan->point[i].var->kind == kinds[k])
				out[n++] = (struct printed){ print[m++], i };
	}
	free(cut);
	free(print);
	return n;
}

/* Points are in the order of their cuts, so the last of equals has the most promises. */
static void find_same(struct fl_plan *plan, const struct fl_group *g, bool based)
{
	struct printed *p = fl_alloc((size_t)plan->nr + 1, sizeof(*p));
	uint32_t n = print_points(plan, g, based, p), i;

	qsort(p, n, sizeof(*p), cmp_printed);
	for (i = n; i-- > 1;) {
		const struct fl_point *next = &plan->point[p[i].point];

		if (p[i - 1].print.a != p[i].print.a || p[i - 1].print.b != p[i].print.b)
			continue;
		plan->point[p[i - 1].point].same = next->same == FL_NO_POINT ? p[i].point
									      : next->same;
		plan->same++;
	}
	free(p);
}

int fl_plan_build(struct fl_plan *plan, const struct fl_cuts *cuts, const struct fl_check *ck,
		  const struct fl_plan_opts *o, struct fl_err *err)
{
	struct images im = { 0 };
	struct cutter c = { plan, cuts, &im, o->birth };
	int ret;

	*plan = (struct fl_plan){ 0 };
	ret = parse_images(plan, &im, o->images, err);
	if (!ret)
		ret = parse_cuts(&c, o->cuts, err);
	if (!ret && im.suspicious)
		add_suspicious(&c, ck);
	free(im.var);
	if (ret)
		return ret;
	sort_and_shard(plan, o);
	find_same(plan, cuts->g, o->based);
	return 0;
}

void fl_plan_free(struct fl_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->nr_var; i++)
		free(plan->var[i]);
	free(plan->var);
	free(plan->point);
	*plan = (struct fl_plan){ 0 };
}

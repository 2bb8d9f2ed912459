// SPDX-License-Identifier: GPL-2.0
/* See image_print.h. */
#include <stdlib.h>
#include <string.h>

#include "image_print.h"

/* A version enters the set at a tick. */
struct entry {
	uint64_t tick;
	uint32_t ver;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* One sweep over one device. */
struct sweep {
	const struct fl_dev *dev;
	uint64_t number;	/* of the device */
	bool based;
	uint32_t *there;	/* for each segment the version, UINT32_MAX for the base */
	struct fl_print now;
};

/* What "segment @seg comes from @v" adds to the print. The base adds nothing, and
 * zeros neither where the base is zeros; issue ticks are never 0. */
static void toggle(struct sweep *s, uint32_t seg, const struct fl_ver *v)
{
	struct fl_print *p = &s->now;
	bool zeros = v && v->rec->kind != FLUXLOG_WRITE;
	uint64_t place, id;

	if (!v || (zeros && !s->based))
		return;
	place = (s->number << 32 | seg) * 0x9e3779b97f4a7c15ULL;
	id = zeros ? 0 : v->rec->issue;
	p->a ^= mix(place + mix(id));
	p->b ^= mix(id * 0xd6e8feb86659fd93ULL + mix(place ^ 0xa0761d6478bd642fULL));
}

static int cmp_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static void take_over(struct sweep *s, uint32_t ver)
{
	const struct fl_dev *dev = s->dev;
	const struct fl_ver *v = &dev->ver[ver];
	uint32_t seg = fl_index_seg(&dev->index, v->rec->sector);
	uint64_t end = v->rec->sector + v->rec->nr;

	for (; seg < dev->index.nr_seg && dev->index.bound[seg] < end; seg++) {
		uint32_t was = s->there[seg];
		const struct fl_ver *old = was == UINT32_MAX ? NULL : &dev->ver[was];

		if (old && old->rec->done > v->rec->done)
			continue;
		toggle(s, seg, old);
		toggle(s, seg, v);
		s->there[seg] = ver;
	}
}

static void sweep(struct sweep *s, enum fl_variant_kind kind, const uint64_t *cut, size_t n,
		  struct fl_print *out)
{
	const struct fl_dev *dev = s->dev;
	struct entry *e = fl_alloc((size_t)dev->nr_ver + 1, sizeof(*e));
	uint32_t i, k = 0;
	size_t c;

	s->there = fl_alloc((size_t)dev->index.nr_seg + 1, sizeof(*s->there));
	memset(s->there, 0xff, dev->index.nr_seg * sizeof(*s->there));
	for (i = 0; i < dev->nr_ver; i++)
		e[i] = (struct entry){ kind == FL_ALL ? dev->ver[i].rec->issue
						      : dev->ver[i].dur, i };
	qsort(e, dev->nr_ver, sizeof(*e), cmp_entry);
	for (c = 0; c < n; c++) {
		for (; k < dev->nr_ver && e[k].tick <= cut[c]; k++)
			take_over(s, e[k].ver);
		out[c].a ^= s->now.a;
		out[c].b ^= s->now.b;
	}
	free(e);
	free(s->there);
}

void fl_prints(const struct fl_group *g, bool based, enum fl_variant_kind kind,
	       const uint64_t *cut, size_t n, struct fl_print *out)
{
	unsigned int d;

	memset(out, 0, n * sizeof(*out));
	for (d = 0; d < g->nr; d++) {
		struct sweep s = { .dev = &g->dev[d], .number = d, .based = based };

		sweep(&s, kind, cut, n, out);
	}
}

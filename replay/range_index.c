// SPDX-License-Identifier: GPL-2.0
/* See range_index.h. The tree is the iterative kind: node k has the children 2k
 * and 2k + 1, leaf s is node nr_seg + s; nr_seg need not be a power of two. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "range_index.h"
#include "sorted.h"

/* Logs come in large runs of rising sectors; sorting what is sorted is wasted. */
static void sort_unique(uint64_t *v, size_t *n)
{
	size_t i, kept = 0;

	for (i = 1; i < *n && v[i - 1] <= v[i]; i++)
		;
	if (i < *n)
		fl_sort_u64(v, *n);
	for (i = 0; i < *n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	*n = kept;
}

static void collect_bounds(struct fl_index *ix, const struct fl_span *span, uint32_t n)
{
	size_t nr = 2 * (size_t)n, i;

	ix->bound = fl_alloc(nr + 1, sizeof(*ix->bound));
	for (i = 0; i < n; i++) {
		ix->bound[2 * i] = span[i].start;
		ix->bound[2 * i + 1] = span[i].end;
	}
	sort_unique(ix->bound, &nr);
	ix->nr_seg = nr ? (uint32_t)(nr - 1) : 0;
}

/* The number of bounds that are <= @pos. */
static uint32_t bounds_up_to(const struct fl_index *ix, uint64_t pos)
{
	return (uint32_t)fl_up_to(ix->bound, (size_t)ix->nr_seg + 1, pos);
}

uint32_t fl_index_seg(const struct fl_index *ix, uint64_t pos)
{
	uint32_t k;

	if (!ix->nr_seg)
		return FL_NO_SEG;
	k = bounds_up_to(ix, pos);
	return k == 0 || k > ix->nr_seg ? FL_NO_SEG : k - 1;
}

uint64_t fl_index_until(const struct fl_index *ix, uint64_t pos)
{
	uint32_t k = ix->nr_seg ? bounds_up_to(ix, pos) : 1;

	return k > ix->nr_seg ? UINT64_MAX : ix->bound[k];
}

/* Call @put for each node that stands for a part of @s. */
static void decompose(const struct fl_index *ix, const struct fl_span *s, uint32_t id,
		      void (*put)(const struct fl_index *, uint32_t node, uint32_t id))
{
	uint32_t l = fl_index_seg(ix, s->start) + ix->nr_seg;
	uint32_t r = bounds_up_to(ix, s->end) - 1 + ix->nr_seg;

	for (; l < r; l >>= 1, r >>= 1) {
		if (l & 1)
			put(ix, l++, id);
		if (r & 1)
			put(ix, --r, id);
	}
}

static void put_count(const struct fl_index *ix, uint32_t node, uint32_t id)
{
	(void)id;
	ix->first[node + 1]++;
}

/* Fills from the node's end marker downwards is not an option (order), so first[]
 * is shifted by one while filling: first[node + 1] is the next free place. */
static void put_entry(const struct fl_index *ix, uint32_t node, uint32_t id)
{
	ix->entry[ix->first[node + 1]++] = id;
}

void fl_index_build(struct fl_index *ix, const struct fl_span *span, uint32_t n)
{
	uint32_t i, nodes, sum = 0;

	memset(ix, 0, sizeof(*ix));
	collect_bounds(ix, span, n);
	nodes = 2 * ix->nr_seg;
	ix->first = fl_alloc((size_t)nodes + 2, sizeof(*ix->first));
	for (i = 0; i < n; i++)
		decompose(ix, &span[i], i, put_count);
	for (i = 0; i <= nodes; i++) {
		uint32_t count = ix->first[i + 1];

		ix->first[i + 1] = sum;
		sum += count;
	}
	ix->nr_entry = sum;
	ix->entry = fl_alloc((size_t)sum + 1, sizeof(*ix->entry));
	for (i = 0; i < n; i++)
		decompose(ix, &span[i], i, put_entry);
}

void fl_index_free(struct fl_index *ix)
{
	free(ix->bound);
	free(ix->first);
	free(ix->entry);
	memset(ix, 0, sizeof(*ix));
}

unsigned int fl_index_lists(const struct fl_index *ix, uint32_t seg,
			    struct fl_list *out)
{
	unsigned int n = 0;
	uint32_t node;

	if (seg == FL_NO_SEG)
		return 0;
	for (node = seg + ix->nr_seg; node; node >>= 1) {
		uint32_t from = ix->first[node], to = ix->first[node + 1];

		if (from != to)
			out[n++] = (struct fl_list){ ix->entry + from, to - from, from };
	}
	return n;
}

uint32_t fl_list_below(const struct fl_list *l, uint32_t id)
{
	uint32_t lo = 0, hi = l->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (l->id[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

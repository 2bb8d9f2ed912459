/* SPDX-License-Identifier: GPL-2.0 */
/*
 * range_index: which of many ranges cover a position, in order, by a search.
 *
 * Takes   spans [start, end) with a number each, in the order in which lists
 *	   shall come out (the group hands them over by issue tick).
 * Gives   the segments between all their ends, and for each segment the numbers
 *	   of the spans that cover it, as a few sorted lists.
 * Why     a discard of the whole device over a million small writes must not cost
 *	   a million entries. Spans are kept at the nodes of a segment tree: one
 *	   span costs O(log n) entries at the most and one as a rule, memory is
 *	   O(n log n) whatever the log holds, and a lookup walks from a leaf up to
 *	   the root, at most FL_INDEX_LISTS nodes, nearly all of them empty.
 *
 * Immutable after the build, so any number of threads may read it.
 */
#ifndef RANGE_INDEX_H
#define RANGE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define FL_INDEX_LISTS 36	/* tree height for 2^32 segments, and some */
#define FL_NO_SEG UINT32_MAX

struct fl_span {
	uint64_t start, end;	/* any unit; start < end */
};

/**
 * struct fl_index - the built index
 * @bound: nr_seg + 1 sorted ends; segment s is [bound[s], bound[s + 1])
 * @nr_seg: number of segments, covered or not
 * @first: for tree node k, entries first[k] to first[k + 1]
 * @entry: span numbers, ascending within a node
 * @nr_entry: number of entries
 */
struct fl_index {
	uint64_t *bound;
	uint32_t nr_seg;
	uint32_t *first;
	uint32_t *entry;
	uint32_t nr_entry;
};

/* A node's list: @id[0..n), ascending; @pos is the place of id[0] in fl_index.entry,
 * so that a user can keep arrays of its own beside it. */
struct fl_list {
	const uint32_t *id;
	uint32_t n;
	uint32_t pos;
};

/* Build from @n spans; span i gets number i. n < 2^31. */
void fl_index_build(struct fl_index *ix, const struct fl_span *span, uint32_t n);
void fl_index_free(struct fl_index *ix);

/* The segment that holds @pos, or FL_NO_SEG outside of all spans. */
uint32_t fl_index_seg(const struct fl_index *ix, uint64_t pos);

/* Where what fl_index_seg(@pos) says ends: the same spans cover [@pos, that). */
uint64_t fl_index_until(const struct fl_index *ix, uint64_t pos);

/* The lists of segment @seg; @out holds FL_INDEX_LISTS. Returns how many. */
unsigned int fl_index_lists(const struct fl_index *ix, uint32_t seg,
			    struct fl_list *out);

/* How many ids of @l are smaller than @id. */
uint32_t fl_list_below(const struct fl_list *l, uint32_t id);

#endif

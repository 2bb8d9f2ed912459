/* SPDX-License-Identifier: GPL-2.0 */
/*
 * judge_piece: between judge_file.c and judge_stack.c.
 *
 * A piece is a part of a promise in which nothing changes: each write that carries
 * some of it carries all of it, and so do the versions at each place where one of them
 * put it.
 */
#ifndef JUDGE_PIECE_H
#define JUDGE_PIECE_H

#include "checker.h"

/* One piece. @n: for each list of carriers, how many can have been issued before the
 * promise. @off, @len: sectors of the file. */
struct fl_piece {
	const struct fl_group *g;
	const struct fl_prom *prom;
	struct fl_cut at;
	const struct fl_file *file;
	struct fl_list list[FL_INDEX_LISTS];
	uint32_t n[FL_INDEX_LISTS];
	unsigned int nr_list;
	uint64_t off, len;
};

/* Where a carrier put the piece. */
struct fl_place {
	const struct fl_piece *pc;
	const struct fl_dev *dev;
	const struct fl_ver *ver;
	uint64_t sector;
	const struct fl_ver *bad;	/* allowed there, and not good enough */
};

typedef void (*fl_candidate_fn)(struct fl_piece *pc, const struct fl_carrier *c, void *arg);

struct fl_place fl_place_of(const struct fl_piece *pc, const struct fl_carrier *c);

/* Whether what @v holds at the place is promised, or later data of the same bytes. */
bool fl_place_suits(const struct fl_place *pl, const struct fl_ver *v);

/* Judge the place; returns true if it keeps the promise, else fills @f. */
bool fl_place_keeps(struct fl_place *pl, struct fl_finding *f);

/* ---- judge_stack.c ----------------------------------------------------------- */

/* Each write below that may be of the write above that @c belongs to. */
void fl_stack_parts(struct fl_piece *pc, const struct fl_carrier *c, fl_candidate_fn fn,
		    void *arg);

/* Whether the write above that @c belongs to keeps the piece below: FL_KEPT; FL_BROKEN
 * with @f; FL_BEYOND if what breaks it may be of another write above. */
enum fl_verdict fl_stack_keeps(struct fl_piece *pc, const struct fl_carrier *c,
			       struct fl_finding *f);

#endif

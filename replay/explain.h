/* SPDX-License-Identifier: GPL-2.0 */
/*
 * explain: the story of one finding.
 *
 * Takes   a group, its verdict, and a finding.
 * Gives   the promise, the write, the flushes before, around and after it in the
 *	   order in which they happened, the rule that was broken, and what would
 *	   have made it right.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <stdio.h>

#include "checker.h"

/* @nr: place in ck->findings. */
void fl_explain(FILE *out, const struct fl_group *g, const struct fl_check *ck, uint64_t nr);

#endif

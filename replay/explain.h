/* SPDX-License-Identifier: GPL-2.0 */
/*
 * explain: the story of one finding.
 *
 * Takes   a group, its verdict, and a finding.
 * Gives   the promise, the write, the flushes before, around and after it in the
 *	   order in which they happened, the rule that was broken, and what would
 *	   have made it right. Of a layer (explain_layer.c) the write and the flush above
 *	   stand for the promise.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include <stdio.h>

#include "checker.h"
#include "layer.h"

/* @nr: place in ck->findings. */
void fl_explain(FILE *out, const struct fl_group *g, const struct fl_check *ck, uint64_t nr);
/* @nr: place in ly->f. */
void fl_explain_layer(FILE *out, const struct fl_layer *ly, uint64_t nr);

#endif

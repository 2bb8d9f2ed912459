/* SPDX-License-Identifier: GPL-2.0 */
/*
 * layer_report: what the judge of a layer says, for people and as JSON.
 */
#ifndef LAYER_REPORT_H
#define LAYER_REPORT_H

#include <stdio.h>

#include "layer.h"

/* The summary, at most @max findings, and the verdict in one sentence. */
void fl_layer_report(FILE *out, const struct fl_layer *ly, uint64_t max);

/* The same, whole, as JSON. -errno with @err. */
int fl_layer_report_json(const char *path, const struct fl_layer *ly, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * replay_all: apply everything that a log records, in the order in which it was done.
 *
 * The self-check of the recorder (rule 8): the result equals the device after the
 * last record byte for byte. What failed is left out, since nobody knows; how much
 * that was is told.
 */
#ifndef REPLAY_ALL_H
#define REPLAY_ALL_H

#include "durability.h"

/* Write the image of @dev to @path: a file is made anew and sparse, a block device
 * must be large enough and is zeroed first. *@failed: records that were left out. */
int fl_replay_all(const struct fl_dev *dev, const char *path, uint64_t *failed,
		  struct fl_err *err);

#endif

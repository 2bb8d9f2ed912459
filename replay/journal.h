/* SPDX-License-Identifier: GPL-2.0 */
/*
 * journal: which writes of a device are its filesystem's journal.
 *
 * Takes   a device whose log holds, at best, a write of the filesystem's superblock.
 * Gives   for each write whether it is the journal's.
 * Relies  on that superblock for the place of an internal journal: XFS (sb_logstart,
 *	   sb_logblocks) and ext4 (the copy of the journal's extents). Where it is not in
 *	   the log, and for an external journal, writes are known by what they begin with
 *	   only; then a write that goes on with an earlier journal record is missed.
 *
 * The flags of a write do not tell: FUA is the data of O_DSYNC too, META is every
 * metadata buffer, and XFS sends an iclog without FUA where its record is not complete.
 *
 *   journal    it is of data, not zeroes, and either begins with the magic of an XFS log
 *		record or a JBD2 block, or lies within the journal
 *
 * Zeroes within the journal are mkfs clearing it.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "durability.h"

/* The extents of an internal journal, in sectors; nr is 0 if it is not known. Four is
 * what an ext4 inode holds by itself. */
#define FL_JOURNAL_EXTENTS 4
struct fl_journal {
	struct { uint64_t start, nr; } ext[FL_JOURNAL_EXTENTS];
	unsigned int nr;
};

/* 0, or -errno with @err if a payload cannot be read. That the log holds no superblock
 * is no error. Of several the one issued last counts. */
int fl_journal_find(struct fl_journal *j, const struct fl_dev *dev, struct fl_err *err);

/* 1: the journal's, 0: not (or the log holds no payload), -errno with @err. */
int fl_journal_has(const struct fl_journal *j, const struct fl_log *log,
		   const struct fl_rec *r, struct fl_err *err);

#endif

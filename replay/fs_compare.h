/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_compare: every promise in force at a cut against what the recovered files say.
 *
 * Takes   a mounted crash image, the promises, the cut.
 * Gives   a finding for each range that is lost, stale, torn, misplaced, beyond the
 *	   end, in a missing file, or unreadable.
 *
 * Two ways that must agree. Reading: the bytes of the file, sector by sector. Asking:
 * the filesystem tells where the file's blocks lie (FIEMAP), and the index what those
 * blocks hold, without a byte being read; what recovery itself wrote, and whatever the
 * filesystem cannot tell (inline, encoded, delayed, unknown), is read.
 */
#ifndef FS_COMPARE_H
#define FS_COMPARE_H

#include "carrier.h"
#include "crash_image.h"
#include "fs_finding.h"
#include "fs_require.h"

enum fl_compare_how { FL_COMPARE_READ, FL_COMPARE_ASK, FL_COMPARE_BOTH };

/**
 * struct fl_compare - what to compare
 * @g, @rq: group and its promises
 * @cut: tick
 * @img: the image of the device that holds the files, for ASK
 * @written: whether recovery wrote to any of these sectors of it, for ASK
 * @written_arg: for @written
 * @root: an open directory, the root of the mounted filesystem
 * @out: findings go there
 */
struct fl_compare {
	const struct fl_group *g;
	const struct fl_require *rq;
	uint64_t cut;
	const struct fl_image *img;
	bool (*written)(void *arg, uint64_t sector, uint64_t nr);
	void *written_arg;
	int root;
	struct fl_fs_findings *out;
};

/* Compare all files. Returns the number of promised bytes that were looked at. */
uint64_t fl_compare_all(struct fl_compare *c, enum fl_compare_how how);

#endif

// SPDX-License-Identifier: GPL-2.0
/* See finding.h. */
#include <stdlib.h>
#include <string.h>

#include "finding.h"

const struct fl_problem fl_problem[FL_NR_CODES] = {
	[FL_NEVER_WRITTEN] = {
		"FL001", "never-written",
		"promised, but no write that was issued before the promise carries it",
		"a promise for a block holds only if every content that the block may have is the promised version or a newer one",
		"the data must be written, the write done and covered, before the call returns",
	},
	[FL_NOT_BELOW] = {
		"FL013", "not-below",
		"promised and written above the layer, but no write below it carries it",
		"what is written above a layer is kept by the devices below it, each of which must be given it",
		"the layer must write the data to its devices before it says that the write above is done",
	},
	[FL_WRITE_FAILED] = {
		"FL002", "write-failed",
		"promised, but the write failed",
		"a failed write is never durable, it floats until a durable one replaces it",
		"the call must return the error instead of 0, or the data must be written again and covered",
	},
	[FL_FUA_FAILED] = {
		"FL003", "fua-failed",
		"promised, but the FUA write failed",
		"a FUA write is durable from its done on only if it succeeded",
		"the call must return the error instead of 0, or the data must be written again and covered",
	},
	[FL_WRITE_LATE] = {
		"FL004", "write-late",
		"promised while the write was still in flight",
		"a write is durable at the earliest when it is done",
		"the call must wait for the write to be done, and for a flush issued after that",
	},
	[FL_FLUSH_FAILED] = {
		"FL005", "flush-failed",
		"covered before the promise only by a flush that failed",
		"only a flush that succeeded makes the writes that it covers durable",
		"the call must return the error instead of 0, or another flush must succeed first",
	},
	[FL_FLUSH_SWALLOWED] = {
		"FL012", "flush-swallowed",
		"covered before the promise only by a flush that was called a success and never passed to the device",
		"only a flush that reached the device and succeeded makes the writes that it covers durable",
		"another flush must reach the device and succeed before the call returns",
	},
	[FL_FLUSH_LATE] = {
		"FL006", "flush-late",
		"covered only by a flush that was done after the promise",
		"a flush makes writes durable from its done on; a promise is placed by the instant at which the call returned",
		"the call must not return before a flush that covers the write is done",
	},
	[FL_FLUSH_EARLY] = {
		"FL007", "flush-early",
		"covered only by a flush that was issued before the write was done",
		"a flush covers only writes that were done before the flush was issued",
		"a flush must be issued after the write is done, and be done before the call returns",
	},
	[FL_NOT_COVERED] = {
		"FL008", "not-covered",
		"promised, but no flush covered the write before the promise",
		"a write without FUA is durable only when a successful flush that was issued after it was done is done",
		"a flush must be issued after the write is done, and be done before the call returns",
	},
	[FL_OLDER_DATA] = {
		"FL009", "overwritten-by-older",
		"an older version of the promised data may be there instead",
		"every content that the rules allow must be the promised version or a newer one",
		"an older version must not be written over, or together with, a newer one that is promised",
	},
	[FL_REPLACED] = {
		"FL010", "replaced",
		"something else was put in its place before the promise",
		"every content that the rules allow must be the promised version or a newer one",
		"the promised data must be written again after that, and covered",
	},
	[FL_RACE] = {
		"FL011", "race",
		"another write of the same sectors was in flight together with it, and either may win",
		"of two versions that overlapped in time, either may be the one that stays",
		"the second write must be issued only when the first is done",
	},
};

static bool goes_on(const struct fl_finding *a, const struct fl_finding *b)
{
	return a->code == b->code && a->prom == b->prom && a->write == b->write &&
	       a->other == b->other && a->flush == b->flush && a->dev == b->dev &&
	       a->start + a->len == b->start;
}

void fl_findings_add(struct fl_findings *fs, const struct fl_finding *f)
{
	if (fs->nr && goes_on(&fs->f[fs->nr - 1], f)) {
		fs->f[fs->nr - 1].len += f->len;
		return;
	}
	if (fs->nr == fs->room) {
		fs->room = fs->room ? 2 * fs->room : 16;
		fs->f = fl_realloc(fs->f, fs->room, sizeof(*fs->f));
	}
	fs->f[fs->nr++] = *f;
}

void fl_findings_free(struct fl_findings *fs)
{
	free(fs->f);
	memset(fs, 0, sizeof(*fs));
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * finding: what can be wrong, one ordered table.
 *
 * Detectors fill a struct fl_finding and report nothing; report.c and explain.c
 * tell people. Codes are stable for ever: scripts and issue trackers keep them.
 */
#ifndef FINDING_H
#define FINDING_H

#include "group.h"

/* Ordered by how much each explains: where several fit, the first is reported. */
enum fl_code {
	FL_NEVER_WRITTEN,
	FL_NOT_BELOW,
	FL_WRITE_FAILED,
	FL_FUA_FAILED,
	FL_WRITE_LATE,
	FL_FLUSH_FAILED,
	FL_FLUSH_SWALLOWED,
	FL_FLUSH_LATE,
	FL_FLUSH_EARLY,
	FL_NOT_COVERED,
	FL_OLDER_DATA,
	FL_REPLACED,
	FL_RACE,
	FL_NR_CODES,
};

/**
 * struct fl_problem - one line of the table
 * @id: "FL001": stable, never given to another problem
 * @name: short stable name, in words joined by dashes
 * @text: one sentence for people
 * @rule: the rule of DESIGN.md section 3 that is broken, in words
 * @remedy: what would have made it right
 */
struct fl_problem {
	const char *id, *name, *text, *rule, *remedy;
};

extern const struct fl_problem fl_problem[FL_NR_CODES];

/**
 * struct fl_finding - one broken promise, for one range
 * @code: what is wrong
 * @prom: the promise, by its place in fl_group.prom
 * @start, @len: the part of the promise, in its own unit (bytes of a file for
 *	FILE, sectors for SECTORS)
 * @dev: device whose sectors are meant, by its place in the group; FL_NO_DEV
 *	if the range was never written
 * @sector: first of them
 * @write: the promised version, NULL if never written
 * @other: the version that may be there instead (FL_OLDER_DATA, FL_REPLACED,
 *	FL_RACE), else NULL
 * @flush: the flush that the code speaks of (failed, late, early), else NULL
 */
#define FL_NO_DEV UINT32_MAX
struct fl_finding {
	enum fl_code code;
	uint64_t prom;
	uint64_t start, len;
	uint32_t dev;
	uint64_t sector;
	const struct fl_ver *write, *other;
	const struct fl_rec *flush;
};

/* A growing list. */
struct fl_findings {
	struct fl_finding *f;
	uint64_t nr, room;
};

/* Append, or lengthen the last one if @f goes on where it ends and says the same. */
void fl_findings_add(struct fl_findings *fs, const struct fl_finding *f);
void fl_findings_free(struct fl_findings *fs);

#endif

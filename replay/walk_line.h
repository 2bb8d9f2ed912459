/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_line: the results of a walk as JSON lines.
 *
 * The first line of a file says what was walked, each further one tells of one point:
 *
 *   {"walk":1,"logs":["UUID",...],"fs":"xfs","options":"...","points":N,...}
 *   {"point":"flush-17/durable","tick":123,"verdict":"good","promises":9,"bytes":36864,
 *    "ms":31,"findings":[{"id":"FL101","name":"lost","path":"f1","start":0,"len":4096,
 *    "gen":3,"detail":"zeros"}]}
 *
 * verdict: good, bad (findings), same (another point with the same bytes was good and
 * had at least these promises in force: "as"), error (this machine could not: "why").
 * A journal is such a file while the walk goes on; a line that is cut off is a point
 * that was not finished.
 */
#ifndef WALK_LINE_H
#define WALK_LINE_H

#include <stdint.h>

#include "err.h"
#include "fs_finding.h"

struct json_object;

enum fl_point_verdict { FL_POINT_NONE, FL_POINT_GOOD, FL_POINT_BAD, FL_POINT_SAME,
			FL_POINT_ERROR };

/**
 * struct fl_result - what was found at one point
 * @point: its name
 * @tick: its cut
 * @verdict: see above
 * @promises: in force
 * @bytes: promised bytes that were compared
 * @ms: how long it took
 * @findings: for BAD
 * @text: SAME: the point that stands for it; ERROR: why
 */
struct fl_result {
	char *point;
	uint64_t tick, promises, bytes, ms;
	enum fl_point_verdict verdict;
	struct fl_fs_findings findings;
	char text[600];
};

/* One line without its newline; free() it. */
char *fl_line_make(const struct fl_result *r);

/* The reverse; -EINVAL: not such a line, or one that is cut off. */
int fl_line_parse(const char *line, struct fl_result *out);
void fl_result_free(struct fl_result *r);

const char *fl_point_verdict_name(enum fl_point_verdict v);

#endif

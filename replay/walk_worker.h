/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_worker: a process that judges one point after the other.
 *
 * A worker is forked from the walk (which has one thread only), so it has the logs and
 * the index already. It gets numbers of points through a socket and answers each with
 * a JSON line. It dies with the walk, and with it everything that it mounted and all
 * processes that it started: it has a mount and a pid namespace of its own. It is two
 * processes, one that serves images and one that mounts them (walk_point.h).
 */
#ifndef WALK_WORKER_H
#define WALK_WORKER_H

#include <sys/types.h>

#include "walk_line.h"
#include "walk_plan.h"
#include "walk_point.h"

/**
 * struct fl_worker - as the walk sees it
 * @pid: 0: there is none
 * @fd: socket to it
 * @point: what it is judging, or FL_NO_POINT
 * @since_ns: since when
 * @buf, @have, @room: what has come of its answer
 * @splat: what the kernel complained of while it was judging this point, or ""
 */
struct fl_worker {
	pid_t pid;
	int fd;
	uint32_t point;
	uint64_t since_ns;
	char *buf;
	size_t have, room;
	char splat[200];
};

/* Start one that uses the empty folder @dir. Waits until it is ready. */
int fl_worker_start(struct fl_worker *w, const struct fl_judge_opts *o,
		    const struct fl_plan *plan, const char *dir, struct fl_err *err);

/* Give it a point. -errno: it is gone. */
int fl_worker_give(struct fl_worker *w, uint32_t point);

/* Read what its socket has. 1: *@line is its whole answer, to be freed; 0: not yet;
 * -errno: it is gone. */
int fl_worker_read(struct fl_worker *w, char **line);

/* End it, by force. Never waits for long: the kernel may not let it go. */
void fl_worker_stop(struct fl_worker *w);

#endif

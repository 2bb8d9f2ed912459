/* SPDX-License-Identifier: GPL-2.0 */
/*
 * progress: how far a long command has come, on stderr.
 *
 * A bar with the time left on a terminal, a plain line every few seconds
 * otherwise, nothing at all while the work is short.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct fl_progress - one meter; set up by fl_progress_begin()
 * @what: what is being done, for people ("reading a.flog"); not copied
 * @total: the value of a finished job; 0 if it is not known
 * @start_ns, @last_ns: when it began, when it was last shown
 * @tty: stderr is a terminal
 * @shown: something is on the screen
 */
struct fl_progress {
	const char *what;
	uint64_t total;
	uint64_t start_ns, last_ns;
	bool tty, shown;
};

void fl_progress_begin(struct fl_progress *p, const char *what, uint64_t total);

/* Cheap enough for every few thousand records: reads the clock, seldom prints. */
void fl_progress_step(struct fl_progress *p, uint64_t done);

/* Take the bar off the screen. */
void fl_progress_end(struct fl_progress *p);

/* fl_progress_step() as fl_visitor.progress; arg is the struct fl_progress. */
void fl_progress_visit(void *arg, uint64_t done);

#endif

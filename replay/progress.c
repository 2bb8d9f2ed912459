// SPDX-License-Identifier: GPL-2.0
/*
 * progress: a meter on stderr.
 *
 * Takes   the amount done so far.
 * Gives   a bar (terminal) or lines (anything else), none in the first second.
 * Relies  on nothing.
 */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SEC 1000000000ULL
#define QUIET_NS SEC
#define TTY_NS (SEC / 5)
#define LINE_NS (5 * SEC)
#define BAR 30

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SEC + (uint64_t)t.tv_nsec;
}

void fl_progress_begin(struct fl_progress *p, const char *what, uint64_t total)
{
	*p = (struct fl_progress){
		.what = what,
		.total = total,
		.start_ns = now_ns(),
		.tty = isatty(STDERR_FILENO),
	};
	/* the first showing comes when the work has proved to be long */
	p->last_ns = p->start_ns + QUIET_NS - (p->tty ? TTY_NS : LINE_NS);
}

static void show(const struct fl_progress *p, double part, double left_s)
{
	if (p->tty) {
		int full = (int)(part * BAR);

		fprintf(stderr, "\r%s [%.*s%*s] %3.0f%%, %.0f s left\033[K", p->what, full,
			"##############################", BAR - full, "", part * 100, left_s);
	} else {
		fprintf(stderr, "%s: %.0f%%, %.0f s left\n", p->what, part * 100, left_s);
	}
	fflush(stderr);
}

void fl_progress_step(struct fl_progress *p, uint64_t done)
{
	uint64_t now = now_ns();
	double part;

	/* last_ns may lie before the clock's zero right after boot: wraps are fine */
	if (!p->total || !done || now - p->last_ns < (p->tty ? TTY_NS : LINE_NS))
		return;
	p->last_ns = now;
	p->shown = true;
	part = done < p->total ? (double)done / (double)p->total : 1;
	show(p, part, (double)(now - p->start_ns) / 1e9 * (1 - part) / part);
}

void fl_progress_end(struct fl_progress *p)
{
	if (p->tty && p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->shown = false;
}

void fl_progress_visit(void *arg, uint64_t done)
{
	fl_progress_step(arg, done);
}

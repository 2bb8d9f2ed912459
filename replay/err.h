/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors: 0 or -errno inside, one sentence for people, one printer at the edge.
 */
#ifndef ERR_H
#define ERR_H

#include <stddef.h>

/* exit codes of every command */
#define FL_EXIT_FINE		0	/* judged, nothing found */
#define FL_EXIT_FINDINGS	1	/* judged, something found */
#define FL_EXIT_CANNOT		2	/* could not judge */

/**
 * struct fl_err - what went wrong, for people
 * @msg: one sentence that names the object (file, record, offset) and the cause,
 *	without a newline; empty as long as nothing went wrong
 *
 * Functions that take one fill it exactly when they return a negative errno.
 */
struct fl_err {
	char msg[512];
};

/* Fill @err from the format and return -@code. @code is a positive errno. */
int fl_fail(struct fl_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The edge: print "fluxlog: <message>" to stderr. */
void fl_print_err(const struct fl_err *err);

/* malloc family that ends the program with exit 2 and one line: no caller can
 * go on without this memory, and a partial verdict is worse than none. */
void *fl_alloc(size_t n, size_t size);			/* zeroed */
void *fl_realloc(void *p, size_t n, size_t size);
char *fl_strdup(const char *s);

#endif

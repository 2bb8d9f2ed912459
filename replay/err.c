// SPDX-License-Identifier: GPL-2.0
/*
 * err: the one place that prints errors, and memory that is there or ends it all.
 *
 * Takes   an errno and a format.
 * Gives   a sentence in struct fl_err; "fluxlog: <sentence>" on stderr.
 * Relies  on nothing.
 */
#include "err.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fl_fail(struct fl_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return -code;
}

void fl_print_err(const struct fl_err *err)
{
	/* stdout first, so that both on one terminal read in order */
	fflush(stdout);
	fprintf(stderr, "fluxlog: %s\n", err->msg);
}

static void *checked(void *p, size_t n, size_t size)
{
	if (p)
		return p;
	fflush(stdout);
	fprintf(stderr, "fluxlog: no memory for %zu objects of %zu bytes\n", n, size);
	exit(FL_EXIT_CANNOT);
}

void *fl_alloc(size_t n, size_t size)
{
	/* calloc(0) may give NULL, which is no lack of memory */
	return checked(calloc(n ? n : 1, size ? size : 1), n, size);
}

void *fl_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return checked(NULL, n, size);
	return checked(realloc(p, bytes ? bytes : 1), n, size);
}

char *fl_strdup(const char *s)
{
	return checked(strdup(s), 1, strlen(s) + 1);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_form: a log as text, both ways; fluxlog-log(5) specifies it.
 *
 * fl_text_asm() of what fl_text_dump() wrote gives the same bytes, up to the end
 * of the log.
 */
#ifndef TEXT_FORM_H
#define TEXT_FORM_H

#include <stdio.h>

#include "log_reader.h"

/* What a text begins with: its name and version. */
#define FL_TEXT_FIRST_LINE "fluxlog 1"

/*
 * Read a log's text from @in and write the log to the empty file @fd. @name is
 * what messages call the text ("FILE:LINE: what is wrong").
 */
int fl_text_asm(FILE *in, const char *name, int fd, struct fl_err *err);

/*
 * Write the text of @log, which is open and which this loads, to @out. What there
 * is to say about its end is the caller's affair (log->end). @progress may be NULL.
 */
int fl_text_dump(struct fl_log *log, FILE *out, void (*progress)(void *arg, uint64_t bytes),
		 void *arg, struct fl_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text_lex: lines of the text form: a verb, then key=value, and their values.
 *
 * Values are words without blanks, or "quoted" with \" \\ and \xHH inside. A word
 * that begins with # begins a comment.
 */
#ifndef TEXT_LEX_H
#define TEXT_LEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FL_TEXT_FIELDS 16

struct fl_field {
	const char *key, *val;
	bool used;
};

/**
 * struct fl_line - one line taken apart; points into the caller's buffer
 * @verb: its first word, NULL if there is none
 */
struct fl_line {
	const char *verb;
	struct fl_field f[FL_TEXT_FIELDS];
	unsigned int nr;
};

/* Take @text apart in place. NULL, or what is wrong in words written to @why. */
const char *fl_line_split(char *text, struct fl_line *l, char *why, size_t n);

/* The value of @key, now used, or NULL. */
const char *fl_line_take(struct fl_line *l, const char *key);

/* The first key that nobody took, or NULL. */
const char *fl_line_left(const struct fl_line *l);

/* Strict numbers: decimal, or hexadecimal after 0x; false on anything else. *@end
 * (if not NULL) is set behind it, otherwise it must be all of @s. */
bool fl_text_u64(const char *s, const char **end, uint64_t *out);

/* "EIO" or "5". */
bool fl_text_errno(const char *s, uint64_t *out);

int fl_text_hex_digit(char c);		/* -1 if it is none */

/* Writers: fast, for files of millions of lines. */
void fl_put_str(FILE *out, const char *s);
void fl_put_u64(FILE *out, const char *before, uint64_t v);	/* " i=" and the number */
void fl_put_quoted(FILE *out, const char *before, const void *text, size_t n);
void fl_put_errno(FILE *out, const char *before, unsigned int status);

#endif

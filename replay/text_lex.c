// SPDX-License-Identifier: GPL-2.0
/*
 * text_lex: lines of the text form into words, and words into values.
 *
 * Takes   one line without its newline.
 * Gives   a verb and key=value pairs; numbers, errnos; the same the other way.
 * Relies  on nothing.
 */
#include "text_lex.h"

#include <errno.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

int fl_text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* \xHH at @s; 0 (no text holds that byte) if it is none. */
static int escaped_byte(const char *s)
{
	int hi, lo;

	if (s[0] != 'x')
		return 0;
	hi = fl_text_hex_digit(s[1]);
	lo = hi < 0 ? -1 : fl_text_hex_digit(s[2]);
	return lo < 0 ? 0 : hi << 4 | lo;
}

/* Undo the quoting of the text behind the opening quote, in place. Returns what
 * follows the closing quote, or NULL. */
static char *unquote(char *s)
{
	char *to = s;
	int byte;

	while (*s && *s != '"') {
		if (*s != '\\') {
			*to++ = *s++;
		} else if (s[1] == '"' || s[1] == '\\') {
			*to++ = s[1];
			s += 2;
		} else {
			byte = escaped_byte(s + 1);
			if (!byte)
				return NULL;
			*to++ = (char)byte;
			s += 4;
		}
	}
	if (!*s)
		return NULL;
	*to = '\0';
	return s + 1;
}

/* End the word at @s; returns what follows it. */
static char *end_word(char *s)
{
	while (*s && !blank(*s))
		s++;
	if (*s)
		*s++ = '\0';
	return s;
}

static bool has_key(const struct fl_line *l, const char *key)
{
	for (unsigned int i = 0; i < l->nr; i++)
		if (!strcmp(l->f[i].key, key))
			return true;
	return false;
}

/* The key=value at *@s; NULL, or what is wrong. */
static const char *split_field(char **s, struct fl_line *l, char *why, size_t n)
{
	char *key = *s, *val = key + strcspn(key, "= \t\r");

	if (*val != '=') {
		end_word(key);
		snprintf(why, n, "\"%s\" is not key=value", key);
		return why;
	}
	*val++ = '\0';
	if (l->nr == FL_TEXT_FIELDS || has_key(l, key)) {
		snprintf(why, n, "key \"%s\" comes twice or is one too many", key);
		return why;
	}
	if (*val == '"') {
		*s = unquote(++val);
		if (!*s || (**s && !blank(**s))) {
			snprintf(why, n, "the quoted value of \"%s\" does not end well", key);
			return why;
		}
		/* unquoting may have shortened it; the blank behind it is skipped later */
	} else {
		*s = end_word(val);
	}
	l->f[l->nr++] = (struct fl_field){ .key = key, .val = val };
	return NULL;
}

const char *fl_line_split(char *text, struct fl_line *l, char *why, size_t n)
{
	const char *bad = NULL;
	char *s = text;

	l->verb = NULL;
	l->nr = 0;
	while (!bad) {
		while (blank(*s))
			s++;
		if (!*s || *s == '#')
			return NULL;
		if (l->verb) {
			bad = split_field(&s, l, why, n);
		} else {
			l->verb = s;
			s = end_word(s);
		}
	}
	return bad;
}

const char *fl_line_take(struct fl_line *l, const char *key)
{
	for (unsigned int i = 0; i < l->nr; i++) {
		if (!strcmp(l->f[i].key, key)) {
			l->f[i].used = true;
			return l->f[i].val;
		}
	}
	return NULL;
}

const char *fl_line_left(const struct fl_line *l)
{
	for (unsigned int i = 0; i < l->nr; i++)
		if (!l->f[i].used)
			return l->f[i].key;
	return NULL;
}

bool fl_text_u64(const char *s, const char **end, uint64_t *out)
{
	unsigned int base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 10;
	const char *p = base == 16 ? s + 2 : s, *first = p;
	uint64_t v = 0;

	for (int d = fl_text_hex_digit(*p); d >= 0 && (unsigned int)d < base;
	     d = fl_text_hex_digit(*++p)) {
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	if (p == first || (!end && *p))
		return false;
	if (end)
		*end = p;
	*out = v;
	return true;
}

bool fl_text_errno(const char *s, uint64_t *out)
{
	if (fl_text_u64(s, NULL, out))
		return true;
	for (int e = 1; e <= EHWPOISON; e++) {
		const char *name = strerrorname_np(e);

		if (name && !strcmp(name, s)) {
			*out = (uint64_t)e;
			return true;
		}
	}
	return false;
}

void fl_put_str(FILE *out, const char *s)
{
	fputs_unlocked(s, out);
}

void fl_put_u64(FILE *out, const char *before, uint64_t v)
{
	char buf[20];
	size_t i = sizeof(buf);

	do {
		buf[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	fputs_unlocked(before, out);
	fwrite_unlocked(buf + i, 1, sizeof(buf) - i, out);
}

void fl_put_quoted(FILE *out, const char *before, const void *text, size_t n)
{
	const unsigned char *p = text;

	fputs_unlocked(before, out);
	putc_unlocked('"', out);
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 || p[i] == 0x7f) {
			fputs_unlocked("\\x", out);
			putc_unlocked(digits[p[i] >> 4], out);
			putc_unlocked(digits[p[i] & 15], out);
			continue;
		}
		if (p[i] == '"' || p[i] == '\\')
			putc_unlocked('\\', out);
		putc_unlocked(p[i], out);
	}
	putc_unlocked('"', out);
}

void fl_put_errno(FILE *out, const char *before, unsigned int status)
{
	const char *name = strerrorname_np((int)status);

	if (!name) {
		fl_put_u64(out, before, status);
		return;
	}
	fputs_unlocked(before, out);
	fputs_unlocked(name, out);
}

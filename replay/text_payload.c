// SPDX-License-Identifier: GPL-2.0
/*
 * text_payload: the data of a write as text and back.
 *
 * Takes   sectors, or the words for them.
 * Gives   the other.
 * Relies  on stamp: a sector is written as a stamp only if making that stamp
 *	   gives the same 512 bytes.
 */
#include "text_payload.h"

#include <stdbool.h>
#include <string.h>

#include "err.h"
#include "log_reader.h"
#include "stamp.h"
#include "text_lex.h"

#define MAX_SECTORS (FLUXLOG_UNIT_MAX_BYTES / FL_SECTOR)

/* One word of the text: @nr sectors, which begin as @sector. */
struct atom {
	enum { ATOM_PLAIN, ATOM_STAMP } kind;
	uint8_t sector[FL_SECTOR];
	struct fl_stamp stamp;
	uint64_t nr;
};

/* What begins the word @s if @s begins so, moved behind it; else false. */
static bool starts(const char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n))
		return false;
	*s += n;
	return true;
}

static bool parse_byte(const char **s, uint8_t *out)
{
	int hi = fl_text_hex_digit((*s)[0]);
	int lo = hi < 0 ? -1 : fl_text_hex_digit((*s)[1]);

	if (lo < 0)
		return false;
	*out = (uint8_t)(hi << 4 | lo);
	*s += 2;
	return true;
}

static bool parse_hex(const char **s, struct atom *a)
{
	size_t n = 0;

	while (n < FL_SECTOR && parse_byte(s, &a->sector[n]))
		n++;
	return n > 0;
}

static bool parse_stamp(const char **s, struct atom *a)
{
	uint64_t *field[] = { &a->stamp.run, &a->stamp.file, &a->stamp.offset, &a->stamp.gen };

	a->kind = ATOM_STAMP;
	for (int i = 0; i < 4; i++) {
		if (i && *(*s)++ != ':')
			return false;
		if (!fl_text_u64(*s, s, field[i]))
			return false;
	}
	return true;
}

static bool parse_fill(const char **s, struct atom *a)
{
	uint8_t byte;

	if (!parse_byte(s, &byte))
		return false;
	memset(a->sector, byte, sizeof(a->sector));
	return true;
}

static bool parse_body(const char **s, struct atom *a)
{
	if (starts(s, "zero"))
		return true;
	if (starts(s, "fill:"))
		return parse_fill(s, a);
	if (starts(s, "stamp:"))
		return parse_stamp(s, a);
	if (starts(s, "hex:"))
		return parse_hex(s, a);
	return false;
}

/* The word at *@s, moved behind it. */
static bool parse_atom(const char **s, struct atom *a)
{
	memset(a, 0, sizeof(*a));
	a->nr = 1;
	if (!parse_body(s, a))
		return false;
	if (**s == '*' && (!fl_text_u64(*s + 1, s, &a->nr) || !a->nr))
		return false;
	if (**s == ',')
		return *++*s != '\0';
	return **s == '\0';
}

static void reserve(struct fl_bytes *b, size_t more)
{
	if (b->len + more <= b->cap)
		return;
	b->cap = (b->len + more) * 2;
	b->p = fl_realloc(b->p, b->cap, 1);
}

static void append_atom(struct fl_bytes *out, const struct atom *a)
{
	reserve(out, a->nr * FL_SECTOR);
	for (uint64_t i = 0; i < a->nr; i++) {
		struct fl_stamp s = a->stamp;

		s.offset += i * FL_SECTOR;
		if (a->kind == ATOM_STAMP)
			fl_stamp_make(out->p + out->len, &s);
		else
			memcpy(out->p + out->len, a->sector, FL_SECTOR);
		out->len += FL_SECTOR;
	}
}

static const char *too_long(char *why, size_t n)
{
	snprintf(why, n, "more than %u sectors of data", MAX_SECTORS);
	return why;
}

const char *fl_payload_parse(const char *text, struct fl_bytes *out, char *why, size_t n)
{
	const char *s = text;
	struct atom a;

	out->len = 0;
	do {
		const char *word = s;

		if (!parse_atom(&s, &a)) {
			snprintf(why, n, "\"%.60s\" is no data: zero, fill:HH, hex:DIGITS (a sector at most) or stamp:RUN:FILE:OFFSET:GEN, then *N",
				 word);
			return why;
		}
		if (a.nr > MAX_SECTORS - out->len / FL_SECTOR)
			return too_long(why, n);
		append_atom(out, &a);
	} while (*s);
	return NULL;
}

const char *fl_payload_zeros(uint64_t nr, struct fl_bytes *out, char *why, size_t n)
{
	if (nr > MAX_SECTORS)
		return too_long(why, n);
	out->len = 0;
	reserve(out, nr * FL_SECTOR);
	if (nr)
		memset(out->p, 0, nr * FL_SECTOR);
	out->len = nr * FL_SECTOR;
	return NULL;
}

static void put_times(FILE *out, uint64_t nr)
{
	if (nr > 1)
		fl_put_u64(out, "*", nr);
}

static bool same_byte(const uint8_t *p)
{
	return p[0] == p[1] && !memcmp(p, p + 1, FL_SECTOR - 1);
}

/* How many of @nr sectors are equal to the first one. */
static uint64_t equal_run(const uint8_t *p, uint64_t nr)
{
	uint64_t i = 1;

	while (i < nr && !memcmp(p, p + i * FL_SECTOR, FL_SECTOR))
		i++;
	return i;
}

/* How many of @nr sectors carry on the stamp @s of the first one. */
static uint64_t stamp_run(const uint8_t *p, uint64_t nr, const struct fl_stamp *s)
{
	uint64_t i = 1;
	struct fl_stamp t;

	while (i < nr && fl_stamp_read(p + i * FL_SECTOR, &t) && t.run == s->run &&
	       t.file == s->file && t.gen == s->gen && t.offset == s->offset + i * FL_SECTOR)
		i++;
	return i;
}

static void put_stamp(FILE *out, const struct fl_stamp *s)
{
	fl_put_u64(out, "stamp:", s->run);
	fl_put_u64(out, ":", s->file);
	fl_put_u64(out, ":", s->offset);
	fl_put_u64(out, ":", s->gen);
}

static void put_hex(FILE *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * FL_SECTOR];

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[p[i] >> 4];
		text[2 * i + 1] = digits[p[i] & 15];
	}
	fwrite_unlocked(text, 1, 2 * n, out);
}

static void put_plain(FILE *out, const uint8_t *p)
{
	size_t n = FL_SECTOR;

	if (same_byte(p)) {
		fl_put_str(out, p[0] ? "fill:" : "zero");
		if (p[0])
			put_hex(out, p, 1);
		return;
	}
	while (!p[n - 1])
		n--;
	fl_put_str(out, "hex:");
	put_hex(out, p, n);
}

void fl_payload_print(FILE *out, const uint8_t *p, uint64_t nr)
{
	for (uint64_t done = 0, run; done < nr; done += run) {
		const uint8_t *at = p + done * FL_SECTOR;
		struct fl_stamp s;

		if (done)
			putc_unlocked(',', out);
		if (fl_stamp_read(at, &s)) {
			run = stamp_run(at, nr - done, &s);
			put_stamp(out, &s);
		} else {
			run = equal_run(at, nr - done);
			put_plain(out, at);
		}
		put_times(out, run);
	}
}

// SPDX-License-Identifier: GPL-2.0
/* crash_variant: the names of variants, both ways. See crash_image.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_image.h"
#include "sorted.h"
#include "text_lex.h"

static const char *const word[] = {
	[FL_DURABLE_ONLY] = "durable", [FL_ALL] = "all", [FL_DROP] = "drop=",
	[FL_ONLY] = "only=", [FL_PREFIX] = "prefix=", [FL_SEED] = "seed=",
	[FL_TORN] = "torn=",
};

#define NR_WORDS (sizeof(word) / sizeof(word[0]))

/* "R,R,..."; false unless all are numbers, each once. */
static bool parse_recs(struct fl_variant *v, const char *s)
{
	unsigned int i;

	for (;; s++) {
		if (v->nr_rec == FL_VARIANT_RECS || !fl_text_u64(s, &s, &v->rec[v->nr_rec]))
			return false;
		v->nr_rec++;
		if (*s != ',')
			break;
	}
	fl_sort_u64(v->rec, v->nr_rec);
	for (i = 1; i < v->nr_rec; i++)
		if (v->rec[i - 1] == v->rec[i])
			return false;
	return !*s;
}

/* "R:HEX" */
static bool parse_torn(struct fl_variant *v, const char *s)
{
	size_t n, i;

	if (!fl_text_u64(s, &s, &v->rec[0]) || *s++ != ':')
		return false;
	v->nr_rec = 1;
	n = strlen(s);
	if (!n || n > FL_VARIANT_MASK / 4)
		return false;
	for (i = 0; i < n; i++) {
		int digit = fl_text_hex_digit(s[n - 1 - i]);

		if (digit < 0)
			return false;
		v->mask[i / 2] |= (uint8_t)(digit << (i % 2 * 4));
	}
	return true;
}

static bool parse_value(struct fl_variant *v, const char *s)
{
	switch (v->kind) {
	case FL_DROP:
	case FL_ONLY:
		return parse_recs(v, s);
	case FL_PREFIX:
	case FL_SEED:
		return fl_text_u64(s, NULL, &v->n);
	case FL_TORN:
		return parse_torn(v, s);
	default:
		return !*s;
	}
}

int fl_variant_parse(struct fl_variant *v, const char *text, struct fl_err *err)
{
	size_t i;

	for (i = 0; i < NR_WORDS; i++) {
		*v = (struct fl_variant){ .kind = (enum fl_variant_kind)i };
		if (!strncmp(text, word[i], strlen(word[i])) &&
		    parse_value(v, text + strlen(word[i])))
			return 0;
	}
	return fl_fail(err, EINVAL,
		       "no variant \"%.80s\": durable, all, drop=TICK,..., only=TICK,..., prefix=N, seed=S, torn=TICK:MASK",
		       text);
}

static void put_mask(char *buf, size_t n, const struct fl_variant *v)
{
	int i = FL_VARIANT_MASK / 4 - 1;

	while (i > 0 && !(v->mask[i / 2] >> (i % 2 * 4) & 15))
		i--;
	for (; i >= 0 && n > 1; i--, n--)
		*buf++ = "0123456789abcdef"[v->mask[i / 2] >> (i % 2 * 4) & 15];
	*buf = '\0';
}

const char *fl_variant_name(char buf[FL_VARIANT_NAME], const struct fl_variant *v)
{
	int n = snprintf(buf, FL_VARIANT_NAME, "%s", word[v->kind]);
	unsigned int i;

	for (i = 0; i < v->nr_rec; i++)
		n += snprintf(buf + n, FL_VARIANT_NAME - (size_t)n, "%s%" PRIu64,
			      i ? "," : "", v->rec[i]);
	if (v->kind == FL_PREFIX || v->kind == FL_SEED)
		snprintf(buf + n, FL_VARIANT_NAME - (size_t)n, "%" PRIu64, v->n);
	if (v->kind == FL_TORN) {
		buf[n++] = ':';
		put_mask(buf + n, FL_VARIANT_NAME - (size_t)n, v);
	}
	return buf;
}

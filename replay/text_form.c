// SPDX-License-Identifier: GPL-2.0
/*
 * text_form: a log's text into a log.
 *
 * Takes   lines as fluxlog-log(5) specifies them.
 * Gives   the log, or the line that is wrong and why.
 * Relies  on text_lex for the words, text_payload for data, log_build for the
 *	   bytes and for refusing what is not allowed in a log.
 */
#include "text_form.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "log_build.h"
#include "log_names.h"
#include "log_rules.h"
#include "text_lex.h"
#include "text_payload.h"
#include "uuid.h"

#define DEFAULT_DATA_SECTORS (1u << 21)	/* 1 GiB */

/**
 * struct parser - the text being read
 * @name, @nr: what messages call it, and the line at hand
 * @line: that line
 * @sup: the super, complete as soon as @b is there
 * @had_super: there was a super line
 * @b: the log in the making; NULL before the first unit or record
 * @fd: where it goes
 * @last_tick: largest tick so far, for ticks that are left out
 * @size: size of the file that is asked for, or 0
 * @data: payload of the record at hand
 */
struct parser {
	const char *name;
	unsigned long nr;
	struct fl_line line;
	struct fl_super sup;
	bool had_super;
	struct fl_build *b;
	int fd;
	uint64_t last_tick, size;
	struct fl_bytes data;
	struct fl_err *err;
};

static int bad(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int bad(struct parser *p, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return fl_fail(p->err, EINVAL, "%s:%lu: %s", p->name, p->nr, what);
}

/* Put the place in front of what the builder said. */
static int at_line(struct parser *p, int rc)
{
	struct fl_err why = *p->err;

	return rc ? fl_fail(p->err, -rc, "%s:%lu: %.400s", p->name, p->nr, why.msg) : 0;
}

/* A number of the line into *@v; left out, *@v stays as it is. */
static int take_u64(struct parser *p, const char *key, uint64_t max, uint64_t *v)
{
	const char *s = fl_line_take(&p->line, key);
	uint64_t n;

	if (!s)
		return 0;
	if (!fl_text_u64(s, NULL, &n) || n > max)
		return bad(p, "%s=%.40s is not a number up to %" PRIu64, key, s, max);
	*v = n;
	return 0;
}

static int need_u64(struct parser *p, const char *key, uint64_t *v)
{
	int rc = take_u64(p, key, UINT64_MAX, v);

	for (unsigned int i = 0; !rc && i < p->line.nr; i++)
		if (!strcmp(p->line.f[i].key, key))
			return 0;
	return rc ? rc : bad(p, "%s has no %s=", p->line.verb, key);
}

static int take_uuid(struct parser *p, const char *key, uint8_t uuid[16])
{
	const char *s = fl_line_take(&p->line, key);

	if (s && !fl_uuid_parse(uuid, s))
		return bad(p, "%s=%.40s is not a UUID", key, s);
	return 0;
}

static int take_text(struct parser *p, const char *key, char *out, size_t n)
{
	const char *s = fl_line_take(&p->line, key);

	if (!s)
		return 0;
	if (strlen(s) > n)
		return bad(p, "%s= is longer than %zu bytes", key, n);
	memcpy(out, s, strlen(s) + 1);
	return 0;
}

static int all_taken(struct parser *p)
{
	const char *key = fl_line_left(&p->line);

	return key ? bad(p, "%s knows no %.40s=", p->line.verb, key) : 0;
}

/* Logs of one group made by hand differ in their device number alone. */
static void default_super(struct fl_super *s)
{
	*s = (struct fl_super){
		.uuid = "fluxlog default",
		.epoch = "fluxlog epoch 1",
		.block_size = 512,
		.data_block_size = 512,
		.data_sectors = DEFAULT_DATA_SECTORS,
	};
}

static int parse_super(struct parser *p)
{
	struct fl_super *s = &p->sup;
	uint64_t dev = 0, block = s->block_size, data_block = s->data_block_size;
	int rc;

	if (p->b || p->had_super)
		return bad(p, "a super behind the first unit, record or super");
	p->had_super = true;
	rc = take_u64(p, "dev", UINT16_MAX, &dev);
	s->dev = (uint32_t)dev;
	s->uuid[15] = (uint8_t)dev;
	if (rc || (rc = take_uuid(p, "uuid", s->uuid)) ||
	    (rc = take_uuid(p, "epoch", s->epoch)) ||
	    (rc = take_u64(p, "block", UINT32_MAX, &block)) ||
	    (rc = take_u64(p, "data_block", UINT32_MAX, &data_block)) ||
	    (rc = take_u64(p, "data_sectors", UINT64_MAX, &s->data_sectors)) ||
	    (rc = take_u64(p, "log_sectors", UINT64_MAX, &s->log_sectors)) ||
	    (rc = take_u64(p, "created_real", UINT64_MAX, &s->created_real_ns)) ||
	    (rc = take_u64(p, "created_mono", UINT64_MAX, &s->created_mono_ns)) ||
	    (rc = take_u64(p, "start_tick", UINT64_MAX, &s->start_tick)) ||
	    (rc = take_text(p, "name", s->data_name, sizeof(s->data_name) - 1)) ||
	    (rc = take_text(p, "args", s->args, sizeof(s->args) - 1)))
		return rc;
	s->block_size = (uint32_t)block;
	s->data_block_size = (uint32_t)data_block;
	p->last_tick = s->start_tick;
	return 0;
}

static int begin(struct parser *p)
{
	return p->b ? 0 : at_line(p, fl_build_begin(&p->b, p->fd, &p->sup, p->err));
}

static int parse_unit(struct parser *p)
{
	uint64_t ns = UINT64_MAX;
	int rc = take_u64(p, "ns", UINT64_MAX, &ns);

	if (!rc)
		rc = begin(p);
	if (rc)
		return rc;
	return at_line(p, fl_build_unit(p->b, p->line.nr ? &ns : NULL, p->err));
}

static int parse_size(struct parser *p)
{
	return need_u64(p, "bytes", &p->size);
}

static int parse_flags(struct parser *p, uint16_t *flags)
{
	const char *s = fl_line_take(&p->line, "flags");

	while (s && *s) {
		size_t n = strcspn(s, ",");
		unsigned int bit = 0;
		const char *name;

		while ((name = fl_flag_name(bit)) && (strlen(name) != n || strncmp(name, s, n)))
			bit++;
		if (!name)
			return bad(p, "there is no flag \"%.*s\"", (int)(n < 40 ? n : 40), s);
		*flags = (uint16_t)(*flags | 1u << bit);
		s += n + (s[n] == ',');
	}
	return 0;
}

static int parse_status(struct parser *p, uint16_t *status)
{
	const char *s = fl_line_take(&p->line, "err");
	uint64_t v;

	if (!s)
		return 0;
	if (!fl_text_errno(s, &v) || v > UINT16_MAX)
		return bad(p, "err=%.40s is neither the name nor the number of an error", s);
	*status = (uint16_t)v;
	return 0;
}

/* Ticks and times; those left out follow from those before. */
static int parse_ticks(struct parser *p, struct fl_rec *r)
{
	bool io = fl_kind_is_io(r->kind);
	int rc;

	r->issue = p->last_tick + 1;
	rc = take_u64(p, "i", UINT64_MAX, &r->issue);
	r->done = io ? (r->issue > p->last_tick ? r->issue : p->last_tick) + 1 : r->issue;
	if (!rc && io)
		rc = take_u64(p, "d", UINT64_MAX, &r->done);
	r->issue_ns = r->issue * 1000;
	if (!rc)
		rc = take_u64(p, "it", UINT64_MAX, &r->issue_ns);
	r->done_ns = io ? r->done * 1000 : r->issue_ns;
	if (!rc)
		rc = take_u64(p, "dt", UINT64_MAX, &r->done_ns);
	return rc;
}

static int parse_range(struct parser *p, struct fl_rec *r)
{
	int rc = need_u64(p, "s", &r->sector);

	return rc ? rc : need_u64(p, "n", &r->nr);
}

/* n= and data= say the same length; one of them may be left out. */
static int parse_write(struct parser *p, struct fl_rec *r)
{
	const char *data = fl_line_take(&p->line, "data"), *wrong;
	uint64_t nr = 0;
	char why[200];
	int rc = need_u64(p, "s", &r->sector);

	if (rc || (rc = take_u64(p, "n", UINT64_MAX, &nr)))
		return rc;
	wrong = data ? fl_payload_parse(data, &p->data, why, sizeof(why)) :
		       fl_payload_zeros(nr, &p->data, why, sizeof(why));
	if (wrong)
		return bad(p, "%s", wrong);
	r->nr = p->data.len / FL_SECTOR;
	if (!r->nr || (nr && nr != r->nr))
		return bad(p, "n=%" PRIu64 " and data= of %" PRIu64 " sectors", nr, r->nr);
	r->payload_mode = FLUXLOG_PAYLOAD_FULL;
	return 0;
}

static int parse_call(struct parser *p, uint16_t *call)
{
	const char *s = fl_line_take(&p->line, "call"), *name;

	*call = FLUXLOG_CALL_FSYNC;
	if (!s)
		return 0;
	for (*call = 0; (name = fl_call_name(*call)) != NULL; (*call)++)
		if (!strcmp(name, s))
			return 0;
	return bad(p, "there is no call \"%.40s\"", s);
}

static int parse_promised_sectors(struct parser *p, struct fl_promise *pr)
{
	int rc;

	pr->kind = FLUXLOG_PROMISE_SECTORS;
	pr->file = p->sup.dev;
	rc = take_u64(p, "dev", UINT16_MAX, &pr->file);
	if (!rc)
		rc = need_u64(p, "sector", &pr->start);
	return rc ? rc : need_u64(p, "n", &pr->len);
}

static int parse_promised_file(struct parser *p, struct fl_promise *pr)
{
	int rc;

	pr->kind = FLUXLOG_PROMISE_FILE;
	pr->gen = 1;
	if ((rc = need_u64(p, "file", &pr->file)) || (rc = need_u64(p, "len", &pr->len)) ||
	    (rc = take_u64(p, "run", UINT64_MAX, &pr->run)) ||
	    (rc = take_u64(p, "start", UINT64_MAX, &pr->start)) ||
	    (rc = take_u64(p, "gen", UINT64_MAX, &pr->gen)))
		return rc;
	return take_text(p, "path", pr->path,
			 FLUXLOG_INLINE_MAX - sizeof(struct fluxlog_promise));
}

static int parse_promise(struct parser *p, struct fl_rec *r, uint8_t *inl)
{
	struct fl_promise pr = { .at_ns = r->issue * 1000 };
	bool sectors = fl_line_take(&p->line, "sector") != NULL;
	int rc = parse_call(p, &pr.call);

	if (!rc)
		rc = take_u64(p, "at", UINT64_MAX, &pr.at_ns);
	if (!rc)
		rc = sectors ? parse_promised_sectors(p, &pr) : parse_promised_file(p, &pr);
	if (!rc)
		r->inl_len = fl_promise_put(inl, &pr);
	return rc;
}

static int parse_mark(struct parser *p, struct fl_rec *r, uint8_t *inl)
{
	char text[FLUXLOG_INLINE_MAX + 1] = "";
	int rc = take_text(p, "text", text, FLUXLOG_INLINE_MAX);

	r->inl_len = (uint16_t)strlen(text);
	memcpy(inl, text, r->inl_len);
	return rc;
}

/* What is particular to each kind. */
static int parse_kind(struct parser *p, struct fl_rec *r, uint8_t *inl)
{
	int rc = 0;

	switch (r->kind) {
	case FLUXLOG_WRITE:
		rc = parse_write(p, r);
		break;
	case FLUXLOG_DISCARD:
	case FLUXLOG_ZEROES:
		rc = parse_range(p, r);
		break;
	case FLUXLOG_MARK:
		return parse_mark(p, r, inl);
	case FLUXLOG_PROMISE:
		return parse_promise(p, r, inl);
	case FLUXLOG_GAP:
		r->status = ENOSPC;
		return parse_status(p, &r->status);
	case FLUXLOG_END:
		return 0;
	}
	if (!rc)
		rc = parse_flags(p, &r->flags);
	return rc ? rc : parse_status(p, &r->status);
}

static int parse_record(struct parser *p, uint8_t kind)
{
	struct fl_rec r = { .kind = kind, .dev = (uint16_t)p->sup.dev };
	uint8_t inl[FLUXLOG_INLINE_MAX];
	int rc = parse_ticks(p, &r);

	if (rc || (rc = parse_kind(p, &r, inl)) || (rc = all_taken(p)) || (rc = begin(p)))
		return rc;
	if (r.done > p->last_tick)
		p->last_tick = r.done;
	return at_line(p, fl_build_add(p->b, &r, inl, p->data.p, p->err));
}

static int parse_line(struct parser *p)
{
	static const struct {
		const char *verb;
		int (*parse)(struct parser *p);
	} other[] = {
		{ "super", parse_super }, { "unit", parse_unit }, { "size", parse_size },
	};
	const char *verb = p->line.verb;
	int rc;

	for (uint8_t kind = FLUXLOG_WRITE; kind <= FLUXLOG_END; kind++)
		if (!strcmp(verb, fl_kind_name(kind)))
			return parse_record(p, kind);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		if (!strcmp(verb, other[i].verb)) {
			rc = other[i].parse(p);
			return rc ? rc : all_taken(p);
		}
	}
	return bad(p, "\"%.40s\" is neither a record nor super, unit or size", verb);
}

/* The first line that says anything must be the name and version of the form. */
static int parse_first(struct parser *p, const char *text)
{
	size_t n = strlen(FL_TEXT_FIRST_LINE);

	if (strncmp(text, FL_TEXT_FIRST_LINE, n) || text[n + strspn(text + n, " \t\r")])
		return bad(p, "the first line is not \"%s\"", FL_TEXT_FIRST_LINE);
	return 0;
}

static bool says_nothing(const char *text)
{
	text += strspn(text, " \t\r");
	return !*text || *text == '#';
}

static void free_text(char **text)
{
	free(*text);
}

static int parse_lines(struct parser *p, FILE *in)
{
	__attribute__((cleanup(free_text))) char *text = NULL;
	bool first = true;
	size_t cap = 0;
	ssize_t n;
	char why[200];
	int rc = 0;

	while (!rc && (n = getline(&text, &cap, in)) >= 0) {
		p->nr++;
		if (strlen(text) != (size_t)n)
			return bad(p, "a NUL byte at place %zu", strlen(text));
		text[strcspn(text, "\n")] = '\0';
		if (says_nothing(text))
			continue;
		if (first)
			rc = parse_first(p, text);
		else if (fl_line_split(text, &p->line, why, sizeof(why)))
			rc = bad(p, "%s", why);
		else
			rc = parse_line(p);
		first = false;
	}
	if (!rc && ferror(in))
		return fl_fail(p->err, EIO, "%s: reading: %s", p->name, strerror(errno));
	if (!rc && first)
		return bad(p, "an empty text; its first line should be \"%s\"",
			   FL_TEXT_FIRST_LINE);
	return rc;
}

int fl_text_asm(FILE *in, const char *name, int fd, struct fl_err *err)
{
	struct parser p = { .name = name, .fd = fd, .err = err };
	int rc;

	default_super(&p.sup);
	rc = parse_lines(&p, in);
	if (!rc)
		rc = begin(&p);
	if (!rc)
		rc = at_line(&p, fl_build_finish(p.b, p.size, err));
	else
		fl_build_abort(p.b);
	free(p.data.p);
	return rc;
}

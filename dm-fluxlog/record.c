// SPDX-License-Identifier: GPL-2.0
/*
 * record: events in the words of the log.
 *
 * Takes   a bio, or the words of a dmsetup message.
 * Gives   a struct fluxlog_record, the text of a mark, a struct fluxlog_promise.
 * Relies  on uapi/fluxlog_format.h for every rule; nothing that a reader would
 *	   refuse leaves this file.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "fluxlog.h"

static const struct {
	blk_opf_t opf;
	u16 flag;
} flag_map[] = {
	{ REQ_FUA,	FLUXLOG_F_FUA },
	{ REQ_PREFLUSH,	FLUXLOG_F_PREFLUSH },
	{ REQ_SYNC,	FLUXLOG_F_SYNC },
	{ REQ_META,	FLUXLOG_F_META },
	{ REQ_PRIO,	FLUXLOG_F_PRIO },
	{ REQ_ATOMIC,	FLUXLOG_F_ATOMIC },
};

static u16 record_flags(const struct bio *bio)
{
	unsigned int i;
	u16 flags = 0;

	for (i = 0; i < ARRAY_SIZE(flag_map); i++)
		if (bio->bi_opf & flag_map[i].opf)
			flags |= flag_map[i].flag;
	/* NOUNMAP shares its bit with flags of other operations */
	if (bio_op(bio) == REQ_OP_WRITE_ZEROES && (bio->bi_opf & REQ_NOUNMAP))
		flags |= FLUXLOG_F_NOUNMAP;
	return flags;
}

static u8 record_kind(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_DISCARD:
		return FLUXLOG_DISCARD;
	case REQ_OP_WRITE_ZEROES:
		return FLUXLOG_ZEROES;
	default:
		return bio_sectors(bio) ? FLUXLOG_WRITE : FLUXLOG_FLUSH;
	}
}

void fluxlog_record_bio(struct fluxlog_record *r, const struct bio *bio)
{
	u16 flags = record_flags(bio);

	r->kind = record_kind(bio);
	if (r->kind == FLUXLOG_FLUSH) {
		/* it is a flush: the flag speaks of one before a write */
		flags &= ~(FLUXLOG_F_PREFLUSH | FLUXLOG_F_FUA);
	} else {
		r->sector = cpu_to_le64(bio->bi_iter.bi_sector);
		r->nr_sectors = cpu_to_le64(bio_sectors(bio));
	}
	if (r->kind == FLUXLOG_WRITE)
		r->payload_mode = FLUXLOG_PAYLOAD_FULL;
	r->flags = cpu_to_le16(flags);
}

void fluxlog_record_issue(struct fluxlog_record *r)
{
	/* the clock before the tick here, after it in done: fluxlog_format.h says why */
	r->issue_ns = cpu_to_le64(ktime_get_ns());
	r->issue_tick = cpu_to_le64(fluxlog_tick());
}

void fluxlog_record_done(struct fluxlog_record *r)
{
	r->done_tick = cpu_to_le64(fluxlog_tick());
	r->done_ns = cpu_to_le64(ktime_get_ns());
}

void fluxlog_record_instant(struct fluxlog_record *r, u64 tick)
{
	r->issue_tick = cpu_to_le64(tick);
	r->done_tick = r->issue_tick;
	r->issue_ns = cpu_to_le64(ktime_get_ns());
	r->done_ns = r->issue_ns;
}

/* --- mark --------------------------------------------------------------- */

static bool is_text(const char *s, unsigned char lowest)
{
	for (; *s; s++)
		if ((unsigned char)*s < lowest || *s == 0x7f)
			return false;
	return true;
}

int fluxlog_mark_parse(char *text, unsigned int argc, char **argv)
{
	unsigned int i, n, len = 0;

	for (i = 0; i < argc; i++) {
		n = strlen(argv[i]);
		if (len + !!i + n > FLUXLOG_INLINE_MAX) {
			DMWARN_LIMIT("mark: longer than %u bytes",
				     FLUXLOG_INLINE_MAX);
			return -EINVAL;
		}
		if (!is_text(argv[i], 0x20)) {
			DMWARN_LIMIT("mark: word %u has an unprintable byte",
				     i + 1);
			return -EINVAL;
		}
		if (i)
			text[len++] = ' ';
		memcpy(text + len, argv[i], n);
		len += n;
	}
	if (!len)
		DMWARN_LIMIT("mark: no text");
	return len ?: -EINVAL;
}

/* --- promise ------------------------------------------------------------ */

enum promise_key {
	KEY_FILE, KEY_START, KEY_LEN, KEY_GEN, KEY_RUN, KEY_SECTOR, KEY_N,
	KEY_AT, KEY_CALL, KEY_PATH, NR_KEYS
};

#define KEYS_FILE_MUST	(BIT(KEY_FILE) | BIT(KEY_START) | BIT(KEY_LEN) | \
			 BIT(KEY_GEN) | BIT(KEY_AT))
#define KEYS_FILE_MAY	(KEYS_FILE_MUST | BIT(KEY_RUN) | BIT(KEY_CALL) | \
			 BIT(KEY_PATH))
#define KEYS_SECTOR_MUST (BIT(KEY_SECTOR) | BIT(KEY_N) | BIT(KEY_AT))
#define KEYS_SECTOR_MAY	(KEYS_SECTOR_MUST | BIT(KEY_CALL))

static const char * const key_names[NR_KEYS] = {
	[KEY_FILE] = "file",	[KEY_START] = "start",	[KEY_LEN] = "len",
	[KEY_GEN] = "gen",	[KEY_RUN] = "run",	[KEY_SECTOR] = "sector",
	[KEY_N] = "n",		[KEY_AT] = "at",	[KEY_CALL] = "call",
	[KEY_PATH] = "path",
};

static const char * const call_names[] = {
	[FLUXLOG_CALL_OTHER] = "other",
	[FLUXLOG_CALL_FSYNC] = "fsync",
	[FLUXLOG_CALL_FDATASYNC] = "fdatasync",
	[FLUXLOG_CALL_DSYNC] = "dsync",
	[FLUXLOG_CALL_MSYNC] = "msync",
	[FLUXLOG_CALL_SYNCFS] = "syncfs",
	[FLUXLOG_CALL_NONE] = "none",
};

/**
 * struct promise_words - a promise message, taken apart
 * @seen: bit per key that was there
 * @num: values of the keys that are numbers
 * @call: enum fluxlog_call
 * @path: "" without one
 */
struct promise_words {
	unsigned long seen;
	u64 num[NR_KEYS];
	int call;
	const char *path;
};

static int promise_refuse(const char *word, const char *why)
{
	DMWARN_LIMIT("promise: %s: %s", word, why);
	return -EINVAL;
}

static int key_find(const char *word, const char **value)
{
	const char *eq = strchr(word, '=');
	int i;

	if (!eq)
		return -EINVAL;
	*value = eq + 1;
	for (i = 0; i < NR_KEYS; i++)
		if (strlen(key_names[i]) == eq - word &&
		    !strncmp(word, key_names[i], eq - word))
			return i;
	return -EINVAL;
}

static int promise_path(struct promise_words *w, const char *value)
{
	size_t room = FLUXLOG_INLINE_MAX - sizeof(struct fluxlog_promise);

	if (!*value || strlen(value) > room || !is_text(value, 0x21))
		return promise_refuse("path", "empty, too long or unprintable");
	w->path = value;
	return 0;
}

static int promise_value(struct promise_words *w, int key, const char *value)
{
	switch (key) {
	case KEY_PATH:
		return promise_path(w, value);
	case KEY_CALL:
		w->call = match_string(call_names, ARRAY_SIZE(call_names), value);
		if (w->call < 0)
			return promise_refuse("call", "no such call");
		return 0;
	default:
		/* kstrtoull() would let a sign through */
		if (!isdigit(*value) || kstrtoull(value, 10, &w->num[key]))
			return promise_refuse(key_names[key],
					      "not a number below 2^64");
		return 0;
	}
}

static int promise_split(struct promise_words *w, unsigned int argc, char **argv)
{
	const char *value;
	unsigned int i;
	int key, r;

	for (i = 0; i < argc; i++) {
		key = key_find(argv[i], &value);
		if (key < 0)
			return promise_refuse(argv[i], "unknown key");
		if (w->seen & BIT(key))
			return promise_refuse(key_names[key], "given twice");
		w->seen |= BIT(key);
		r = promise_value(w, key, value);
		if (r)
			return r;
	}
	return 0;
}

/* Every key of @must was seen, and none outside @may. */
static int promise_keys(const struct promise_words *w, unsigned long must,
			unsigned long may)
{
	unsigned long missing = must & ~w->seen;
	unsigned long alien = w->seen & ~may;

	if (missing)
		return promise_refuse(key_names[__ffs(missing)], "missing");
	if (alien)
		return promise_refuse(key_names[__ffs(alien)],
				      "not for this kind of promise");
	/* also what a caller in another time namespace would get wrong */
	if (!w->num[KEY_AT] || w->num[KEY_AT] > ktime_get_ns())
		return promise_refuse("at", "zero or in the future");
	return 0;
}

static int promise_file(struct fluxlog_promise *p, const struct promise_words *w)
{
	u64 end;
	int r = promise_keys(w, KEYS_FILE_MUST, KEYS_FILE_MAY);

	if (r)
		return r;
	if (w->num[KEY_START] % SECTOR_SIZE)
		return promise_refuse("start", "not a multiple of 512");
	if (!w->num[KEY_LEN] || w->num[KEY_LEN] % SECTOR_SIZE)
		return promise_refuse("len", "zero or not a multiple of 512");
	if (check_add_overflow(w->num[KEY_START], w->num[KEY_LEN], &end))
		return promise_refuse("len", "start + len is above 2^64");
	p->kind = cpu_to_le16(FLUXLOG_PROMISE_FILE);
	p->run = cpu_to_le64(w->num[KEY_RUN]);
	p->file = cpu_to_le64(w->num[KEY_FILE]);
	p->start = cpu_to_le64(w->num[KEY_START]);
	p->len = cpu_to_le64(w->num[KEY_LEN]);
	p->gen = cpu_to_le64(w->num[KEY_GEN]);
	return 0;
}

static int promise_sectors(struct fluxlog_promise *p, const struct promise_words *w,
			   const struct fluxlog_recorder *rec)
{
	u64 sector = w->num[KEY_SECTOR], n = w->num[KEY_N];
	int r = promise_keys(w, KEYS_SECTOR_MUST, KEYS_SECTOR_MAY);

	if (r)
		return r;
	if (sector >= rec->data_sectors)
		return promise_refuse("sector", "behind the end of the device");
	if (!n || n > rec->data_sectors - sector)
		return promise_refuse("n", "zero or behind the end of the device");
	p->kind = cpu_to_le16(FLUXLOG_PROMISE_SECTORS);
	p->file = cpu_to_le64(rec->dev);
	p->start = cpu_to_le64(sector);
	p->len = cpu_to_le64(n);
	return 0;
}

int fluxlog_promise_parse(struct fluxlog_promise *out,
			  const struct fluxlog_recorder *rec,
			  unsigned int argc, char **argv)
{
	struct promise_words w = { .call = FLUXLOG_CALL_OTHER, .path = "" };
	int r = promise_split(&w, argc, argv);

	if (r)
		return r;
	memset(out, 0, sizeof(*out));
	if (w.seen & BIT(KEY_SECTOR))
		r = promise_sectors(out, &w, rec);
	else
		r = promise_file(out, &w);
	if (r)
		return r;
	out->call = cpu_to_le16(w.call);
	out->at_ns = cpu_to_le64(w.num[KEY_AT]);
	memcpy(out + 1, w.path, strlen(w.path));
	return sizeof(*out) + strlen(w.path);
}

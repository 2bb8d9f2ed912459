// SPDX-License-Identifier: GPL-2.0
/*
 * log_rules: what a super and each kind of record may say.
 *
 * Takes   a super or a record in host byte order, whatever it holds.
 * Gives   NULL, or the rule it breaks in words that name both values.
 * Relies  on r->inl_len bytes of inline data being there.
 */
#include "log_rules.h"

#include <endian.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_STATUS 4095u		/* the largest errno a kernel gives out */
#define MAX_SECTORS (1ULL << 54)	/* so that sectors * 512 fits a signed 64 bit */
#define MAX_DATA_BLOCK (1u << 20)

/* Where the words go. */
struct why {
	char *buf;
	size_t n;
};

static const char *say(const struct why *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static const char *say(const struct why *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->buf, w->n, fmt, ap);
	va_end(ap);
	return w->buf;
}

static bool power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

const char *fl_super_broken(const struct fl_super *sup, char *why, size_t n)
{
	static const uint8_t zero[16];
	const struct why w = { why, n };

	if (sup->block_size != 512 && sup->block_size != 4096)
		return say(&w, "log blocks of %u bytes, should be 512 or 4096",
			   sup->block_size);
	if (!memcmp(sup->uuid, zero, sizeof(zero)))
		return say(&w, "the uuid is zero");
	if (sup->dev > UINT16_MAX)
		return say(&w, "device number %u, records have room for %u", sup->dev,
			   UINT16_MAX);
	if (!power_of_two(sup->data_block_size) || sup->data_block_size < FL_SECTOR ||
	    sup->data_block_size > MAX_DATA_BLOCK)
		return say(&w, "data blocks of %u bytes", sup->data_block_size);
	if (!sup->data_sectors || sup->data_sectors > MAX_SECTORS)
		return say(&w, "a data device of %" PRIu64 " sectors", sup->data_sectors);
	if (sup->log_sectors > MAX_SECTORS ||
	    sup->log_sectors * FL_SECTOR < FLUXLOG_SUPER_BYTES)
		return say(&w, "a log of %" PRIu64 " sectors", sup->log_sectors);
	return NULL;
}

static const char *ticks_broken(const struct fl_rule_ctx *ctx, const struct fl_rec *r,
				const struct why *w)
{
	if (r->issue <= ctx->sup->start_tick)
		return say(w, "issue tick %" PRIu64 " is not after the start tick %" PRIu64,
			   r->issue, ctx->sup->start_tick);
	if (fl_kind_is_io(r->kind) && r->issue >= r->done)
		return say(w, "issue tick %" PRIu64 " is not before done tick %" PRIu64,
			   r->issue, r->done);
	if (!fl_kind_is_io(r->kind) && r->issue != r->done)
		return say(w, "issue tick %" PRIu64 " and done tick %" PRIu64 " differ",
			   r->issue, r->done);
	if (r->kind == FLUXLOG_END && r->issue <= ctx->last_tick)
		return say(w, "tick %" PRIu64 " of the end is not after tick %" PRIu64,
			   r->issue, ctx->last_tick);
	return NULL;
}

static const char *range_broken(const struct fl_rule_ctx *ctx, const struct fl_rec *r,
				const struct why *w)
{
	uint64_t have = ctx->sup->data_sectors;

	if (!fl_kind_has_range(r->kind)) {
		if (r->sector || r->nr)
			return say(w, "range %" PRIu64 "+%" PRIu64 " where there is none",
				   r->sector, r->nr);
		return NULL;
	}
	if (!r->nr)
		return say(w, "a length of no sectors at sector %" PRIu64, r->sector);
	if (r->sector > have || r->nr > have - r->sector)
		return say(w, "range %" PRIu64 "+%" PRIu64
			   " goes past the device's %" PRIu64 " sectors",
			   r->sector, r->nr, have);
	return NULL;
}

static const char *status_broken(const struct fl_rec *r, const struct why *w)
{
	bool may = fl_kind_is_io(r->kind) || r->kind == FLUXLOG_GAP;

	if (r->status > MAX_STATUS || (r->status && !may))
		return say(w, "status %u", r->status);
	if (!r->status && r->kind == FLUXLOG_GAP)
		return say(w, "a gap without a reason");
	return NULL;
}

static const char *flags_broken(const struct fl_rec *r, const struct why *w)
{
	unsigned int known = fl_kind_is_io(r->kind) ? FLUXLOG_F_ALL : 0;

	if (r->flags & ~known)
		return say(w, "flags 0x%04x, known are 0x%04x", r->flags, known);
	return NULL;
}

static const char *payload_broken(const struct fl_rec *r, const struct why *w)
{
	unsigned int should = r->kind == FLUXLOG_WRITE ? FLUXLOG_PAYLOAD_FULL :
							 FLUXLOG_PAYLOAD_NONE;

	if (r->payload_mode != should)
		return say(w, "payload mode %u, should be %u", r->payload_mode, should);
	return NULL;
}

/* @low: the smallest byte that may stand there. */
static const char *text_broken(const uint8_t *p, size_t n, uint8_t low, const struct why *w)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < low || p[i] == 0x7f)
			return say(w, "byte 0x%02x at place %zu of the text", p[i], i);
	return NULL;
}

static const char *file_promise_broken(const struct fluxlog_promise *p, const uint8_t *path,
				       size_t path_len, const struct why *w)
{
	uint64_t start = le64toh(p->start), len = le64toh(p->len);

	if (start % FL_SECTOR || len % FL_SECTOR)
		return say(w, "promised bytes %" PRIu64 "+%" PRIu64 " are no whole sectors",
			   start, len);
	return text_broken(path, path_len, ' ' + 1, w);
}

static const char *sector_promise_broken(const struct fluxlog_promise *p, size_t path_len,
					 const struct why *w)
{
	if (p->run || p->gen)
		return say(w, "a promise of sectors with a run or a generation");
	if (path_len)
		return say(w, "a promise of sectors with a path");
	return NULL;
}

static const char *promise_broken(const struct fl_rec *r, const uint8_t *inl,
				  const struct why *w)
{
	struct fluxlog_promise p;
	uint64_t end;

	if (r->inl_len < sizeof(p))
		return say(w, "%u bytes of inline data, a promise needs %zu", r->inl_len,
			   sizeof(p));
	memcpy(&p, inl, sizeof(p));
	if (le16toh(p.call) > FLUXLOG_CALL_NONE)
		return say(w, "unknown call %u", le16toh(p.call));
	if (p.reserved)
		return say(w, "the reserved field of the promise is not zero");
	if (!p.len || __builtin_add_overflow(le64toh(p.start), le64toh(p.len), &end))
		return say(w, "promised range %" PRIu64 "+%" PRIu64, le64toh(p.start),
			   le64toh(p.len));
	switch (le16toh(p.kind)) {
	case FLUXLOG_PROMISE_FILE:
		return file_promise_broken(&p, inl + sizeof(p), r->inl_len - sizeof(p), w);
	case FLUXLOG_PROMISE_SECTORS:
		return sector_promise_broken(&p, r->inl_len - sizeof(p), w);
	}
	return say(w, "unknown kind %u of promise", le16toh(p.kind));
}

static const char *inline_broken(const struct fl_rec *r, const uint8_t *inl,
				 const struct why *w)
{
	if (r->inl_len > FLUXLOG_INLINE_MAX)
		return say(w, "%u bytes of inline data, %u are allowed", r->inl_len,
			   FLUXLOG_INLINE_MAX);
	switch (r->kind) {
	case FLUXLOG_PROMISE:
		return promise_broken(r, inl, w);
	case FLUXLOG_MARK:
		if (!r->inl_len)
			return say(w, "a mark without text");
		return text_broken(inl, r->inl_len, ' ', w);
	}
	if (r->inl_len)
		return say(w, "%u bytes of inline data where there are none", r->inl_len);
	return NULL;
}

const char *fl_rec_broken(const struct fl_rule_ctx *ctx, const struct fl_rec *r,
			  const uint8_t *inl, char *why, size_t n)
{
	const struct why w = { why, n };
	const char *bad;

	if (r->kind < FLUXLOG_WRITE || r->kind > FLUXLOG_END)
		return say(&w, "unknown kind %u", r->kind);
	if (r->dev != ctx->sup->dev)
		return say(&w, "device %u, the log is of device %u", r->dev, ctx->sup->dev);
	bad = ticks_broken(ctx, r, &w);
	if (!bad)
		bad = range_broken(ctx, r, &w);
	if (!bad)
		bad = status_broken(r, &w);
	if (!bad)
		bad = flags_broken(r, &w);
	if (!bad)
		bad = payload_broken(r, &w);
	if (!bad)
		bad = inline_broken(r, inl, &w);
	return bad;
}

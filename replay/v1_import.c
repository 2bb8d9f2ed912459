// SPDX-License-Identifier: GPL-2.0
/*
 * v1_import: the entries of a dm-log-writes log as records.
 *
 * Takes   a log whose first bytes are a v1 super.
 * Gives   a super made up from it, and records whose payloads lie in the v1 file, so
 *	   that every command reads v1 logs as they are.
 * Rule    each entry gets ticks of its own, one after the other: see v1_log.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_rules.h"
#include "v1_log.h"

/* A longer write becomes several records: a unit has no room for it. */
#define PIECE_SECTORS (8u << 11)

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

/* A name that follows from the entries, so that the same log is the same log. */
static void make_uuid(uint8_t uuid[16], const struct fl_v1 *v1, uint64_t salt)
{
	uint64_t h[2] = { mix(salt, v1->block), mix(~salt, v1->counted) }, i;

	for (i = 0; i < v1->nr; i++) {
		const struct fl_v1_entry *e = &v1->entry[i];

		h[i & 1] = mix(mix(mix(h[i & 1], e->sector), e->nr), e->flags ^ h[~i & 1]);
	}
	h[0] |= 1;
	memcpy(uuid, h, 16);
}

static uint64_t device_sectors(const struct fl_v1 *v1)
{
	uint64_t end = 1, i;

	for (i = 0; i < v1->nr; i++)
		if (v1->entry[i].nr && v1->entry[i].sector + v1->entry[i].nr > end)
			end = v1->entry[i].sector + v1->entry[i].nr;
	return end * (v1->block / FL_SECTOR);
}

int fl_v1_open(struct fl_log *log, struct fl_err *err)
{
	struct fl_super *s = &log->sup;
	char why[128];
	int ret = fl_v1_scan(&log->v1, log, err);

	if (ret)
		return ret;
	*s = (struct fl_super){
		.block_size = log->v1->block >= 4096 ? 4096 : FL_SECTOR,
		.data_block_size = log->v1->block,
		.data_sectors = device_sectors(log->v1),
		.args = FL_V1_ARGS,
		.data_name = "unknown",
	};
	make_uuid(s->uuid, log->v1, 1);
	make_uuid(s->epoch, log->v1, 2);
	s->log_sectors = log->bytes / FL_SECTOR;
	if (s->log_sectors < FLUXLOG_SUPER_BYTES / FL_SECTOR)
		s->log_sectors = FLUXLOG_SUPER_BYTES / FL_SECTOR;
	if (fl_super_broken(s, why, sizeof(why)))
		return fl_fail(err, EINVAL, "%s: %s", log->path, why);
	return 0;
}

/**
 * struct import - one reading of a v1 log
 * @ctx: what the next record is judged against; its last_tick is the last one given
 * @buf: a payload for the visitor, if one is there
 */
struct import {
	struct fl_log *log;
	const struct fl_visitor *v;
	struct fl_err *err;
	struct fl_rule_ctx ctx;
	uint8_t *buf;
	uint64_t rec_cap, inl_cap;
	uint64_t at;
};

static int take_text(struct import *im, const struct fl_v1_entry *e)
{
	struct fl_log *log = im->log;

	if (log->inl_bytes + e->len > UINT32_MAX)
		return fl_fail(im->err, EFBIG, "%s: more than 4 GiB of marks", log->path);
	if (log->inl_bytes + e->len > im->inl_cap) {
		im->inl_cap = im->inl_cap + im->inl_cap / 2 + 65536;
		log->inl = fl_realloc(log->inl, im->inl_cap, 1);
	}
	return fl_log_pread(log, log->inl + log->inl_bytes, e->len, e->off, im->err);
}

static int show(struct import *im, uint64_t idx)
{
	const struct fl_rec *r = &im->log->rec[idx];
	int ret = 0;

	if (!im->v)
		return 0;
	if (im->v->record) {
		if (r->payload_off && !im->buf)
			im->buf = fl_alloc(PIECE_SECTORS, FL_SECTOR);
		if (r->payload_off)
			ret = fl_log_pread(im->log, im->buf, r->nr * FL_SECTOR, r->payload_off,
					   im->err);
		if (!ret)
			ret = im->v->record(im->v->arg, im->log, idx,
					    r->payload_off ? im->buf : NULL);
	}
	if (ret >= 0 && im->v->progress)
		im->v->progress(im->v->arg, im->log->end_off);
	return ret < 0 ? ret : 0;
}

/* Append @r of entry @e with the next ticks. -ENODATA: it cannot be a record; end_why. */
static int add(struct import *im, const struct fl_v1_entry *e, struct fl_rec *r)
{
	struct fl_log *log = im->log;
	char why[160];
	int ret = 0;

	r->issue = im->ctx.last_tick + 1;
	r->done = fl_kind_is_io(r->kind) ? r->issue + 1 : r->issue;
	if (r->kind == FLUXLOG_MARK) {
		r->inl = (uint32_t)log->inl_bytes;
		r->inl_len = (uint16_t)e->len;
		ret = take_text(im, e);
	}
	if (ret)
		return ret;
	if (fl_rec_broken(&im->ctx, r, log->inl + r->inl, why, sizeof(why))) {
		snprintf(log->end_why, sizeof(log->end_why),
			 "entry %" PRIu64 " at offset %" PRIu64 " cannot be a record: %s",
			 im->at, (e->flags & FL_V1_MARK ? e->off - sizeof(struct v1_entry)
							: e->off - log->v1->block), why);
		return -ENODATA;
	}
	if (log->nr_rec == im->rec_cap) {
		im->rec_cap = im->rec_cap ? im->rec_cap + im->rec_cap / 2 : 4096;
		log->rec = fl_realloc(log->rec, im->rec_cap, sizeof(*log->rec));
	}
	log->inl_bytes += r->inl_len;
	im->ctx.last_tick = r->done;
	log->rec[log->nr_rec++] = *r;
	return show(im, log->nr_rec - 1);
}

static uint16_t flags_of(uint32_t v1)
{
	return (uint16_t)((v1 & FL_V1_FUA ? FLUXLOG_F_FUA : 0) |
			  (v1 & FL_V1_META ? FLUXLOG_F_META : 0));
}

/* A range, in pieces; the first one of a FUA write is the flush that may be with it. */
static int add_range(struct import *im, const struct fl_v1_entry *e)
{
	bool discard = e->flags & FL_V1_DISCARD;
	uint64_t per = im->log->v1->block / FL_SECTOR, left = e->nr * per, n, off = e->off;
	struct fl_rec r = {
		.kind = discard ? FLUXLOG_DISCARD : FLUXLOG_WRITE,
		.payload_mode = discard ? FLUXLOG_PAYLOAD_NONE : FLUXLOG_PAYLOAD_FULL,
		.sector = e->sector * per,
		.flags = flags_of(e->flags),
	};
	int ret = 0;

	for (; left && !ret; left -= n) {
		n = discard || left < PIECE_SECTORS ? left : PIECE_SECTORS;
		r.nr = n;
		r.payload_off = discard ? 0 : off;
		if (e->flags & FL_V1_FLUSH && e->flags & FL_V1_FUA && left == e->nr * per)
			r.flags |= FLUXLOG_F_PREFLUSH;
		ret = add(im, e, &r);
		r.flags = flags_of(e->flags);
		r.sector += n;
		off += n * FL_SECTOR;
	}
	return ret;
}

static bool is_end_mark(const struct import *im, const struct fl_v1_entry *e)
{
	char text[sizeof(FL_V1_END_MARK) - 1];
	struct fl_err ignored;

	return e->flags & FL_V1_MARK && e->len == sizeof(text) &&
	       im->at + 1 == im->log->v1->counted &&
	       !fl_log_pread(im->log, text, sizeof(text), e->off, &ignored) &&
	       !memcmp(text, FL_V1_END_MARK, sizeof(text));
}

/* A flush with data that are not FUA goes before them and is a record of its own, as the
 * device-mapper core would have sent it. */
static int add_entry(struct import *im, const struct fl_v1_entry *e)
{
	struct fl_rec r = { .kind = FLUXLOG_FLUSH };
	int ret = 0;

	if (e->flags & FL_V1_MARK) {
		r.kind = is_end_mark(im, e) ? FLUXLOG_END : FLUXLOG_MARK;
		return add(im, e, &r);
	}
	if (e->flags & FL_V1_FLUSH && !(e->nr && e->flags & FL_V1_FUA)) {
		r.flags = e->nr ? 0 : flags_of(e->flags & ~FL_V1_FUA);
		ret = add(im, e, &r);
	}
	return ret || !e->nr ? ret : add_range(im, e);
}

/* How the log ends, once all that is whole is in. */
static void set_end(struct fl_log *log)
{
	log->end = FL_END_CUT_OFF;
	if (log->end_why[0])
		return;
	if (log->v1->why[0])
		snprintf(log->end_why, sizeof(log->end_why), "%s", log->v1->why);
	else if (log->nr_rec && log->rec[log->nr_rec - 1].kind == FLUXLOG_END)
		log->end = FL_END_COMPLETE;
	else
		snprintf(log->end_why, sizeof(log->end_why),
			 "the super counts %" PRIu64 " entries, the last of them is not the mark %s",
			 log->v1->counted, FL_V1_END_MARK);
}

int fl_v1_load(struct fl_log *log, const struct fl_visitor *v, struct fl_err *err)
{
	struct import im = { .log = log, .v = v, .err = err, .ctx = { .sup = &log->sup } };
	const struct fl_v1 *v1 = log->v1;
	int ret = 0;

	log->end_off = v1->block;
	for (; im.at < v1->nr && !ret; im.at++) {
		uint64_t end = log->end_off;

		log->end_off = v1->entry[im.at].next * v1->block;
		ret = add_entry(&im, &v1->entry[im.at]);
		if (ret == -ENODATA && log->end_why[0])
			log->end_off = end;
	}
	free(im.buf);
	if (ret && !log->end_why[0])
		return ret;
	log->units = log->nr_rec;
	set_end(log);
	return 0;
}

bool fl_group_imported(const struct fl_group *g)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		if (!strncmp(g->log[i]->sup.args, FL_V1_ARGS, strlen(FL_V1_ARGS)))
			return true;
	return false;
}

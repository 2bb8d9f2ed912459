// SPDX-License-Identifier: GPL-2.0
/*
 * log_reader: from the units of a log to records in memory.
 *
 * Takes   an open log whose super is right; the rest may be torn or hostile.
 * Gives   records, payload places, and where and why the log ends.
 * Relies  on log_rules for what a record may say. The file may be of any length
 *	   and is read with pread(), so that one that shrinks meanwhile is an
 *	   error and not a SIGBUS. No length is used before it is bounded.
 */
#include "log_reader.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc.h"
#include "log_names.h"
#include "log_rules.h"
#include "uuid.h"
#include "v1_log.h"

#define CHUNK (4u << 20)	/* how much is read at once, at least */

/**
 * struct loader - one reading of a log
 * @buf, @cap: a window on the file, room for it
 * @off, @len: the part of the file that the window holds
 * @rec_cap, @inl_cap: room in log->rec and log->inl
 * @u, @unit: the unit at hand: head in host order, its bytes in the window
 * @unit_bytes, @head_bytes: its length, and that of the part with the records
 * @ctx: what its records are judged against
 */
struct loader {
	struct fl_log *log;
	const struct fl_visitor *v;
	struct fl_err *err;
	uint8_t *buf;
	size_t cap, len;
	uint64_t off;
	uint64_t rec_cap, inl_cap;
	struct fl_unit u;
	const uint8_t *unit;
	uint32_t unit_bytes, head_bytes;
	struct fl_rule_ctx ctx;
};

/* What a step found at the place where a unit should be. */
enum step {
	STEP_OK,	/* a valid unit */
	STEP_END,	/* the log ends in front of it; log->end and end_why are set */
};

static enum step ends(struct loader *l, enum fl_end end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The log ends in front of unit l->u, which is as @fmt says. */
static enum step ends(struct loader *l, enum fl_end end, const char *fmt, ...)
{
	struct fl_log *log = l->log;
	va_list ap;
	int n = snprintf(log->end_why, sizeof(log->end_why),
			 "unit %" PRIu64 " at offset %" PRIu64 " ", l->u.seq, l->u.off);

	va_start(ap, fmt);
	vsnprintf(log->end_why + n, sizeof(log->end_why) - (size_t)n, fmt, ap);
	va_end(ap);
	log->end = end;
	return STEP_END;
}

/*
 * Make @n bytes at @off of the file visible at *@p until the next call. The
 * caller has made sure that the file is that long.
 */
static int window(struct loader *l, uint64_t off, size_t n, const uint8_t **p)
{
	size_t keep = 0, more;
	int rc;

	if (off >= l->off && off - l->off <= l->len && n <= l->len - (size_t)(off - l->off)) {
		*p = l->buf + (off - l->off);
		return 0;
	}
	if (off >= l->off && off - l->off < l->len) {
		keep = l->len - (size_t)(off - l->off);
		memmove(l->buf, l->buf + (off - l->off), keep);
	}
	if (n > l->cap) {
		uint64_t left = l->log->bytes - off;	/* >= n */

		l->cap = n > CHUNK ? n : CHUNK;
		if (l->cap > left)
			l->cap = (size_t)left;
		l->buf = fl_realloc(l->buf, l->cap, 1);
	}
	more = l->cap - keep;
	if (more > l->log->bytes - off - keep)
		more = (size_t)(l->log->bytes - off - keep);
	l->off = off;
	l->len = keep;
	rc = fl_log_pread(l->log, l->buf + keep, more, off + keep, l->err);
	if (rc)
		return rc;
	l->len += more;
	*p = l->buf;
	if (l->v && l->v->progress)
		l->v->progress(l->v->arg, off + l->len);
	return 0;
}

/* Is there room for the smallest unit, in the log and in the file? */
static enum step check_room(struct loader *l)
{
	uint64_t room = l->log->sup.log_sectors * FL_SECTOR, off = l->u.off;
	uint32_t block = l->log->sup.block_size;

	if (off > room || room - off < block)
		return ends(l, FL_END_CUT_OFF,
			    "is missing: the log's %" PRIu64 " sectors are full",
			    l->log->sup.log_sectors);
	if (l->log->bytes <= off)
		return ends(l, FL_END_CUT_OFF, "is missing: the file ends there");
	if (l->log->bytes - off < block)
		return ends(l, FL_END_CUT_OFF,
			    "is torn: the file ends inside it, at offset %" PRIu64,
			    l->log->bytes);
	return STEP_OK;
}

/* R1 and R2. */
static enum step check_identity(struct loader *l, const struct fluxlog_unit *d)
{
	char uuid[FL_UUID_LEN + 1];

	if (fl_all_zero(d, sizeof(*d)))
		return ends(l, FL_END_CUT_OFF, "is missing: there are zeros");
	if (le64toh(d->magic) != FLUXLOG_UNIT_MAGIC)
		return ends(l, FL_END_CUT_OFF,
			    "is missing: magic is 0x%016" PRIx64 ", should be 0x%016llx",
			    le64toh(d->magic), FLUXLOG_UNIT_MAGIC);
	if (memcmp(d->uuid, l->log->sup.uuid, sizeof(d->uuid)))
		return ends(l, FL_END_CUT_OFF, "belongs to another log (uuid %s)",
			    fl_uuid_str(uuid, d->uuid));
	if (le64toh(d->seq) != l->u.seq)
		return ends(l, FL_END_CUT_OFF,
			    "has sequence %" PRIu64 " where %" PRIu64 " was expected",
			    le64toh(d->seq), l->u.seq);
	return STEP_OK;
}

/* R3: after this l->unit_bytes can be trusted to be in the file. */
static enum step check_length(struct loader *l, const struct fluxlog_unit *d)
{
	uint32_t block = l->log->sup.block_size, n = le32toh(d->nr_blocks);
	uint64_t room = l->log->sup.log_sectors * FL_SECTOR - l->u.off;

	if (!n || n > FLUXLOG_UNIT_MAX_BYTES / block)
		return ends(l, FL_END_CUT_OFF,
			    "is torn: a length of %u blocks, should be 1 to %u", n,
			    FLUXLOG_UNIT_MAX_BYTES / block);
	l->unit_bytes = n * block;
	if (l->unit_bytes > room)
		return ends(l, FL_END_CUT_OFF,
			    "is torn: its %u bytes go past the log's %" PRIu64 " sectors",
			    l->unit_bytes, l->log->sup.log_sectors);
	if (l->unit_bytes > l->log->bytes - l->u.off)
		return ends(l, FL_END_CUT_OFF,
			    "is torn: the file ends inside its %u bytes, at offset %" PRIu64,
			    l->unit_bytes, l->log->bytes);
	return STEP_OK;
}

/* R4. */
static enum step check_sum(struct loader *l, const struct fluxlog_unit *d)
{
	uint32_t crc = fl_crc_object(l->unit, l->unit_bytes,
				     offsetof(struct fluxlog_unit, crc32c));

	if (crc != le32toh(d->crc32c))
		return ends(l, FL_END_CUT_OFF,
			    "is torn: checksum is 0x%08x, should be 0x%08x",
			    le32toh(d->crc32c), crc);
	return STEP_OK;
}

/* The part of R5 and R6 that is in the head. */
static enum step check_head(struct loader *l, const struct fluxlog_unit *d)
{
	uint32_t head = le32toh(d->head_bytes), nr = le32toh(d->nr_records);

	if (!fl_all_zero(d->reserved, sizeof(d->reserved)))
		return ends(l, FL_END_CORRUPT, "is corrupt (R6): reserved bytes are not zero");
	if (head % 8 || head < sizeof(*d) || head > l->unit_bytes)
		return ends(l, FL_END_CORRUPT,
			    "is corrupt (R5): a head of %u bytes in a unit of %u bytes", head,
			    l->unit_bytes);
	if (!nr || nr > (head - sizeof(*d)) / sizeof(struct fluxlog_record))
		return ends(l, FL_END_CORRUPT,
			    "is corrupt (R5): %u records in a head of %u bytes", nr, head);
	l->head_bytes = head;
	l->u.nr_blocks = le32toh(d->nr_blocks);
	l->u.nr_records = nr;
	l->u.written_ns = le64toh(d->written_ns);
	return STEP_OK;
}

static uint32_t round_up(uint32_t v, uint32_t to)
{
	return (v + to - 1) / to * to;
}

static void decode_record(struct fl_rec *r, const struct fluxlog_record *d)
{
	*r = (struct fl_rec){
		.issue = le64toh(d->issue_tick),
		.done = le64toh(d->done_tick),
		.issue_ns = le64toh(d->issue_ns),
		.done_ns = le64toh(d->done_ns),
		.sector = le64toh(d->sector),
		.nr = le64toh(d->nr_sectors),
		.inl_len = le16toh(d->inline_len),
		.status = le16toh(d->status),
		.flags = le16toh(d->flags),
		.dev = le16toh(d->dev),
		.kind = d->kind,
		.payload_mode = d->payload_mode,
	};
}

/* Room for one record more and for its inline data. */
static int grow(struct loader *l, uint16_t inl_len)
{
	struct fl_log *log = l->log;

	if (log->nr_rec == l->rec_cap) {
		l->rec_cap = l->rec_cap ? l->rec_cap + l->rec_cap / 2 : 4096;
		log->rec = fl_realloc(log->rec, l->rec_cap, sizeof(*log->rec));
	}
	if (log->inl_bytes + inl_len > UINT32_MAX)
		return fl_fail(l->err, EFBIG, "%s: more than 4 GiB of marks and promises",
			       log->path);
	if (log->inl_bytes + inl_len > l->inl_cap) {
		l->inl_cap = l->inl_cap + l->inl_cap / 2 + 65536;
		log->inl = fl_realloc(log->inl, l->inl_cap, 1);
	}
	return 0;
}

/**
 * struct walk - the way through the records of one unit
 * @pos: next byte of the head
 * @payload: where the next payload must start, in bytes from the unit
 * @i: number of the record in the unit
 */
struct walk {
	uint32_t pos, payload, i;
};

static enum step corrupt(struct loader *l, const struct walk *w, const char *rule,
			 const char *why)
{
	return ends(l, FL_END_CORRUPT, "is corrupt (%s): record %u of the unit: %s", rule, w->i,
		    why);
}

/* Payload of @r: right behind the one before, whole, padded with zeros. */
static enum step check_payload(struct loader *l, struct walk *w, struct fl_rec *r, uint32_t blk)
{
	uint32_t block = l->log->sup.block_size, bytes;

	if (r->payload_mode == FLUXLOG_PAYLOAD_NONE)
		return blk ? corrupt(l, w, "R5", "a payload block without payload") : STEP_OK;
	if (blk != w->payload / block || r->nr > (l->unit_bytes - w->payload) / FL_SECTOR)
		return corrupt(l, w, "R5", "the payload is not where it should be");
	bytes = (uint32_t)r->nr * FL_SECTOR;
	r->payload_off = l->u.off + w->payload;
	if (!fl_all_zero(l->unit + w->payload + bytes, round_up(bytes, block) - bytes))
		return corrupt(l, w, "R6", "the padding of the payload is not zero");
	w->payload += round_up(bytes, block);
	return STEP_OK;
}

/* Check everything about the record at w->pos except where its payload lies. */
static enum step check_record(struct loader *l, struct walk *w, struct fl_rec *r,
			      const struct fluxlog_record *d)
{
	const uint8_t *inl = (const uint8_t *)(d + 1);
	uint32_t left = l->head_bytes - w->pos - (uint32_t)sizeof(*d);
	uint32_t padded = round_up(le16toh(d->inline_len), 8);
	char why[160];

	if (padded > left)
		return corrupt(l, w, "R5", "its inline data go past the head");
	decode_record(r, d);
	if (fl_rec_broken(&l->ctx, r, inl, why, sizeof(why)))
		return corrupt(l, w, "R5", why);
	if (fl_kind_ends_log(r->kind) && w->i + 1 != l->u.nr_records)
		return corrupt(l, w, "R5", "records follow the end of the log");
	if (d->reserved || !fl_all_zero(inl + r->inl_len, padded - r->inl_len))
		return corrupt(l, w, "R6", "reserved bytes or padding are not zero");
	w->pos += (uint32_t)sizeof(*d) + padded;
	return STEP_OK;
}

/* Take one record into the log. 0, STEP_END or -errno. */
static int take_record(struct loader *l, struct walk *w)
{
	const struct fluxlog_record *d = (const void *)(l->unit + w->pos);
	struct fl_log *log = l->log;
	struct fl_rec r;
	int rc;

	if (l->head_bytes - w->pos < sizeof(*d))
		return (int)corrupt(l, w, "R5", "it goes past the head");
	if (check_record(l, w, &r, d) || check_payload(l, w, &r, le32toh(d->payload_blk)))
		return STEP_END;
	rc = grow(l, r.inl_len);
	if (rc)
		return rc;
	r.inl = (uint32_t)log->inl_bytes;
	if (r.inl_len)
		memcpy(log->inl + r.inl, d + 1, r.inl_len);
	log->inl_bytes += r.inl_len;
	if (r.done > l->ctx.last_tick)
		l->ctx.last_tick = r.done;
	log->rec[log->nr_rec++] = r;
	return STEP_OK;
}

/* R5 and R6: all records of a unit, and nothing but them. 0, STEP_END or -errno. */
static int take_records(struct loader *l)
{
	struct walk w = {
		.pos = sizeof(struct fluxlog_unit),
		.payload = round_up(l->head_bytes, l->log->sup.block_size),
	};
	int rc;

	/* head_bytes <= unit_bytes, and that is whole blocks: so is w.payload */
	if (!fl_all_zero(l->unit + l->head_bytes, w.payload - l->head_bytes))
		return (int)ends(l, FL_END_CORRUPT,
				 "is corrupt (R6): bytes behind its head are not zero");
	for (w.i = 0; w.i < l->u.nr_records; w.i++) {
		rc = take_record(l, &w);
		if (rc)
			return rc;
	}
	if (w.pos != l->head_bytes || w.payload != l->unit_bytes)
		return (int)ends(l, FL_END_CORRUPT,
				 "is corrupt (R5): its records fill %u of %u bytes of head and %u of %u bytes in all",
				 w.pos, l->head_bytes, w.payload, l->unit_bytes);
	return STEP_OK;
}

/* The unit at l->u.off: 0, STEP_END or -errno. Of a unit that is not valid
 * nothing gets into the log. */
static int take_unit(struct loader *l)
{
	struct fl_log *log = l->log;
	uint64_t nr_rec = log->nr_rec, inl_bytes = log->inl_bytes;
	const struct fluxlog_unit *d;
	int rc;

	if (check_room(l))
		return STEP_END;
	rc = window(l, l->u.off, log->sup.block_size, &l->unit);
	if (rc)
		return rc;
	d = (const void *)l->unit;
	if (check_identity(l, d) || check_length(l, d))
		return STEP_END;
	rc = window(l, l->u.off, l->unit_bytes, &l->unit);
	if (rc)
		return rc;
	d = (const void *)l->unit;
	if (check_sum(l, d) || check_head(l, d))
		return STEP_END;
	rc = take_records(l);
	if (rc) {
		log->nr_rec = nr_rec;
		log->inl_bytes = inl_bytes;
	}
	return rc;
}

/* Show the unit at hand, whose records start at @first, to the visitor. */
static int show_unit(const struct loader *l, uint64_t first)
{
	const struct fl_visitor *v = l->v;
	int rc = v->unit ? v->unit(v->arg, &l->u) : 0;

	for (uint64_t i = first; rc >= 0 && v->record && i < l->log->nr_rec; i++) {
		uint64_t off = l->log->rec[i].payload_off;

		rc = v->record(v->arg, l->log, i, off ? l->unit + (off - l->u.off) : NULL);
	}
	return rc < 0 ? rc : 0;
}

/* A GAP or END record is the last one of the log. */
static enum step check_end(struct fl_log *log)
{
	const struct fl_rec *r = &log->rec[log->nr_rec - 1];

	if (r->kind == FLUXLOG_END) {
		log->end = FL_END_COMPLETE;
		return STEP_END;
	}
	if (r->kind == FLUXLOG_GAP) {
		log->end = FL_END_STOPPED;
		snprintf(log->end_why, sizeof(log->end_why),
			 "recording stopped at tick %" PRIu64 ": %s (%s)", r->issue,
			 fl_gap_reason(r->status), strerrorname_np(r->status) ?: "unknown errno");
		return STEP_END;
	}
	return STEP_OK;
}

static int load(struct loader *l)
{
	struct fl_log *log = l->log;
	int rc = STEP_OK;

	while (rc == STEP_OK) {
		uint64_t first = log->nr_rec;

		l->u = (struct fl_unit){ .seq = log->units, .off = log->end_off };
		rc = take_unit(l);
		if (rc)
			break;
		log->units++;
		log->end_off += l->unit_bytes;
		if (l->v)
			rc = show_unit(l, first);
		if (!rc)
			rc = (int)check_end(log);
	}
	return rc < 0 ? rc : 0;
}

int fl_log_load(struct fl_log *log, const struct fl_visitor *v, struct fl_err *err)
{
	struct loader l = {
		.log = log,
		.v = v,
		.err = err,
		.ctx = { .sup = &log->sup, .last_tick = log->sup.start_tick },
	};
	int rc;

	free(log->rec);
	free(log->inl);
	log->rec = NULL;
	log->inl = NULL;
	log->nr_rec = log->inl_bytes = log->units = 0;
	log->end_off = FLUXLOG_SUPER_BYTES;
	log->end_why[0] = '\0';
	posix_fadvise(log->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	rc = log->v1 ? fl_v1_load(log, v, err) : load(&l);
	free(l.buf);
	return rc;
}

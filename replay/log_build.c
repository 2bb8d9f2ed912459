// SPDX-License-Identifier: GPL-2.0
/*
 * log_build: gather records into units, checksum them, write them.
 *
 * Takes   records in file order.
 * Gives   a log that the reader accepts, the same bytes for the same records.
 * Relies  on log_rules to refuse records that must not be in a log.
 */
#include "log_build.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc.h"
#include "log_rules.h"

/* A part of a unit that grows. */
struct part {
	uint8_t *p;
	size_t len, cap;
};

/**
 * struct fl_build - a log in the making
 * @fd: where it is written
 * @sup: its super; log_sectors may still be 0
 * @ctx: what the next record is judged against
 * @head, @payload: the open unit; record.payload_blk counts from the start of
 *	@payload until the unit is closed
 * @seq, @off: number and place of the open unit
 * @nr_records: records in the open unit
 * @written_ns, @written_given: of the open unit
 * @explicit_units: the caller says where units begin
 * @ended: a GAP or END is in
 */
struct fl_build {
	int fd;
	struct fl_super sup;
	struct fl_rule_ctx ctx;
	struct part head, payload;
	uint64_t seq, off;
	uint32_t nr_records;
	uint64_t written_ns;
	bool written_given, explicit_units, ended;
};

static size_t round_up(size_t v, size_t to)
{
	return (v + to - 1) / to * to;
}

/* Append @n bytes of @p, or zeros if that is NULL, and zeros up to a multiple of @to. */
static void append(struct part *part, const void *p, size_t n, size_t to)
{
	size_t end = round_up(part->len + n, to);

	if (end > part->cap) {
		part->cap = end + end / 2;
		part->p = fl_realloc(part->p, part->cap, 1);
	}
	if (p)
		memcpy(part->p + part->len, p, n);
	else
		memset(part->p + part->len, 0, n);
	memset(part->p + part->len + n, 0, end - part->len - n);
	part->len = end;
}

static int write_at(int fd, const void *buf, size_t n, uint64_t off, struct fl_err *err)
{
	const uint8_t *p = buf;

	while (n) {
		ssize_t done = pwrite(fd, p, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fl_fail(err, done ? errno : EIO,
				       "writing the log at offset %" PRIu64 ": %s", off,
				       strerror(done ? errno : EIO));
		p += done;
		off += (uint64_t)done;
		n -= (size_t)done;
	}
	return 0;
}

int fl_build_begin(struct fl_build **out, int fd, const struct fl_super *sup,
		   struct fl_err *err)
{
	struct fl_super probe = *sup;
	struct fl_build *b;
	char why[128];

	if (!probe.log_sectors)
		probe.log_sectors = FLUXLOG_SUPER_BYTES / FL_SECTOR;
	if (fl_super_broken(&probe, why, sizeof(why)))
		return fl_fail(err, EINVAL, "super: %s", why);
	b = fl_alloc(1, sizeof(*b));
	b->fd = fd;
	b->sup = *sup;
	b->ctx = (struct fl_rule_ctx){ .sup = &b->sup, .last_tick = sup->start_tick };
	b->off = FLUXLOG_SUPER_BYTES;
	*out = b;
	return 0;
}

static void open_unit(struct fl_build *b)
{
	b->head.len = b->payload.len = 0;
	b->nr_records = 0;
	b->written_ns = 0;
	b->written_given = false;
	append(&b->head, NULL, sizeof(struct fluxlog_unit), 1);
}

/* Payload places were counted from the first payload; it is behind @head_blocks. */
static void place_payloads(struct fl_build *b, uint32_t head_blocks)
{
	size_t pos = sizeof(struct fluxlog_unit);

	while (pos < b->head.len) {
		struct fluxlog_record *d = (void *)(b->head.p + pos);

		if (d->payload_mode != FLUXLOG_PAYLOAD_NONE)
			d->payload_blk = htole32(le32toh(d->payload_blk) + head_blocks);
		pos += sizeof(*d) + round_up(le16toh(d->inline_len), 8);
	}
}

static int write_unit(struct fl_build *b, struct fl_err *err)
{
	int rc = write_at(b->fd, b->head.p, b->head.len, b->off, err);

	if (!rc)
		rc = write_at(b->fd, b->payload.p, b->payload.len, b->off + b->head.len, err);
	if (rc)
		return rc;
	b->off += b->head.len + b->payload.len;
	b->seq++;
	open_unit(b);
	return 0;
}

static int close_unit(struct fl_build *b, struct fl_err *err)
{
	size_t head_bytes = b->head.len, block = b->sup.block_size;
	uint64_t room = b->sup.log_sectors * FL_SECTOR;
	struct fluxlog_unit d = {
		.magic = htole64(FLUXLOG_UNIT_MAGIC),
		.seq = htole64(b->seq),
		.head_bytes = htole32((uint32_t)head_bytes),
		.nr_records = htole32(b->nr_records),
		.written_ns = htole64(b->written_ns),
	};
	size_t bytes;
	uint32_t crc;

	append(&b->head, NULL, 0, block);
	bytes = b->head.len + b->payload.len;
	if (room && (b->off > room || bytes > room - b->off))
		return fl_fail(err, ENOSPC,
			       "unit %" PRIu64 " of %zu bytes at offset %" PRIu64
			       " does not fit a log of %" PRIu64 " sectors",
			       b->seq, bytes, b->off, b->sup.log_sectors);
	memcpy(d.uuid, b->sup.uuid, sizeof(d.uuid));
	d.nr_blocks = htole32((uint32_t)(bytes / block));
	memcpy(b->head.p, &d, sizeof(d));
	b->head.len = head_bytes;
	place_payloads(b, (uint32_t)(round_up(head_bytes, block) / block));
	b->head.len = round_up(head_bytes, block);
	crc = fl_crc(FL_CRC_SEED, b->head.p, b->head.len);
	crc = fl_crc(crc, b->payload.p, b->payload.len);
	((struct fluxlog_unit *)(void *)b->head.p)->crc32c = htole32(crc);
	return write_unit(b, err);
}

int fl_build_unit(struct fl_build *b, const uint64_t *written_ns, struct fl_err *err)
{
	int rc;

	if (b->ended)
		return fl_fail(err, EINVAL, "a unit behind the end of the log");
	if (b->explicit_units && !b->nr_records)
		return fl_fail(err, EINVAL, "unit %" PRIu64 " has no records", b->seq);
	rc = b->nr_records ? close_unit(b, err) : 0;
	if (rc)
		return rc;
	open_unit(b);
	b->explicit_units = true;
	if (written_ns) {
		b->written_ns = *written_ns;
		b->written_given = true;
	}
	return 0;
}

/* Make room for @r in the open unit, or open another one. */
static int make_room(struct fl_build *b, const struct fl_rec *r, size_t bytes,
		     struct fl_err *err)
{
	size_t block = b->sup.block_size, head;

	if (!b->explicit_units && b->nr_records &&
	    (b->nr_records == FL_BUILD_RECORDS ||
	     (bytes && b->payload.len + bytes > FL_BUILD_PAYLOAD))) {
		int rc = close_unit(b, err);

		if (rc)
			return rc;
	}
	if (!b->nr_records && !b->explicit_units)
		open_unit(b);
	head = b->head.len + sizeof(struct fluxlog_record) + round_up(r->inl_len, 8);
	if (round_up(head, block) + b->payload.len + round_up(bytes, block) >
	    FLUXLOG_UNIT_MAX_BYTES)
		return fl_fail(err, EFBIG, "unit %" PRIu64 " would be longer than %u bytes",
			       b->seq, FLUXLOG_UNIT_MAX_BYTES);
	return 0;
}

static void encode_record(struct fluxlog_record *d, const struct fl_rec *r, uint32_t blk)
{
	*d = (struct fluxlog_record){
		.kind = r->kind,
		.payload_mode = r->payload_mode,
		.flags = htole16(r->flags),
		.status = htole16(r->status),
		.inline_len = htole16(r->inl_len),
		.sector = htole64(r->sector),
		.nr_sectors = htole64(r->nr),
		.issue_tick = htole64(r->issue),
		.done_tick = htole64(r->done),
		.issue_ns = htole64(r->issue_ns),
		.done_ns = htole64(r->done_ns),
		.payload_blk = htole32(blk),
		.dev = htole16(r->dev),
	};
}

int fl_build_add(struct fl_build *b, const struct fl_rec *r, const void *inl,
		 const void *payload, struct fl_err *err)
{
	bool full = r->payload_mode == FLUXLOG_PAYLOAD_FULL;
	struct fluxlog_record d;
	char why[160];
	int rc;

	if (b->ended)
		return fl_fail(err, EINVAL, "a record behind the end of the log");
	if (fl_rec_broken(&b->ctx, r, inl, why, sizeof(why)))
		return fl_fail(err, EINVAL, "%s", why);
	if (full && r->nr > FLUXLOG_UNIT_MAX_BYTES / FL_SECTOR)
		return fl_fail(err, EFBIG, "a payload of %" PRIu64 " sectors", r->nr);
	rc = make_room(b, r, full ? r->nr * FL_SECTOR : 0, err);
	if (rc)
		return rc;
	encode_record(&d, r, full ? (uint32_t)(b->payload.len / b->sup.block_size) : 0);
	append(&b->head, &d, sizeof(d), 1);
	if (r->inl_len)
		append(&b->head, inl, r->inl_len, 8);
	if (full)
		append(&b->payload, payload, r->nr * FL_SECTOR, b->sup.block_size);
	b->nr_records++;
	if (r->done > b->ctx.last_tick)
		b->ctx.last_tick = r->done;
	if (!b->written_given && r->done_ns > b->written_ns)
		b->written_ns = r->done_ns;
	b->ended = fl_kind_ends_log(r->kind);
	return 0;
}

static int write_super(struct fl_build *b, struct fl_err *err)
{
	struct fl_super *s = &b->sup;
	struct fluxlog_super d = {
		.magic = htole64(FLUXLOG_SUPER_MAGIC),
		.version = htole32(FLUXLOG_VERSION),
		.block_size = htole32(s->block_size),
		.dev = htole32(s->dev),
		.data_block_size = htole32(s->data_block_size),
		.data_sectors = htole64(s->data_sectors),
		.created_real_ns = htole64(s->created_real_ns),
		.created_mono_ns = htole64(s->created_mono_ns),
		.start_tick = htole64(s->start_tick),
	};

	if (!s->log_sectors)
		s->log_sectors = b->off / FL_SECTOR;
	d.log_sectors = htole64(s->log_sectors);
	memcpy(d.uuid, s->uuid, sizeof(d.uuid));
	memcpy(d.epoch, s->epoch, sizeof(d.epoch));
	memcpy(d.data_name, s->data_name, strnlen(s->data_name, sizeof(d.data_name)));
	memcpy(d.args, s->args, strnlen(s->args, sizeof(d.args)));
	d.crc32c = htole32(fl_crc_object(&d, sizeof(d),
					 offsetof(struct fluxlog_super, crc32c)));
	return write_at(b->fd, &d, sizeof(d), 0, err);
}

static int finish(struct fl_build *b, uint64_t size, struct fl_err *err)
{
	int rc;

	if (b->explicit_units && !b->nr_records)
		return fl_fail(err, EINVAL, "unit %" PRIu64 " has no records", b->seq);
	rc = b->nr_records ? close_unit(b, err) : 0;
	if (!rc)
		rc = write_super(b, err);
	if (rc || !size)
		return rc;
	if (size < b->off)
		return fl_fail(err, EINVAL, "a size of %" PRIu64 " bytes, the log has %" PRIu64,
			       size, b->off);
	if (size > INT64_MAX || ftruncate(b->fd, (off_t)size))
		return fl_fail(err, EFBIG, "a size of %" PRIu64 " bytes: %s", size,
			       strerror(size > INT64_MAX ? EFBIG : errno));
	return 0;
}

int fl_build_finish(struct fl_build *b, uint64_t size, struct fl_err *err)
{
	int rc = finish(b, size, err);

	fl_build_abort(b);
	return rc;
}

void fl_build_abort(struct fl_build *b)
{
	if (!b)
		return;
	free(b->head.p);
	free(b->payload.p);
	free(b);
}

uint16_t fl_promise_put(uint8_t out[FLUXLOG_INLINE_MAX], const struct fl_promise *p)
{
	struct fluxlog_promise d = {
		.kind = htole16(p->kind),
		.call = htole16(p->call),
		.run = htole64(p->run),
		.file = htole64(p->file),
		.start = htole64(p->start),
		.len = htole64(p->len),
		.gen = htole64(p->gen),
		.at_ns = htole64(p->at_ns),
	};
	size_t path_len = strnlen(p->path, FLUXLOG_INLINE_MAX - sizeof(d));

	memcpy(out, &d, sizeof(d));
	memcpy(out + sizeof(d), p->path, path_len);
	return (uint16_t)(sizeof(d) + path_len);
}

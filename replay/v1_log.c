// SPDX-License-Identifier: GPL-2.0
/*
 * v1_log: super and entries of a dm-log-writes log. See v1_log.h.
 *
 * Takes   an open file of any bytes.
 * Gives   its entries, or where and why they are none.
 * Relies  on nothing; v1 has no checksums, so each field is held against what the
 *	   kernel's target and qemu's blklogwrites can have written.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_rules.h"
#include "v1_log.h"

/* Ends of ranges in bytes fit an off_t with room to spare. */
#define MAX_BYTES (1ULL << 62)

/* What entry v1->nr at @off is, for v1->why. Returns false. */
static bool broken(struct fl_v1 *v1, uint64_t off, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool broken(struct fl_v1 *v1, uint64_t off, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(v1->why, sizeof(v1->why),
			 "entry %" PRIu64 " of %" PRIu64 " at offset %" PRIu64 " ", v1->nr,
			 v1->counted, off);

	va_start(ap, fmt);
	vsnprintf(v1->why + n, sizeof(v1->why) - (size_t)n, fmt, ap);
	va_end(ap);
	return false;
}

static int check_super(struct fl_v1 *v1, const struct fl_log *log, const struct v1_super *d,
		       struct fl_err *err)
{
	if (le64toh(d->magic) != FL_V1_MAGIC)
		return fl_fail(err, EINVAL, "%s: not a dm-log-writes log: magic 0x%016" PRIx64
			       " at offset 0, should be 0x%016llx", log->path,
			       le64toh(d->magic), FL_V1_MAGIC);
	if (le64toh(d->version) != FL_V1_VERSION)
		return fl_fail(err, EPROTONOSUPPORT,
			       "%s: super at offset 0: dm-log-writes version %" PRIu64
			       ", this program reads version %d", log->path,
			       le64toh(d->version), FL_V1_VERSION);
	v1->block = le32toh(d->block);
	v1->counted = le64toh(d->nr);
	if (v1->block < FL_SECTOR || v1->block > FL_V1_BLOCK_MAX ||
	    (v1->block & (v1->block - 1)))
		return fl_fail(err, EINVAL, "%s: super at offset 0: blocks of %u bytes, should be a power of two from %u to %u",
			       log->path, v1->block, FL_SECTOR, FL_V1_BLOCK_MAX);
	if (log->bytes < v1->block)
		return fl_fail(err, ENODATA, "%s: ends at offset %" PRIu64
			       ", inside the super's block of %u bytes", log->path, log->bytes,
			       v1->block);
	return 0;
}

/* The flags allow what the entry's other fields say. */
static bool fields_fit(struct fl_v1 *v1, uint64_t off, const struct fl_v1_entry *e,
		       uint64_t flags, uint64_t len)
{
	uint64_t end;

	if (!flags && !e->nr)
		return broken(v1, off, "is missing: no flags and no range");
	if (flags & ~(uint64_t)FL_V1_ALL)
		return broken(v1, off, "is corrupt: flags 0x%" PRIx64 ", known are 0x%x", flags,
			      FL_V1_ALL);
	if (flags & FL_V1_MARK ? e->nr || flags != FL_V1_MARK
			       : !e->nr && !(flags & FL_V1_FLUSH))
		return broken(v1, off, "is corrupt: %" PRIu64 " blocks with flags 0x%" PRIx64,
			      e->nr, flags);
	if (flags & FL_V1_MARK && len > v1->block - sizeof(struct v1_entry))
		return broken(v1, off, "is corrupt: a mark of %" PRIu64 " bytes in a block of %u",
			      len, v1->block);
	if (__builtin_add_overflow(e->sector, e->nr, &end) || end > MAX_BYTES / v1->block)
		return broken(v1, off, "is corrupt: range %" PRIu64 "+%" PRIu64
			      " in blocks of %u bytes", e->sector, e->nr, v1->block);
	return true;
}

/* Decode the block @buf at @off of the file as entry v1->nr; false with v1->why. */
static bool decode(struct fl_v1 *v1, const struct fl_log *log, const uint8_t *buf, uint64_t off,
		   struct fl_v1_entry *e)
{
	struct v1_entry d;
	uint64_t flags, len, data;

	memcpy(&d, buf, sizeof(d));
	flags = le64toh(d.flags);
	len = le64toh(d.len);
	*e = (struct fl_v1_entry){ .sector = le64toh(d.sector), .nr = le64toh(d.nr) };
	if (!fields_fit(v1, off, e, flags, len))
		return false;
	e->flags = (uint32_t)flags;
	e->len = flags & FL_V1_MARK ? (uint32_t)len : 0;
	e->off = off + (flags & FL_V1_MARK ? sizeof(d) : v1->block);
	if (!fl_all_zero(buf + sizeof(d) + e->len, v1->block - sizeof(d) - e->len))
		return broken(v1, off, "is corrupt: its block is not filled with zeros");
	data = flags & FL_V1_DISCARD ? 0 : e->nr;
	if (data > (log->bytes - off) / v1->block - 1)
		return broken(v1, off, "is torn: the file ends inside its %" PRIu64
			      " blocks of data, at offset %" PRIu64, data, log->bytes);
	e->next = off / v1->block + 1 + data;
	return true;
}

static int scan(struct fl_v1 *v1, const struct fl_log *log, struct fl_err *err)
{
	uint8_t *buf = fl_alloc(1, v1->block);
	uint64_t off = v1->block, cap = 0;
	int ret = 0;

	while (v1->nr < v1->counted && !ret) {
		if (v1->nr == cap) {
			cap = cap ? cap + cap / 2 : 1024;
			v1->entry = fl_realloc(v1->entry, cap, sizeof(*v1->entry));
		}
		if (off > log->bytes || log->bytes - off < v1->block) {
			broken(v1, off, "is missing: the file ends at offset %" PRIu64,
			       log->bytes);
			break;
		}
		ret = fl_log_pread(log, buf, v1->block, off, err);
		if (ret || !decode(v1, log, buf, off, &v1->entry[v1->nr]))
			break;
		off = v1->entry[v1->nr++].next * v1->block;
	}
	free(buf);
	return ret;
}

int fl_v1_scan(struct fl_v1 **out, const struct fl_log *log, struct fl_err *err)
{
	struct fl_v1 *v1 = fl_alloc(1, sizeof(*v1));
	struct v1_super d = { 0 };
	int ret;

	if (log->bytes < sizeof(d))
		ret = fl_fail(err, ENODATA, "%s: ends at offset %" PRIu64 ", inside the super of %zu bytes at offset 0",
			      log->path, log->bytes, sizeof(d));
	else
		ret = fl_log_pread(log, &d, sizeof(d), 0, err);
	if (!ret)
		ret = check_super(v1, log, &d, err);
	if (!ret)
		ret = scan(v1, log, err);
	if (ret)
		fl_v1_free(v1);
	else
		*out = v1;
	return ret;
}

void fl_v1_free(struct fl_v1 *v1)
{
	if (!v1)
		return;
	free(v1->entry);
	free(v1);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * v1_write: the bytes of a dm-log-writes log. See v1_log.h.
 *
 * Takes   entries, and the log that holds their data and marks.
 * Gives   a file that begins with the super and ends with the last entry's data.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "v1_log.h"

#define CHUNK (1u << 20)

int fl_v1_text(const struct fl_v1 *v1, const struct fl_log *log, const struct fl_v1_entry *e,
	       void *text, struct fl_err *err)
{
	if (v1 == log->v1)
		return fl_log_pread(log, text, e->len, e->off, err);
	memcpy(text, e->off == FL_NEVER ? (const uint8_t *)FL_V1_END_MARK : log->inl + e->off,
	       e->len);
	return 0;
}

static int write_at(int fd, const uint8_t *p, uint64_t n, uint64_t off, struct fl_err *err)
{
	while (n) {
		ssize_t done = pwrite(fd, p, n, (off_t)off);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fl_fail(err, done ? errno : EIO, "writing the log at offset %"
				       PRIu64 ": %s", off, strerror(done ? errno : EIO));
		p += done;
		off += (uint64_t)done;
		n -= (uint64_t)done;
	}
	return 0;
}

/* The block of @e, at @off. */
static int write_entry(const struct fl_v1 *v1, const struct fl_log *log,
		       const struct fl_v1_entry *e, int fd, uint8_t *buf, uint64_t off,
		       struct fl_err *err)
{
	struct v1_entry d = {
		.sector = htole64(e->sector),
		.nr = htole64(e->nr),
		.flags = htole64(e->flags),
		.len = htole64(e->len),
	};
	int ret = 0;

	memset(buf, 0, v1->block);
	memcpy(buf, &d, sizeof(d));
	if (e->len)
		ret = fl_v1_text(v1, log, e, buf + sizeof(d), err);
	return ret ? ret : write_at(fd, buf, v1->block, off, err);
}

/* Its data; zeros that are in no file stay a hole. */
static int write_data(const struct fl_v1 *v1, const struct fl_log *log,
		      const struct fl_v1_entry *e, int fd, uint8_t *buf, uint64_t off,
		      struct fl_err *err)
{
	uint64_t left = e->flags & FL_V1_DISCARD ? 0 : e->nr * v1->block, from = e->off, n;
	int ret = 0;

	for (; left && e->off && !ret; left -= n, off += n, from += n) {
		n = left < CHUNK ? left : CHUNK;
		ret = fl_log_pread(log, buf, n, from, err);
		if (!ret)
			ret = write_at(fd, buf, n, off, err);
	}
	return ret;
}

int fl_v1_write(const struct fl_v1 *v1, const struct fl_log *log, int fd, struct fl_err *err)
{
	struct v1_super d = {
		.magic = htole64(FL_V1_MAGIC),
		.version = htole64(FL_V1_VERSION),
		.nr = htole64(v1->nr),
		.block = htole32(v1->block),
	};
	uint8_t *buf = fl_alloc(1, CHUNK);
	uint64_t off = v1->block, i;
	int ret = 0;

	for (i = 0; i < v1->nr && !ret; i++) {
		ret = write_entry(v1, log, &v1->entry[i], fd, buf, off, err);
		if (!ret)
			ret = write_data(v1, log, &v1->entry[i], fd, buf, off + v1->block, err);
		off = v1->entry[i].next * v1->block;
	}
	memset(buf, 0, v1->block);
	memcpy(buf, &d, sizeof(d));
	if (!ret)
		ret = write_at(fd, buf, v1->block, 0, err);
	if (!ret && ftruncate(fd, (off_t)off))
		ret = fl_fail(err, errno, "writing the log: %s", strerror(errno));
	free(buf);
	return ret;
}

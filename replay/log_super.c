// SPDX-License-Identifier: GPL-2.0
/*
 * log_super: open a log and check its first 4096 bytes; close it again.
 *
 * Takes   a path to anything.
 * Gives   a struct fl_log with its super, or the reason why this is no log.
 * Relies  on log_rules for what a super may say.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc.h"
#include "log_reader.h"
#include "log_rules.h"
#include "v1_log.h"

/* Copy a NUL-padded field; false if anything but NULs follows its first NUL. */
static bool take_text(char *out, const char *field, size_t n)
{
	size_t len = strnlen(field, n);

	memcpy(out, field, len);
	out[len] = '\0';
	return fl_all_zero(field + len, n - len);
}

static int decode_super(struct fl_log *log, const struct fluxlog_super *d, struct fl_err *err)
{
	struct fl_super *s = &log->sup;
	char why[128];

	*s = (struct fl_super){
		.block_size = le32toh(d->block_size),
		.dev = le32toh(d->dev),
		.data_block_size = le32toh(d->data_block_size),
		.data_sectors = le64toh(d->data_sectors),
		.log_sectors = le64toh(d->log_sectors),
		.created_real_ns = le64toh(d->created_real_ns),
		.created_mono_ns = le64toh(d->created_mono_ns),
		.start_tick = le64toh(d->start_tick),
	};
	memcpy(s->uuid, d->uuid, sizeof(s->uuid));
	memcpy(s->epoch, d->epoch, sizeof(s->epoch));
	if (!take_text(s->data_name, d->data_name, sizeof(d->data_name)) ||
	    !take_text(s->args, d->args, sizeof(d->args)))
		return fl_fail(err, EINVAL, "%s: super at offset 0: a text is not padded with zeros",
			       log->path);
	if (!fl_all_zero(d->reserved, sizeof(d->reserved)))
		return fl_fail(err, EINVAL, "%s: super at offset 0: reserved bytes are not zero",
			       log->path);
	if (fl_super_broken(s, why, sizeof(why)))
		return fl_fail(err, EINVAL, "%s: super at offset 0: %s", log->path, why);
	return 0;
}

static int check_super(struct fl_log *log, const struct fluxlog_super *d, struct fl_err *err)
{
	uint32_t crc = fl_crc_object(d, sizeof(*d), offsetof(struct fluxlog_super, crc32c));

	if (le64toh(d->magic) != FLUXLOG_SUPER_MAGIC)
		return fl_fail(err, EINVAL,
			       "%s: not a fluxlog log: magic 0x%016" PRIx64
			       " at offset 0, should be 0x%016llx",
			       log->path, le64toh(d->magic), FLUXLOG_SUPER_MAGIC);
	if (le32toh(d->version) != FLUXLOG_VERSION)
		return fl_fail(err, EPROTONOSUPPORT,
			       "%s: super at offset 0: version %u, this program reads version %u",
			       log->path, le32toh(d->version), FLUXLOG_VERSION);
	if (le32toh(d->crc32c) != crc)
		return fl_fail(err, EBADMSG,
			       "%s: super at offset 0 is torn: checksum is 0x%08x, should be 0x%08x",
			       log->path, le32toh(d->crc32c), crc);
	return decode_super(log, d, err);
}

static bool starts_like_v1(const struct fl_log *log)
{
	struct fl_err ignored;
	__le64 magic;

	return log->bytes >= sizeof(magic) &&
	       !fl_log_pread(log, &magic, sizeof(magic), 0, &ignored) &&
	       le64toh(magic) == FL_V1_MAGIC;
}

static int read_super(struct fl_log *log, struct fl_err *err)
{
	struct fluxlog_super d;
	int rc;

	if (starts_like_v1(log))
		return fl_v1_open(log, err);
	if (!log->bytes)
		return fl_fail(err, ENODATA, "%s: is empty: no super at offset 0", log->path);
	if (log->bytes < sizeof(d))
		return fl_fail(err, ENODATA,
			       "%s: ends at offset %" PRIu64 ", inside the super of %zu bytes at offset 0",
			       log->path, log->bytes, sizeof(d));
	rc = fl_log_pread(log, &d, sizeof(d), 0, err);
	return rc ? rc : check_super(log, &d, err);
}

static int open_file(struct fl_log *log, struct fl_err *err)
{
	struct stat st;
	off_t end;

	/* without O_NONBLOCK a FIFO would hold us here for ever */
	log->fd = open(log->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (log->fd < 0 || fstat(log->fd, &st))
		return fl_fail(err, errno, "%s: %s", log->path, strerror(errno));
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return fl_fail(err, EINVAL, "%s: neither a file nor a block device", log->path);
	end = lseek(log->fd, 0, SEEK_END);
	if (end < 0)
		return fl_fail(err, errno, "%s: its size: %s", log->path, strerror(errno));
	log->bytes = (uint64_t)end;
	return 0;
}

int fl_log_open_file(struct fl_log **out, const char *path, struct fl_err *err)
{
	struct fl_log *log = fl_alloc(1, sizeof(*log));
	int rc;

	log->fd = -1;
	log->path = fl_strdup(path);
	rc = open_file(log, err);
	if (rc) {
		fl_log_close(log);
		return rc;
	}
	*out = log;
	return 0;
}

int fl_log_open(struct fl_log **out, const char *path, struct fl_err *err)
{
	struct fl_log *log;
	int rc = fl_log_open_file(&log, path, err);

	if (rc)
		return rc;
	rc = read_super(log, err);
	if (rc) {
		fl_log_close(log);
		return rc;
	}
	*out = log;
	return 0;
}

int fl_log_pread(const struct fl_log *log, void *buf, uint64_t len, uint64_t off,
		 struct fl_err *err)
{
	uint8_t *p = buf;

	while (len) {
		ssize_t n = pread(log->fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fl_fail(err, errno, "%s: reading at offset %" PRIu64 ": %s",
				       log->path, off, strerror(errno));
		if (!n)
			return fl_fail(err, EIO, "%s: ends at offset %" PRIu64
				       ", it became shorter while it was read", log->path, off);
		p += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

void fl_log_close(struct fl_log *log)
{
	if (!log)
		return;
	if (log->fd >= 0)
		close(log->fd);
	free(log->path);
	free(log->rec);
	free(log->inl);
	fl_v1_free(log->v1);
	free(log);
}

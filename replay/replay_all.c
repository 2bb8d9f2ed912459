// SPDX-License-Identifier: GPL-2.0
/* See replay_all.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/fs.h>

#include "progress.h"
#include "replay_all.h"

#define CHUNK (1u << 20)

struct target {
	const char *path;
	int fd;
	bool is_file;
	uint8_t *buf;
	struct fl_err *err;
};

static int write_at(struct target *t, const uint8_t *buf, uint64_t len, uint64_t off)
{
	while (len) {
		ssize_t n = pwrite(t->fd, buf, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fl_fail(t->err, n ? errno : EIO, "%s: writing at offset %llu: %s",
				       t->path, (unsigned long long)off,
				       n ? strerror(errno) : "nothing was written");
		buf += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

/* Zeros that can be read back: a hole in a file, written out on a device. */
static int zero_range(struct target *t, uint64_t off, uint64_t len)
{
	int ret = 0;

	if (t->is_file && !fallocate(t->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				     (off_t)off, (off_t)len))
		return 0;
	memset(t->buf, 0, CHUNK);
	while (len && !ret) {
		uint64_t n = len < CHUNK ? len : CHUNK;

		ret = write_at(t, t->buf, n, off);
		off += n;
		len -= n;
	}
	return ret;
}

static int copy_payload(struct target *t, const struct fl_log *log, const struct fl_rec *r)
{
	uint64_t done, n, len = r->nr * FL_SECTOR;
	int ret = 0;

	for (done = 0; done < len && !ret; done += n) {
		n = len - done < CHUNK ? len - done : CHUNK;
		ret = fl_log_pread(log, t->buf, n, r->payload_off + done, t->err);
		if (!ret)
			ret = write_at(t, t->buf, n, r->sector * FL_SECTOR + done);
	}
	return ret;
}

static int apply(struct target *t, const struct fl_log *log, const struct fl_rec *r)
{
	if (r->kind == FLUXLOG_WRITE)
		return copy_payload(t, log, r);
	return zero_range(t, r->sector * FL_SECTOR, r->nr * FL_SECTOR);
}

static int cmp_done(const void *a, const void *b)
{
	const struct fl_rec *x = *(const struct fl_rec *const *)a;
	const struct fl_rec *y = *(const struct fl_rec *const *)b;

	return x->done < y->done ? -1 : x->done > y->done;
}

static int apply_all(struct target *t, const struct fl_dev *dev, uint64_t *failed)
{
	const struct fl_rec **order = fl_alloc((size_t)dev->nr_ver + 1, sizeof(*order));
	struct fl_progress meter;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < dev->nr_ver; i++)
		order[i] = dev->ver[i].rec;
	qsort(order, dev->nr_ver, sizeof(*order), cmp_done);
	fl_progress_begin(&meter, "replaying", dev->nr_ver);
	for (i = 0, *failed = 0; i < dev->nr_ver && !ret; i++) {
		if (order[i]->status)
			++*failed;
		else
			ret = apply(t, dev->log, order[i]);
		fl_progress_step(&meter, i);
	}
	fl_progress_end(&meter);
	free(order);
	return ret;
}

/* Size the target to hold the device, with zeros everywhere. */
static int prepare(struct target *t, uint64_t bytes)
{
	struct stat st;
	uint64_t have;

	if (fstat(t->fd, &st))
		return fl_fail(t->err, errno, "%s: %s", t->path, strerror(errno));
	t->is_file = S_ISREG(st.st_mode);
	if (t->is_file) {
		if (ftruncate(t->fd, 0) || ftruncate(t->fd, (off_t)bytes))
			return fl_fail(t->err, errno, "%s: %s", t->path, strerror(errno));
		return 0;
	}
	if (!S_ISBLK(st.st_mode) || ioctl(t->fd, BLKGETSIZE64, &have))
		return fl_fail(t->err, EINVAL, "%s: neither a file nor a block device", t->path);
	if (have < bytes)
		return fl_fail(t->err, ENOSPC, "%s: %llu bytes, the recorded device had %llu",
			       t->path, (unsigned long long)have, (unsigned long long)bytes);
	return zero_range(t, 0, bytes);
}

int fl_replay_all(const struct fl_dev *dev, const char *path, uint64_t *failed,
		  struct fl_err *err)
{
	struct target t = { .path = path, .err = err };
	int ret;

	t.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (t.fd < 0)
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	t.buf = fl_alloc(CHUNK, 1);
	ret = prepare(&t, dev->log->sup.data_sectors * FL_SECTOR);
	if (!ret)
		ret = apply_all(&t, dev, failed);
	if (!ret && fsync(t.fd))
		ret = fl_fail(err, errno, "%s: %s", path, strerror(errno));
	free(t.buf);
	close(t.fd);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/* See image_write.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "image_write.h"

#define CHUNK_SECTORS 2048u
#define GRAIN 4096u			/* zeros as long as this become a hole */

struct target {
	const char *path;
	int fd;
	bool is_file;
	uint64_t bytes;			/* its size, if it is a device */
	uint8_t *buf;
	struct fl_err *err;
};

static int target_error(const struct target *t, int code)
{
	return fl_fail(t->err, code, "%s: %s", t->path, strerror(code));
}

/* ---- what must not be a target ------------------------------------------------ */

/* Where the block device is in /sys; a partition lies below its disk. */
static char *sys_path(dev_t dev)
{
	char link[64];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	return realpath(link, NULL);
}

static bool lies_in(const char *part, const char *disk)
{
	size_t n = strlen(disk);

	return !strncmp(part, disk, n) && (!part[n] || part[n] == '/');
}

/* Whether two block devices are one, or one is a partition of the other. */
static bool devices_overlap(dev_t a, dev_t b)
{
	char *x = sys_path(a), *y = sys_path(b);
	bool overlap = a == b || (x && y && (lies_in(x, y) || lies_in(y, x)));

	free(x);
	free(y);
	return overlap;
}

static bool same_thing(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode))
		return devices_overlap(a->st_rdev, b->st_rdev);
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int check_target(const struct target *t, const struct stat *st,
			const struct fl_group *g, int base)
{
	struct stat other;
	unsigned int i;

	if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode))
		return fl_fail(t->err, EINVAL, "%s: neither a file nor a block device", t->path);
	for (i = 0; i < g->nr; i++)
		if (!fstat(g->log[i]->fd, &other) && same_thing(st, &other))
			return fl_fail(t->err, EBUSY, "%s: is the log %s", t->path,
				       g->log[i]->path);
	if (base >= 0 && !fstat(base, &other) && same_thing(st, &other))
		return fl_fail(t->err, EBUSY, "%s: is the base image", t->path);
	return 0;
}

/* ---- opening ------------------------------------------------------------------ */

/* O_EXCL on a block device fails if somebody else has claimed it: a mount, RAID, LVM. */
static int open_device(struct target *t, uint64_t need)
{
	t->fd = open(t->path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (t->fd < 0 && errno == EBUSY)
		return fl_fail(t->err, EBUSY, "%s: is mounted or otherwise in use", t->path);
	if (t->fd < 0)
		return target_error(t, errno);
	if (ioctl(t->fd, BLKGETSIZE64, &t->bytes))
		return target_error(t, errno);
	if (t->bytes < need)
		return fl_fail(t->err, ENOSPC, "%s: %" PRIu64 " bytes, the recorded device had %"
			       PRIu64, t->path, t->bytes, need);
	return 0;
}

static int open_file(struct target *t, uint64_t need)
{
	t->fd = open(t->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (t->fd < 0)
		return target_error(t, errno);
	if (ftruncate(t->fd, 0) || ftruncate(t->fd, (off_t)need))
		return target_error(t, errno);
	return 0;
}

static int open_target(struct target *t, const struct fl_group *g, int base, uint64_t need)
{
	struct stat st = { .st_mode = S_IFREG };
	int ret = 0;

	if (!stat(t->path, &st))
		ret = check_target(t, &st, g, base);
	else if (errno != ENOENT)
		ret = target_error(t, errno);
	if (ret)
		return ret;
	t->is_file = S_ISREG(st.st_mode);
	return t->is_file ? open_file(t, need) : open_device(t, need);
}

/* ---- writing ------------------------------------------------------------------ */

static int write_at(struct target *t, const uint8_t *buf, uint64_t len, uint64_t off)
{
	while (len) {
		ssize_t n = pwrite(t->fd, buf, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fl_fail(t->err, n ? errno : EIO,
				       "%s: writing at offset %" PRIu64 ": %s", t->path, off,
				       n ? strerror(errno) : "nothing was written");
		buf += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

/* Zeros on a device. Where the ioctl cannot do it (a range that is no multiple of the
 * device's blocks) they are written. */
static int zero_device(struct target *t, uint64_t off, uint64_t len)
{
	uint64_t range[2] = { off, len }, n;
	int ret = 0;

	if (!len || !ioctl(t->fd, BLKZEROOUT, range))
		return 0;
	memset(t->buf, 0, CHUNK_SECTORS * FL_SECTOR);
	for (; len && !ret; off += n, len -= n) {
		n = len < CHUNK_SECTORS * FL_SECTOR ? len : CHUNK_SECTORS * FL_SECTOR;
		ret = write_at(t, t->buf, n, off);
	}
	return ret;
}

static bool all_zeros(const uint8_t *p, uint64_t n)
{
	return !p[0] && !memcmp(p, p + 1, n - 1);
}

/* Write what is in t->buf, to a file without the zeros in it. */
static int put(struct target *t, uint64_t len, uint64_t off)
{
	uint64_t at, n;
	int ret = 0;

	if (!t->is_file)
		return write_at(t, t->buf, len, off);
	for (at = 0; at < len && !ret; at += n) {
		n = GRAIN - (off + at) % GRAIN;
		if (n > len - at)
			n = len - at;
		if (!all_zeros(t->buf + at, n))
			ret = write_at(t, t->buf + at, n, off + at);
	}
	return ret;
}

enum pass { ZEROS, DATA };

/* One piece after the other, of each pass its own. */
static int write_pass(struct target *t, const struct fl_image *img, int base, enum pass pass)
{
	uint64_t end = img->dev->log->sup.data_sectors, sector, nr, off, max;
	struct fl_progress meter;
	bool zeros;
	int ret = 0;

	fl_progress_begin(&meter, pass == ZEROS ? "zeroing" : "replaying", end * FL_SECTOR);
	for (sector = 0; sector < end && !ret; sector += nr) {
		max = pass == ZEROS || end - sector < CHUNK_SECTORS ? end - sector
								     : CHUNK_SECTORS;
		zeros = fl_image_piece(img, base, sector, max, &nr, &off) == FL_FROM_ZEROS;
		if (pass == ZEROS && zeros)
			ret = zero_device(t, sector * FL_SECTOR, nr * FL_SECTOR);
		if (pass == DATA && !zeros) {
			ret = fl_image_read(img, base, t->buf, sector, nr, t->err);
			if (!ret)
				ret = put(t, nr * FL_SECTOR, sector * FL_SECTOR);
		}
		fl_progress_step(&meter, sector * FL_SECTOR);
	}
	fl_progress_end(&meter);
	return ret;
}

/* Zeros go first: BLKZEROOUT works below the page cache, in which there is nothing yet. */
static int write_image(struct target *t, const struct fl_image *img, int base)
{
	uint64_t bytes = img->dev->log->sup.data_sectors * FL_SECTOR;
	int ret = 0;

	if (!t->is_file)
		ret = zero_device(t, bytes, t->bytes - bytes);
	if (!ret && !t->is_file)
		ret = write_pass(t, img, base, ZEROS);
	if (!ret)
		ret = write_pass(t, img, base, DATA);
	if (!ret && fsync(t->fd))
		ret = target_error(t, errno);
	return ret;
}

int fl_image_write(const struct fl_image *img, const struct fl_group *g, int base,
		   const char *path, struct fl_err *err)
{
	struct target t = { .path = path, .fd = -1, .err = err };
	int ret = open_target(&t, g, base, img->dev->log->sup.data_sectors * FL_SECTOR);

	if (!ret) {
		t.buf = fl_alloc(CHUNK_SECTORS, FL_SECTOR);
		ret = write_image(&t, img, base);
		free(t.buf);
	}
	if (t.fd >= 0 && close(t.fd) && !ret)
		ret = target_error(&t, errno);
	return ret;
}

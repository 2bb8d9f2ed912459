// SPDX-License-Identifier: GPL-2.0
/*
 * replay_log_target: one entry onto the replay device. See replay_log.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay_log.h"

#define CHUNK (1ULL << 20)
#define DISCARD_CHUNK (1ULL << 30)

static int target_error(struct rl *rl, uint64_t off, int code)
{
	return fl_fail(&rl->err, code, "%s: writing at offset %" PRIu64 ": %s", rl->o.replay, off,
		       strerror(code));
}

int rl_target_open(struct rl *rl)
{
	struct stat st, log;

	rl->fd = open(rl->o.replay, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (rl->fd < 0 || fstat(rl->fd, &st))
		return fl_fail(&rl->err, errno, "%s: %s", rl->o.replay, strerror(errno));
	rl->is_block = S_ISBLK(st.st_mode);
	if (!rl->is_block && !S_ISREG(st.st_mode))
		return fl_fail(&rl->err, EINVAL, "%s: neither a file nor a block device",
			       rl->o.replay);
	if (!fstat(rl->log->fd, &log) &&
	    (rl->is_block && S_ISBLK(log.st_mode) ? st.st_rdev == log.st_rdev
			: st.st_dev == log.st_dev && st.st_ino == log.st_ino))
		return fl_fail(&rl->err, EBUSY, "%s: is the log", rl->o.replay);
	return 0;
}

bool rl_skips(const struct rl *rl, const struct fl_v1_entry *e)
{
	return e->nr && (e->sector + e->nr <= rl->o.start_sector || e->sector > rl->o.end_sector);
}

static int write_at(struct rl *rl, uint64_t len, uint64_t off)
{
	const uint8_t *p = rl->buf;

	while (len) {
		ssize_t n = pwrite(rl->fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return target_error(rl, off, n ? errno : EIO);
		p += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int write_zeros(struct rl *rl, uint64_t off, uint64_t len)
{
	uint64_t n;
	int ret = 0;

	memset(rl->buf, 0, CHUNK);
	for (; len && !ret; len -= n, off += n) {
		n = len < CHUNK ? len : CHUNK;
		ret = write_at(rl, n, off);
	}
	return ret;
}

/* What the device will not discard is zeroed, however long it is. */
static int discard(struct rl *rl, uint64_t off, uint64_t len)
{
	uint64_t range[2];
	int ret = 0;

	for (; len && !ret; off += range[1], len -= range[1]) {
		range[0] = off;
		range[1] = len < DISCARD_CHUNK ? len : DISCARD_CHUNK;
		if (rl->is_block && !rl->no_discard && !ioctl(rl->fd, BLKDISCARD, range))
			continue;
		if (rl->is_block && !rl->no_discard && rl->o.verbose)
			printf("replay device doesn't support discard, switching to writing zeros\n");
		rl->no_discard = true;
		if (rl->is_block ? !ioctl(rl->fd, BLKZEROOUT, range)
				 : !fallocate(rl->fd, FALLOC_FL_ZERO_RANGE, (off_t)off,
					      (off_t)range[1]))
			continue;
		ret = write_zeros(rl, off, range[1]);
	}
	return ret;
}

/* A discard keeps to the window; its ends count. */
static int apply_discard(struct rl *rl, const struct fl_v1_entry *e)
{
	uint64_t from = e->sector, to = e->sector + e->nr, block = rl->v1->block;

	if (rl->o.no_discard)
		return 0;
	if (from < rl->o.start_sector)
		from = rl->o.start_sector;
	if (to - 1 > rl->o.end_sector)
		to = rl->o.end_sector + 1;
	return from < to ? discard(rl, from * block, (to - from) * block) : 0;
}

int rl_target_apply(struct rl *rl, uint64_t i)
{
	const struct fl_v1_entry *e = &rl->v1->entry[i];
	uint64_t left = e->nr * rl->v1->block, off = e->sector * rl->v1->block, from = e->off, n;
	int ret = 0;

	if (!left || rl_skips(rl, e))
		return 0;
	if (e->flags & FL_V1_DISCARD)
		return apply_discard(rl, e);
	if (!from)
		return write_zeros(rl, off, left);
	for (; left && !ret; left -= n, off += n, from += n) {
		n = left < CHUNK ? left : CHUNK;
		ret = fl_log_pread(rl->log, rl->buf, n, from, &rl->err);
		if (!ret)
			ret = write_at(rl, n, off);
	}
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * load_worker: one thread of the workload.
 *
 * Takes   its file and the command line.
 * Gives   stamped blocks, syncs, promises, and counts of what failed.
 * Relies  on each block having one writer: then, of two stamps for one place, the
 *	   one written later has the larger generation, and no promise names a
 *	   generation newer than what any writer may have left there.
 *
 * A sync that fails promises nothing, and neither does a later one for the same
 * bytes: the kernel may have marked them clean.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../replay/stamp.h"
#include "fluxlog_load.h"

/* From Linux 6.14 on; older headers lack it. */
#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/* Alignment that every O_DIRECT device takes */
#define BUF_ALIGN 4096

uint64_t load_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t next_random(struct load_worker *w)
{
	uint64_t z = w->rnd += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void count_failure(struct load_worker *w, enum load_step step, int err)
{
	unsigned int e = (unsigned int)err;

	w->count.failed[step][e < LOAD_ERRNO_MAX ? e : 0]++;
	w->count.errors++;
}

static void stamp_block(struct load_worker *w, const struct load_range *r)
{
	struct fl_stamp s = { .run = w->o->run, .file = w->file, .gen = r->gen };

	for (uint64_t at = 0; at < r->len; at += 512) {
		s.offset = r->start + at;
		fl_stamp_make(w->buf + at, &s);
	}
}

/* 0 or -errno; a short write is an ENOSPC or EIO in the making: try the rest */
static int write_all(const struct load_worker *w, uint64_t len, uint64_t off)
{
	int flags = w->o->io == LOAD_DONTCACHE ? RWF_DONTCACHE : 0;
	uint8_t *buf = w->buf;

	while (len) {
		struct iovec iov = { .iov_base = buf, .iov_len = len };
		ssize_t n = pwritev2(w->fd, &iov, 1, (off_t)off, flags);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (!n)
			return -EIO;
		if (n < 0)
			continue;
		buf += n;
		len -= (uint64_t)n;
		off += (uint64_t)n;
	}
	return 0;
}

/* Appended ranges that touch make one promise with the older generation: nothing
 * older can lie there. Overwritten ones do not: that would let an older version
 * of the second pass. */
static void add_pending(struct load_worker *w, const struct load_range *r)
{
	struct load_range *last = w->nr_pending ? &w->pending[w->nr_pending - 1] : NULL;

	if (last && w->o->mode == LOAD_APPEND && last->start + last->len == r->start)
		last->len += r->len;
	else
		w->pending[w->nr_pending++] = *r;
}

static void promise_pending(struct load_worker *w, uint64_t at_ns)
{
	const char *call = load_call_name(w->o, w->id);

	for (uint64_t i = 0; i < w->nr_pending; i++) {
		int ret = load_promise_send(w->promise, w->file, w->path,
					    &w->pending[i], call, at_ns);

		if (ret)
			count_failure(w, LOAD_STEP_PROMISE, -ret);
		else
			w->count.promises++;
	}
	w->nr_pending = 0;
}

static int do_sync(const struct load_worker *w)
{
	enum load_sync sync = load_sync_of(w->o, w->id);

	if (sync == LOAD_DSYNC || w->o->no_sync)
		return 0;
	return sync == LOAD_FSYNC ? fsync(w->fd) : fdatasync(w->fd);
}

static bool sync_and_promise(struct load_worker *w)
{
	uint64_t at_ns;

	if (!w->nr_pending)
		return true;
	if (do_sync(w)) {
		count_failure(w, LOAD_STEP_SYNC, errno);
		w->nr_pending = 0;
		return false;
	}
	at_ns = load_now_ns();	/* at once: nothing may come between */
	if (!w->o->no_sync)
		w->count.syncs++;
	promise_pending(w, at_ns);
	return true;
}

/* Write one block; a write that failed may still be there in part, so nothing is
 * promised of it. */
static bool write_block(struct load_worker *w, const struct load_range *r)
{
	int ret;

	stamp_block(w, r);
	ret = write_all(w, r->len, r->start);
	if (ret) {
		count_failure(w, LOAD_STEP_WRITE, -ret);
		return false;
	}
	w->count.ops++;
	add_pending(w, r);
	return true;
}

/* Place of the @n-th block of @w: a shared file is dealt out block by block. */
static uint64_t block_start(const struct load_worker *w, uint64_t n)
{
	return (w->o->shared ? n * w->o->threads + w->id : n) * w->o->bs;
}

int load_worker_init(struct load_worker *w, const struct load_opts *o,
		     struct load_promise *promise, struct fl_err *err)
{
	w->o = o;
	w->promise = promise;
	w->buf = aligned_alloc(BUF_ALIGN, (o->bs + BUF_ALIGN - 1) / BUF_ALIGN * BUF_ALIGN);
	w->pending = fl_alloc(o->sync_every, sizeof(*w->pending));
	w->rnd = o->seed ^ (w->id * 0xd1342543de82ef95u);
	if (!w->buf)
		return fl_fail(err, ENOMEM, "writer %" PRIu64 ": no memory for a block of %" PRIu64 " bytes",
			       w->id, o->bs);
	return 0;
}

void load_worker_fill(struct load_worker *w)
{
	struct load_range r = { .len = w->o->bs, .gen = 1 };

	for (uint64_t n = 0; n < w->o->file_blocks; n++) {
		r.start = block_start(w, n);
		write_block(w, &r);
		if (w->nr_pending == w->o->sync_every)
			sync_and_promise(w);
	}
	sync_and_promise(w);
}

/* For instance so long that timestamps move on between two writes. */
static void think(const struct load_worker *w)
{
	struct timespec ts = {
		.tv_sec = (time_t)(w->o->think_ms / 1000),
		.tv_nsec = (long)(w->o->think_ms % 1000 * 1000000),
	};

	while (w->o->think_ms && clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

void load_worker_run(struct load_worker *w)
{
	const struct load_opts *o = w->o;
	struct load_range r = { .len = o->bs };
	uint64_t bad = 0;

	for (uint64_t i = 0; i < o->ops && !w->count.gave_up; i++) {
		bool ok;

		r.start = block_start(w, o->mode == LOAD_APPEND ? i :
				      next_random(w) % o->file_blocks);
		r.gen = i + 2;
		think(w);
		ok = write_block(w, &r);
		if ((i + 1) % o->sync_every == 0 || i + 1 == o->ops)
			ok = sync_and_promise(w) && ok;
		bad = ok ? 0 : bad + 1;
		w->count.gave_up = o->give_up && bad >= o->give_up;
	}
}

void load_worker_free(struct load_worker *w)
{
	if (w->fd > 0)
		close(w->fd);
	free(w->buf);
	free(w->pending);
}

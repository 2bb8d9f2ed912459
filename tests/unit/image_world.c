// SPDX-License-Identifier: GPL-2.0
/* See image_world.h. */
#include "image_world.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- making a world ---------------------------------------------------------- */

static unsigned int below(struct world *w, unsigned int n)
{
	return (unsigned int)t_below(&w->random, n);
}

static bool chance(struct world *w, unsigned int percent)
{
	return below(w, 100) < percent;
}

static struct w_io random_io(struct world *w, unsigned int tag, uint64_t tick)
{
	unsigned int blocks = w->sectors / w->per_block, what = below(w, 100);
	unsigned int at = below(w, blocks), nr = 1 + below(w, blocks - at < 6 ? blocks - at : 6);
	struct w_io io = {
		.dev = below(w, w->nr_dev), .issue = tick, .tag = tag,
		.sector = at * w->per_block, .nr = nr * w->per_block,
		.kind = what < 60 ? FLUXLOG_WRITE : what < 80 ? FLUXLOG_FLUSH :
			what < 90 ? FLUXLOG_ZEROES : FLUXLOG_DISCARD,
		.status = chance(w, 12) ? 5 : 0,
	};

	if (io.kind == FLUXLOG_FLUSH)
		io.sector = io.nr = 0;
	if (io.kind == FLUXLOG_WRITE || io.kind == FLUXLOG_ZEROES) {
		io.flags |= chance(w, 15) ? FLUXLOG_F_FUA : 0;
		io.flags |= chance(w, 10) ? FLUXLOG_F_PREFLUSH : 0;
	}
	if (io.kind == FLUXLOG_WRITE)
		io.flags |= chance(w, 10) ? FLUXLOG_F_ATOMIC : 0;
	return io;
}

/* Events one after the other: something is issued, or something that is in flight is
 * done, or a mark or a promise comes in. */
static void random_events(struct world *w)
{
	struct w_io flight[W_IO];
	unsigned int nr_flight = 0, issued = 0, i;
	uint64_t tick = 0;

	while (issued < W_IO || nr_flight) {
		if (chance(w, 5)) {
			if (chance(w, 50) && w->nr_mark < W_IO)
				w->mark[w->nr_mark++] = ++tick;
			else if (w->nr_promise < W_IO)
				w->promise[w->nr_promise++] = ++tick;
		}
		if (issued < W_IO && (!nr_flight || chance(w, 45))) {
			flight[nr_flight++] = random_io(w, ++issued, ++tick);
			continue;
		}
		i = below(w, nr_flight);
		flight[i].done = ++tick;
		w->io[w->nr_io++] = flight[i];
		flight[i] = flight[--nr_flight];
	}
	w->last = tick;
}

static void put_io(FILE *out, const struct w_io *io)
{
	unsigned int i;

	fprintf(out, "%s i=%llu d=%llu", fl_kind_name(io->kind), (unsigned long long)io->issue,
		(unsigned long long)io->done);
	if (io->nr)
		fprintf(out, " s=%u n=%u", io->sector, io->nr);
	if (io->status)
		fprintf(out, " err=%u", io->status);
	if (io->flags)
		fprintf(out, " flags=%s%s%s%s%s",
			io->flags & FLUXLOG_F_FUA ? "fua" : "",
			io->flags & FLUXLOG_F_FUA && io->flags != FLUXLOG_F_FUA ? "," : "",
			io->flags & FLUXLOG_F_PREFLUSH ? "preflush" : "",
			io->flags & FLUXLOG_F_PREFLUSH && io->flags & FLUXLOG_F_ATOMIC ? "," : "",
			io->flags & FLUXLOG_F_ATOMIC ? "atomic" : "");
	for (i = 0; io->kind == FLUXLOG_WRITE && i < io->nr; i++)
		fprintf(out, "%shex:%02x%02xff", i ? "," : " data=", io->tag, i);
	fputc('\n', out);
}

/* The log of one device as text; marks are in the first one's, promises in the last's. */
static int make_log(struct world *w, unsigned int dev)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	unsigned int i;
	int fd;

	fprintf(out, "fluxlog 1\nsuper dev=%u data_sectors=%u data_block=%u\n", dev * 3,
		w->sectors, w->per_block * FL_SECTOR);
	for (i = 0; i < w->nr_io; i++)
		if (w->io[i].dev == dev)
			put_io(out, &w->io[i]);
	for (i = 0; i < w->nr_mark && !dev; i++)
		fprintf(out, "mark i=%llu text=\"m %u\"\n", (unsigned long long)w->mark[i], i);
	for (i = 0; i < w->nr_promise && dev == w->nr_dev - 1; i++)
		fprintf(out, "promise i=%llu file=1 len=512\n",
			(unsigned long long)w->promise[i]);
	w->last++;
	fprintf(out, "end i=%llu\n", (unsigned long long)w->last);
	fclose(out);
	fd = t_asm(text);
	free(text);
	return fd;
}

/* Some are shorter than the device: it goes on in zeros. */
static int make_base(struct world *w)
{
	uint8_t bytes[W_MAX_SECTORS * FL_SECTOR];
	size_t n = below(w, w->sectors + 1) * FL_SECTOR, i;

	if (chance(w, 50))
		return -1;
	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)t_random(&w->random);
	return t_file(bytes, n);
}

void w_make(struct world *w, uint64_t seed)
{
	char path[W_DEVS][64], *paths[W_DEVS] = { path[0], path[1] };
	struct fl_err err;
	unsigned int i;

	*w = (struct world){ .random = seed };
	w->nr_dev = 1 + below(w, W_DEVS);
	w->per_block = chance(w, 50) ? 1 : 8;
	w->sectors = w->per_block * (5 + below(w, 15));
	random_events(w);
	for (i = 0; i < w->nr_dev; i++) {
		w->fd[i] = make_log(w, i);
		w->base[i] = make_base(w);
		snprintf(path[i], sizeof(path[i]), "%s", t_path(w->fd[i]));
	}
	if (fl_group_open(&w->g, paths, (int)w->nr_dev, 0, &err))
		ck_abort_msg("%s", err.msg);
	fl_cuts_build(&w->cuts, w->g);
}

void w_free(struct world *w)
{
	unsigned int i;

	fl_cuts_free(&w->cuts);
	fl_group_close(w->g);
	for (i = 0; i < w->nr_dev; i++) {
		close(w->fd[i]);
		if (w->base[i] >= 0)
			close(w->base[i]);
	}
}

/* ---- the model --------------------------------------------------------------- */

static bool is_flush(const struct w_io *io)
{
	return io->kind == FLUXLOG_FLUSH || io->flags & FLUXLOG_F_PREFLUSH;
}

/* Rule 2, word for word; a flush is of its own device. */
static bool durable(const struct world *w, const struct w_io *v, uint64_t cut)
{
	unsigned int i;

	if (v->status || v->kind == FLUXLOG_DISCARD)
		return false;
	if (v->flags & FLUXLOG_F_FUA && v->done <= cut)
		return true;
	for (i = 0; i < w->nr_io; i++) {
		const struct w_io *f = &w->io[i];

		if (is_flush(f) && f->dev == v->dev && !f->status && v->done < f->issue &&
		    f->done <= cut)
			return true;
	}
	return false;
}

static bool floats(const struct world *w, const struct w_io *v, uint64_t cut)
{
	return v->kind != FLUXLOG_FLUSH && v->issue <= cut && !durable(w, v, cut);
}

/* One record onto the buffer; @mask: which of its blocks. */
static void apply(const struct world *w, const struct w_io *v, uint64_t mask, uint8_t *bytes)
{
	unsigned int i;

	for (i = 0; i < v->nr; i++) {
		uint8_t *to = bytes + (v->sector + i) * FL_SECTOR;

		if (!(mask >> i / w->per_block & 1))
			continue;
		memset(to, 0, FL_SECTOR);
		if (v->kind != FLUXLOG_WRITE)
			continue;
		to[0] = (uint8_t)v->tag;
		to[1] = (uint8_t)i;
		to[2] = 0xff;
	}
}

static void load_base(const struct world *w, unsigned int dev, uint8_t *bytes)
{
	memset(bytes, 0, w->sectors * FL_SECTOR);
	if (w->base[dev] >= 0)
		ck_assert_int_ge(pread(w->base[dev], bytes, w->sectors * FL_SECTOR, 0), 0);
}

/* Everything that is durable at the cut, and of what floats the places of w->io whose
 * bit is set in @set. */
static void model(const struct world *w, unsigned int dev, uint64_t cut, uint64_t set,
		  uint64_t torn_mask, uint8_t *bytes)
{
	unsigned int i;

	load_base(w, dev, bytes);
	for (i = 0; i < w->nr_io; i++) {
		const struct w_io *v = &w->io[i];

		if (v->dev != dev || v->kind == FLUXLOG_FLUSH || v->issue > cut)
			continue;
		if (durable(w, v, cut))
			apply(w, v, UINT64_MAX, bytes);
		else if (set >> i & 1)
			apply(w, v, torn_mask, bytes);
	}
}

/* ---- picking an image -------------------------------------------------------- */

/* The n-th flush point: io is in the order of done ticks. */
static unsigned int flush_points(const struct world *w, unsigned int want, uint64_t *tick)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->nr_io; i++) {
		const struct w_io *io = &w->io[i];

		if (io->kind != FLUXLOG_FLUSH && !(io->flags & FLUXLOG_F_FUA))
			continue;
		if (++n == want)
			*tick = io->done;
	}
	return n;
}

static int pick_cut(struct world *w, char id[W_ID], uint64_t *tick)
{
	unsigned int kind = below(w, 8), nr = 0, points = flush_points(w, 0, tick);

	if (kind == 0 && w->nr_mark) {
		nr = below(w, w->nr_mark);
		*tick = w->mark[nr];
		return snprintf(id, W_ID, "mark-m_%u", nr);
	}
	if (kind == 1 && w->nr_promise) {
		nr = below(w, w->nr_promise);
		*tick = w->promise[nr];
		return snprintf(id, W_ID, "promise-%u", nr + 1);
	}
	if (kind == 2 && chance(w, 30)) {
		*tick = 0;
		return snprintf(id, W_ID, "start");
	}
	if (kind == 3) {
		*tick = w->last;
		return snprintf(id, W_ID, "end");
	}
	if (kind < 6 && points) {
		nr = 1 + below(w, points);
		flush_points(w, nr, tick);
		return snprintf(id, W_ID, "flush-%u", nr);
	}
	*tick = below(w, (unsigned int)w->last + 1);
	return snprintf(id, W_ID, "tick-%llu", (unsigned long long)*tick);
}

static uint64_t all_floating(const struct world *w, uint64_t cut)
{
	uint64_t set = 0;
	unsigned int i;

	for (i = 0; i < w->nr_io; i++)
		if (floats(w, &w->io[i], cut))
			set |= 1ULL << i;
	return set;
}

/* The first @n of a set: its order is that of done ticks. */
static uint64_t first_of(uint64_t set, unsigned int n)
{
	uint64_t first = 0;

	for (; set && n; n--, set &= set - 1)
		first |= set & -set;
	return first;
}

/* "T,T,..." of some of @set, in any order; *@named: which. */
static int put_some(struct world *w, char *to, uint64_t set, uint64_t *named)
{
	unsigned int start = below(w, w->nr_io), k, i;
	int n = 0;

	for (k = 0, *named = 0; k < w->nr_io; k++) {
		i = (start + k) % w->nr_io;
		if (!(set >> i & 1) || (*named && chance(w, 60)))
			continue;
		n += sprintf(to + n, "%s%llu", *named ? "," : "",
			     (unsigned long long)w->io[i].issue);
		*named |= 1ULL << i;
	}
	return n;
}

/* The hash of crash_image.c, pinned: an id means the same bytes for ever. */
static bool seeded(uint64_t seed, uint64_t issue)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + issue;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) & 1;
}

static int put_seed(struct world *w, char *to, uint64_t *set)
{
	uint64_t seed = chance(w, 50) ? below(w, 20) : t_random(&w->random), all = *set;
	unsigned int i;

	for (i = 0; i < w->nr_io; i++)
		if ((all >> i & 1) && !seeded(seed, w->io[i].issue))
			*set &= ~(1ULL << i);
	return sprintf(to, "seed=%llu", (unsigned long long)seed);
}

/* A torn write, if one floats that is not atomic; else 0. */
static int put_torn(struct world *w, char *to, uint64_t *set, uint64_t *mask)
{
	unsigned int start = below(w, w->nr_io), k, i;

	for (k = 0; k < w->nr_io; k++) {
		i = (start + k) % w->nr_io;
		if (!(*set >> i & 1) || w->io[i].flags & FLUXLOG_F_ATOMIC)
			continue;
		*set = 1ULL << i;
		*mask = below(w, 64);
		return sprintf(to, "torn=%llu:%s%llx", (unsigned long long)w->io[i].issue,
			       chance(w, 20) ? "0" : "", (unsigned long long)*mask);
	}
	return 0;
}

/* A variant's name; *@set: from all that floats to what of it is there. */
static int pick_variant(struct world *w, char *to, uint64_t *set, uint64_t *mask)
{
	unsigned int kind = below(w, 7), nr;
	uint64_t all = *set, named;
	int n = 0;

	*mask = UINT64_MAX;
	if (kind == 0)
		return sprintf(to, "all");
	if ((kind == 1 || kind == 2) && all) {
		n = sprintf(to, "%s", kind == 1 ? "drop=" : "only=");
		n += put_some(w, to + n, all, &named);
		*set = kind == 1 ? all & ~named : named;
		return n;
	}
	if (kind == 3) {
		nr = below(w, 12);
		*set = first_of(all, nr);
		return sprintf(to, "prefix=%u", nr);
	}
	if (kind == 4)
		return put_seed(w, to, set);
	if (kind == 5)
		n = put_torn(w, to, set, mask);
	if (n)
		return n;
	*set = 0;
	return sprintf(to, "durable");
}

void w_pick(struct world *w, char id[W_ID], unsigned int *dev, uint8_t *bytes)
{
	uint64_t cut = 0, set, mask;
	int n = pick_cut(w, id, &cut);

	set = all_floating(w, cut);
	id[n++] = '/';
	n += pick_variant(w, id + n, &set, &mask);
	*dev = below(w, w->nr_dev);
	if (w->nr_dev > 1)
		sprintf(id + n, ".dev%u", *dev * 3);
	model(w, *dev, cut, set, mask, bytes);
}

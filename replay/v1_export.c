// SPDX-License-Identifier: GPL-2.0
/*
 * v1_export: the records of one device as the entries of a dm-log-writes log.
 *
 * Takes   a device (durability).
 * Gives   entries in the order in which v1 has to have them, and what got lost.
 *
 * v1 knows one order and replays it. So a write is put where it becomes durable: before
 * the first flush that covers it, whichever flush was submitted first. A FUA write is
 * its own such place, and an older write to the same sectors that becomes durable later
 * must not be replayed over it: what is there already with a larger done tick stays, and
 * only the rest of the older write is put. That settles overlaps as crash_image does, so
 * at each flush point replaying gives the durable image.
 *
 * A flush that failed is put as well: it covers nothing, but it is an instant. The flush
 * of a FUA write that is a flush as well goes into its entry, so that both are one instant.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "v1_log.h"

/* Zeros are data in v1: no more of them in an entry than replaying has memory for. */
#define ZEROES_SECTORS (8u << 11)

/* What happens at a tick, in this order. */
enum what { PUT_VERSION, PUT_FLUSH, PUT_FUA, PUT_MARK };

struct event {
	uint64_t tick, done;
	enum what what;
	const struct fl_rec *rec;
};

/**
 * struct exporter - an export in the making
 * @done: for each segment of dev->index, the largest done tick that was put there
 * @per: sectors in a block
 */
struct exporter {
	struct fl_v1 *v1;
	const struct fl_dev *dev;
	struct fl_v1_loss *loss;
	struct fl_err *err;
	struct event *event;
	uint64_t nr_event, cap;
	uint64_t *done;
	uint32_t per;
};

/* ---- events -------------------------------------------------------------------- */

static int cmp_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	return x->done < y->done ? -1 : x->done > y->done;
}

static void add_event(struct exporter *ex, uint64_t tick, enum what what,
		      const struct fl_rec *rec)
{
	ex->event[ex->nr_event++] = (struct event){ tick, rec->done, what, rec };
}

static int check_range(struct exporter *ex, const struct fl_rec *r)
{
	if (!(r->sector % ex->per) && !(r->nr % ex->per))
		return 0;
	return fl_fail(ex->err, EINVAL, "%s: the %s issued at tick %" PRIu64 ", sectors %" PRIu64
		       "+%" PRIu64 ", is not in whole blocks of %u bytes", ex->dev->log->path,
		       fl_kind_name(r->kind), r->issue, r->sector, r->nr, ex->v1->block);
}

/* A discard is never durable; v1 has it with the flush that would have covered it. */
static int add_version(struct exporter *ex, const struct fl_ver *v)
{
	const struct fl_rec *r = v->rec;
	bool discard = r->kind == FLUXLOG_DISCARD;
	uint64_t at = discard ? ex->dev->cover[fl_flush_after(ex->dev, r->done)] : v->dur;
	bool fua = !discard && r->flags & FLUXLOG_F_FUA;

	if (!fl_took_effect(r)) {
		ex->loss->failed++;
		return 0;
	}
	add_event(ex, at, fua ? PUT_FUA : PUT_VERSION, r);
	return check_range(ex, r);
}

/* A FUA write that is a flush as well. */
static bool flushes_and_fua(const struct fl_rec *r)
{
	return (r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES) && fl_took_effect(r) &&
	       r->flags & FLUXLOG_F_FUA && r->flags & FLUXLOG_F_PREFLUSH;
}

static int collect(struct exporter *ex)
{
	const struct fl_dev *dev = ex->dev;
	uint64_t i;
	int ret = 0;

	ex->event = fl_alloc(2 * dev->log->nr_rec + 1, sizeof(*ex->event));
	for (i = 0; i < dev->nr_ver && !ret; i++)
		ret = add_version(ex, &dev->ver[i]);
	for (i = 0; i < dev->nr_flush; i++) {
		if (!flushes_and_fua(dev->flush[i]))
			add_event(ex, dev->flush[i]->done, PUT_FLUSH, dev->flush[i]);
		ex->loss->failed += !fl_took_effect(dev->flush[i]);
	}
	for (i = 0; i < dev->log->nr_rec; i++) {
		const struct fl_rec *r = &dev->log->rec[i];

		ex->loss->promises += r->kind == FLUXLOG_PROMISE;
		if (r->kind == FLUXLOG_MARK)
			add_event(ex, r->issue, PUT_MARK, r);
	}
	qsort(ex->event, ex->nr_event, sizeof(*ex->event), cmp_event);
	return ret;
}

/* ---- entries ------------------------------------------------------------------- */

static void put(struct exporter *ex, const struct fl_v1_entry *e)
{
	struct fl_v1 *v1 = ex->v1;
	uint64_t at = v1->nr ? v1->entry[v1->nr - 1].next : 1;

	if (v1->nr == ex->cap) {
		ex->cap = ex->cap ? ex->cap + ex->cap / 2 : 1024;
		v1->entry = fl_realloc(v1->entry, ex->cap, sizeof(*v1->entry));
	}
	v1->entry[v1->nr] = *e;
	v1->entry[v1->nr++].next = at + 1 + (e->flags & FL_V1_DISCARD ? 0 : e->nr);
}

static uint32_t flags_of(const struct fl_rec *r)
{
	return (r->flags & FLUXLOG_F_FUA && r->kind != FLUXLOG_DISCARD ? FL_V1_FUA : 0) |
	       (r->flags & FLUXLOG_F_META ? FL_V1_META : 0) |
	       (r->kind == FLUXLOG_DISCARD ? FL_V1_DISCARD : 0);
}

/* Sectors @from to @to of @r. */
static void put_part(struct exporter *ex, const struct fl_rec *r, uint64_t from, uint64_t to)
{
	uint32_t flush = flushes_and_fua(r) ? FL_V1_FLUSH : 0;
	uint64_t n;

	for (; from < to; from += n, flush = 0) {
		n = to - from;
		if (r->kind == FLUXLOG_ZEROES && n > ZEROES_SECTORS)
			n = ZEROES_SECTORS;
		put(ex, &(struct fl_v1_entry){
			.sector = from / ex->per, .nr = n / ex->per, .flags = flags_of(r) | flush,
			.off = r->payload_off ?
				r->payload_off + (from - r->sector) * FL_SECTOR : 0,
		});
	}
}

/* What of @r is not there yet in a version that was done later. */
static void put_version(struct exporter *ex, const struct fl_rec *r)
{
	const struct fl_index *ix = &ex->dev->index;
	uint64_t end = r->sector + r->nr, from = r->sector, to = from;
	uint32_t seg = fl_index_seg(ix, r->sector);
	uint64_t nr = ex->v1->nr;

	for (; to < end; seg++) {
		if (ex->done[seg] < r->done) {
			ex->done[seg] = r->done;
			to = ix->bound[seg + 1];
			continue;
		}
		put_part(ex, r, from, to);
		from = to = ix->bound[seg + 1];
	}
	put_part(ex, r, from, to);
	ex->loss->replaced += nr == ex->v1->nr;
}

static int put_mark(struct exporter *ex, const struct fl_rec *r)
{
	if (r->inl_len > ex->v1->block - sizeof(struct v1_entry))
		return fl_fail(ex->err, EINVAL, "%s: the mark at tick %" PRIu64
			       " has %u bytes, a block of %u has room for %zu",
			       ex->dev->log->path, r->issue, r->inl_len, ex->v1->block,
			       ex->v1->block - sizeof(struct v1_entry));
	put(ex, &(struct fl_v1_entry){ .flags = FL_V1_MARK, .off = r->inl, .len = r->inl_len });
	return 0;
}

static int put_all(struct exporter *ex)
{
	uint64_t i;
	int ret = 0;

	for (i = 0; i < ex->nr_event && !ret; i++) {
		const struct event *ev = &ex->event[i];

		if (ev->what == PUT_FLUSH)
			put(ex, &(struct fl_v1_entry){ .flags = FL_V1_FLUSH });
		else if (ev->what == PUT_MARK)
			ret = put_mark(ex, ev->rec);
		else
			put_version(ex, ev->rec);
	}
	if (!ret && ex->dev->log->end == FL_END_COMPLETE)
		put(ex, &(struct fl_v1_entry){ .flags = FL_V1_MARK, .off = FL_NEVER,
					       .len = sizeof(FL_V1_END_MARK) - 1 });
	return ret;
}

int fl_v1_export(struct fl_v1 **out, const struct fl_dev *dev, struct fl_v1_loss *loss,
		 struct fl_err *err)
{
	struct exporter ex = { .dev = dev, .loss = loss, .err = err };
	uint32_t block = dev->log->sup.data_block_size;
	int ret;

	*loss = (struct fl_v1_loss){ .early = dev->log->end != FL_END_COMPLETE };
	if (block > FL_V1_BLOCK_MAX)
		return fl_fail(err, EINVAL, "%s: blocks of %u bytes, v1 is read up to %u",
			       dev->log->path, block, FL_V1_BLOCK_MAX);
	ex.v1 = fl_alloc(1, sizeof(*ex.v1));
	ex.v1->block = block;
	ex.per = block / FL_SECTOR;
	ex.done = fl_alloc((size_t)dev->index.nr_seg + 1, sizeof(*ex.done));
	ret = collect(&ex);
	if (!ret)
		ret = put_all(&ex);
	free(ex.event);
	free(ex.done);
	ex.v1->counted = ex.v1->nr;
	if (ret)
		fl_v1_free(ex.v1);
	else
		*out = ex.v1;
	return ret;
}

// SPDX-License-Identifier: GPL-2.0
/* See durability.h: the rules of DESIGN.md section 3 and nothing else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "durability.h"

#define MAX_VERSIONS (1u << 29)

/* ---- rule 1: the order of events ------------------------------------------- */

bool fl_issued_by(const struct fl_rec *rec, struct fl_cut cut)
{
	return cut.on_clock ? rec->issue_ns < cut.at : rec->issue <= cut.at;
}

bool fl_done_by(const struct fl_rec *rec, struct fl_cut cut)
{
	return cut.on_clock ? rec->done_ns <= cut.at : rec->done <= cut.at;
}

bool fl_durable_by(const struct fl_ver *v, struct fl_cut cut)
{
	return (cut.on_clock ? v->dur_ns : v->dur) <= cut.at;
}

static bool is_version(const struct fl_rec *r)
{
	return r->kind == FLUXLOG_WRITE || r->kind == FLUXLOG_ZEROES ||
	       r->kind == FLUXLOG_DISCARD;
}

static bool is_flush(const struct fl_rec *r)
{
	return r->kind == FLUXLOG_FLUSH ||
	       (is_version(r) && (r->flags & FLUXLOG_F_PREFLUSH));
}

static int cmp_ver(const void *a, const void *b)
{
	const struct fl_ver *x = a, *y = b;

	return x->rec->issue < y->rec->issue ? -1 : x->rec->issue > y->rec->issue;
}

static int cmp_flush(const void *a, const void *b)
{
	const struct fl_rec *x = *(const struct fl_rec *const *)a;
	const struct fl_rec *y = *(const struct fl_rec *const *)b;

	return x->issue < y->issue ? -1 : x->issue > y->issue;
}

/* Everything below orders by ticks; two writes with one tick have no order. */
static int check_ticks(const struct fl_dev *dev, struct fl_err *err)
{
	uint32_t i;

	for (i = 1; i < dev->nr_ver; i++)
		if (dev->ver[i - 1].rec->issue == dev->ver[i].rec->issue)
			return fl_fail(err, EINVAL, "%s: two records were issued at tick %llu",
				       dev->log->path,
				       (unsigned long long)dev->ver[i].rec->issue);
	return 0;
}

static int collect(struct fl_dev *dev, struct fl_err *err)
{
	const struct fl_log *log = dev->log;
	uint64_t i, vers = 0, flushes = 0;

	for (i = 0; i < log->nr_rec; i++) {
		vers += is_version(&log->rec[i]);
		flushes += is_flush(&log->rec[i]);
	}
	if (vers > MAX_VERSIONS || flushes > MAX_VERSIONS)
		return fl_fail(err, EFBIG, "%s: more than %u writes or flushes",
			       log->path, MAX_VERSIONS);
	dev->ver = fl_alloc(vers + 1, sizeof(*dev->ver));
	dev->flush = fl_alloc(flushes + 1, sizeof(*dev->flush));
	for (i = 0; i < log->nr_rec; i++) {
		if (is_version(&log->rec[i]))
			dev->ver[dev->nr_ver++].rec = &log->rec[i];
		if (is_flush(&log->rec[i]))
			dev->flush[dev->nr_flush++] = &log->rec[i];
	}
	qsort(dev->ver, dev->nr_ver, sizeof(*dev->ver), cmp_ver);
	qsort(dev->flush, dev->nr_flush, sizeof(*dev->flush), cmp_flush);
	return check_ticks(dev, err);
}

/* ---- rule 2: from when on a write is durable -------------------------------- */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The order in which flushes complete does not matter: of all that cover a write,
 * the first that is done makes it durable, so a running minimum from the end. */
static void build_cover(struct fl_dev *dev, enum fl_rule rule)
{
	uint32_t i = dev->nr_flush;
	uint64_t done = 0;

	dev->cover = fl_alloc((size_t)i + 1, sizeof(*dev->cover));
	dev->cover_ns = fl_alloc((size_t)i + 1, sizeof(*dev->cover_ns));
	dev->cover[i] = dev->cover_ns[i] = FL_NEVER;
	while (i-- > 0) {
		const struct fl_rec *f = dev->flush[i];

		if (rule == FL_RULE_LOG_WRITES) {
			dev->cover[i] = f->done;
			dev->cover_ns[i] = f->done_ns;
			continue;
		}
		dev->cover[i] = min_u64(dev->cover[i + 1], fl_took_effect(f) ? f->done : FL_NEVER);
		dev->cover_ns[i] = min_u64(dev->cover_ns[i + 1],
					   fl_took_effect(f) ? f->done_ns : FL_NEVER);
	}
	dev->flush_done = fl_alloc((size_t)dev->nr_flush + 1, sizeof(*dev->flush_done));
	for (i = 0; i < dev->nr_flush; i++) {
		done = dev->flush[i]->done > done ? dev->flush[i]->done : done;
		dev->flush_done[i] = done;
	}
}

uint32_t fl_flush_after(const struct fl_dev *dev, uint64_t tick)
{
	uint32_t lo = 0, hi = dev->nr_flush;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (dev->flush[mid]->issue > tick)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void set_durable(const struct fl_dev *dev, struct fl_ver *v)
{
	uint32_t f;

	v->dur = v->dur_ns = FL_NEVER;
	if (!fl_took_effect(v->rec) || v->rec->kind == FLUXLOG_DISCARD)
		return;
	f = fl_flush_after(dev, v->rec->done);
	v->dur = dev->cover[f];
	v->dur_ns = dev->cover_ns[f];
	if (v->rec->flags & FLUXLOG_F_FUA) {
		v->dur = min_u64(v->dur, v->rec->done);
		v->dur_ns = min_u64(v->dur_ns, v->rec->done_ns);
	}
}

/* ---- rules 3 and 4: what a segment may hold --------------------------------- */

static void build_index(struct fl_dev *dev)
{
	struct fl_span *span = fl_alloc((size_t)dev->nr_ver + 1, sizeof(*span));
	uint32_t i;

	for (i = 0; i < dev->nr_ver; i++) {
		span[i].start = dev->ver[i].rec->sector;
		span[i].end = span[i].start + dev->ver[i].rec->nr;
	}
	fl_index_build(&dev->index, span, dev->nr_ver);
	free(span);
}

/* Running extremes beside the entries of each node; they bound fl_front(). */
static void build_bounds(struct fl_dev *dev)
{
	const struct fl_index *ix = &dev->index;
	uint32_t node, i;

	dev->max_done = fl_alloc((size_t)ix->nr_entry + 1, sizeof(*dev->max_done));
	dev->min_dur = fl_alloc((size_t)ix->nr_entry + 1, sizeof(*dev->min_dur));
	dev->min_dur_ns = fl_alloc((size_t)ix->nr_entry + 1, sizeof(*dev->min_dur_ns));
	for (node = 0; node < 2 * ix->nr_seg; node++) {
		uint64_t done = 0, dur = FL_NEVER, dur_ns = FL_NEVER;

		for (i = ix->first[node]; i < ix->first[node + 1]; i++) {
			const struct fl_ver *v = &dev->ver[ix->entry[i]];

			done = v->rec->done > done ? v->rec->done : done;
			dev->max_done[i] = done;
			dev->min_dur[i] = dur = min_u64(dur, v->dur);
			dev->min_dur_ns[i] = dur_ns = min_u64(dur_ns, v->dur_ns);
		}
	}
}

static void build_floor(struct fl_dev *dev)
{
	uint32_t i = dev->nr_ver;

	dev->floor_ns = fl_alloc((size_t)i + 1, sizeof(*dev->floor_ns));
	dev->floor_ns[i] = FL_NEVER;
	while (i-- > 0)
		dev->floor_ns[i] = min_u64(dev->floor_ns[i + 1],
					   dev->ver[i].rec->issue_ns);
}

int fl_dev_build(struct fl_dev *dev, const struct fl_log *log, enum fl_rule rule,
		 struct fl_err *err)
{
	uint32_t i;
	int ret;

	memset(dev, 0, sizeof(*dev));
	dev->log = log;
	ret = collect(dev, err);
	if (ret)
		return ret;
	build_cover(dev, rule);
	for (i = 0; i < dev->nr_ver; i++)
		set_durable(dev, &dev->ver[i]);
	build_floor(dev);
	build_index(dev);
	build_bounds(dev);
	return 0;
}

void fl_dev_free(struct fl_dev *dev)
{
	fl_index_free(&dev->index);
	free(dev->ver);
	free(dev->flush);
	free(dev->floor_ns);
	free(dev->flush_done);
	free(dev->cover);
	free(dev->cover_ns);
	free(dev->max_done);
	free(dev->min_dur);
	free(dev->min_dur_ns);
	memset(dev, 0, sizeof(*dev));
}

uint32_t fl_issued_below(const struct fl_dev *dev, struct fl_cut cut)
{
	uint32_t lo = 0, hi = dev->nr_ver;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		bool later = cut.on_clock ? dev->floor_ns[mid] >= cut.at
					  : dev->ver[mid].rec->issue > cut.at;

		if (later)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool replacing(const struct fl_ver *v, struct fl_cut cut, enum fl_level level)
{
	if (level == FL_DURABLE)
		return fl_durable_by(v, cut);
	return !v->rec->status && v->rec->kind != FLUXLOG_DISCARD &&
	       fl_done_by(v->rec, cut);
}

/* The largest issue tick of a replacing version in @l's first @n: whatever was done
 * before that tick is replaced. False: there is none. */
static bool newest_replacing(const struct fl_dev *dev, const struct fl_list *l, uint32_t n,
			     struct fl_cut cut, enum fl_level level, uint64_t *issue)
{
	const uint64_t *min = (cut.on_clock ? dev->min_dur_ns : dev->min_dur) + l->pos;

	if (level == FL_DURABLE && n && min[n - 1] > cut.at)
		return false;
	while (n && !replacing(&dev->ver[l->id[n - 1]], cut, level))
		n--;
	if (!n)
		return false;
	if (dev->ver[l->id[n - 1]].rec->issue > *issue)
		*issue = dev->ver[l->id[n - 1]].rec->issue;
	return true;
}

int fl_front(const struct fl_dev *dev, uint32_t seg, struct fl_cut cut,
	     enum fl_level level, fl_front_fn fn, void *arg, bool *base)
{
	struct fl_list list[FL_INDEX_LISTS];
	uint32_t n[FL_INDEX_LISTS], below = fl_issued_below(dev, cut);
	unsigned int nr = fl_index_lists(&dev->index, seg, list), i;
	uint64_t replaced = 0;	/* what was done before this tick is replaced */
	int ret = 0;

	*base = true;
	for (i = 0; i < nr; i++) {
		n[i] = fl_list_below(&list[i], below);
		if (newest_replacing(dev, &list[i], n[i], cut, level, &replaced))
			*base = false;
	}
	for (i = 0; i < nr && !ret; i++) {
		const uint64_t *max_done = dev->max_done + list[i].pos;

		for (; n[i] && max_done[n[i] - 1] >= replaced && !ret; n[i]--) {
			const struct fl_ver *v = &dev->ver[list[i].id[n[i] - 1]];

			if (v->rec->done >= replaced && fl_issued_by(v->rec, cut))
				ret = fn(arg, v);
		}
	}
	return ret;
}

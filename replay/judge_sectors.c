// SPDX-License-Identifier: GPL-2.0
/*
 * judge_sectors: promises of sectors, whatever they held (see checker.h).
 *
 * The promised version is the one that the layer above wrote last: the newest of
 * those that were done by the promise. Which one is meant cannot be told when two of
 * them overlapped in time, so then both must hold the same bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

/* One segment's part of a promise. */
struct part {
	const struct fl_dev *dev;
	struct fl_cut at;
	uint64_t sector, nr;
	const struct fl_ver *promised, *in_flight;
	const struct fl_ver *bad;
	struct fl_err *err;
};

/* ---- the same bytes ---------------------------------------------------------- */

static int read_part(const struct part *pt, const struct fl_ver *v, uint64_t at,
		     uint8_t *buf, uint64_t sectors)
{
	uint64_t off = v->rec->payload_off + (at - v->rec->sector) * FL_SECTOR;

	if (v->rec->kind == FLUXLOG_ZEROES) {
		memset(buf, 0, sectors * FL_SECTOR);
		return 0;
	}
	return fl_log_pread(pt->dev->log, buf, sectors * FL_SECTOR, off, pt->err);
}

/* 1: both hold the same bytes in the part, 0: they do not, or one is a discard. */
static int same_bytes(const struct part *pt, const struct fl_ver *a, const struct fl_ver *b)
{
	uint8_t x[16 * FL_SECTOR], y[16 * FL_SECTOR];
	uint64_t at, n;
	int ret;

	if (a->rec->kind == FLUXLOG_DISCARD || b->rec->kind == FLUXLOG_DISCARD)
		return 0;
	for (at = pt->sector; at < pt->sector + pt->nr; at += n) {
		n = pt->sector + pt->nr - at;
		n = n < 16 ? n : 16;
		ret = read_part(pt, a, at, x, n);
		if (!ret)
			ret = read_part(pt, b, at, y, n);
		if (ret)
			return ret;
		if (memcmp(x, y, n * FL_SECTOR))
			return 0;
	}
	return 1;
}

/* ---- one part ---------------------------------------------------------------- */

static int find_promised(void *arg, const struct fl_ver *v)
{
	struct part *pt = arg;
	const struct fl_ver **best = fl_done_by(v->rec, pt->at) ? &pt->promised
								 : &pt->in_flight;

	if (!*best || (*best)->rec->issue < v->rec->issue)
		*best = v;
	return 0;
}

/* Whether version @v may stand where @pt->promised is promised. Two that were both
 * done and overlapped are the caller's ambiguity: same bytes or nothing. */
static int good_enough(void *arg, const struct fl_ver *v)
{
	struct part *pt = arg;
	int same;

	if (v == pt->promised || fl_replaces(v->rec, pt->promised->rec))
		return 0;
	same = same_bytes(pt, v, pt->promised);
	if (same == 0)
		pt->bad = v;
	return same < 0 ? same : !same;
}

static enum fl_code why_bad(const struct part *pt)
{
	return fl_replaces(pt->promised->rec, pt->bad->rec) ? FL_OLDER_DATA : FL_RACE;
}

static void fill(const struct part *pt, const struct fl_prom *p, struct fl_finding *f)
{
	f->write = pt->promised ? pt->promised : pt->in_flight;
	f->code = FL_NEVER_WRITTEN;
	if (!f->write)
		return;
	if (f->write->rec->kind == FLUXLOG_DISCARD) {
		f->code = FL_REPLACED;
		f->other = f->write;
		return;
	}
	f->code = fl_why_not_durable(pt->dev, f->write, p->at_ns, p->rec->issue, &f->flush);
	if (f->code == FL_NR_CODES) {
		f->other = pt->bad;
		f->code = why_bad(pt);
	}
}

/* 1: kept, 0: broken and @f is filled, or -errno. */
static int judge_part(struct part *pt, const struct fl_prom *p, struct fl_finding *f)
{
	uint32_t seg = fl_index_seg(&pt->dev->index, pt->sector);
	bool base;
	int ret;

	fl_front(pt->dev, seg, pt->at, FL_DONE, find_promised, pt, &base);
	if (!pt->promised) {
		fill(pt, p, f);
		return 0;
	}
	ret = fl_front(pt->dev, seg, pt->at, FL_DURABLE, good_enough, pt, &base);
	if (ret < 0)
		return ret;
	if (!base && !pt->bad && pt->promised->rec->kind != FLUXLOG_DISCARD)
		return 1;
	fill(pt, p, f);
	return 0;
}

int fl_judge_sectors(const struct fl_group *g, uint64_t prom, struct fl_findings *out,
		     struct fl_err *err)
{
	const struct fl_prom *p = &g->prom[prom];
	const struct fl_dev *dev = fl_group_dev(g, p->file);
	uint64_t at, end = p->start + p->len;
	struct part pt = { .dev = dev };
	int ret;

	if (!dev)
		return fl_fail(err, EINVAL,
			       "%s: the promise at tick %llu speaks of device %llu, whose log is not given",
			       p->log->path, (unsigned long long)p->rec->issue,
			       (unsigned long long)p->file);
	for (at = p->start; at < end; at += pt.nr) {
		struct fl_finding f = { .prom = prom, .start = at, .sector = at,
					.dev = (uint32_t)(dev - g->dev) };
		uint64_t until = fl_index_until(&dev->index, at);

		pt = (struct part){ .dev = dev, .at = { true, p->at_ns }, .sector = at,
				    .nr = (until < end ? until : end) - at, .err = err };
		ret = judge_part(&pt, p, &f);
		if (ret < 0)
			return ret;
		f.len = pt.nr;
		if (!ret)
			fl_findings_add(out, &f);
	}
	return 0;
}

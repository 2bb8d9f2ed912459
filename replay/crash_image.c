// SPDX-License-Identifier: GPL-2.0
/* See crash_image.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash_image.h"

/* ---- which versions are in the set ------------------------------------------- */

static bool named(const struct fl_variant *var, uint64_t issue)
{
	unsigned int i;

	for (i = 0; i < var->nr_rec; i++)
		if (var->rec[i] == issue)
			return true;
	return false;
}

/* splitmix64's finish: a fair bit for each pair, the same for ever. */
static bool seed_bit(uint64_t seed, uint64_t issue)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15ULL + issue;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) & 1;
}

/* Whether a version that was issued by the cut is applied. A torn one is, and
 * fl_image_at() leaves out its missing blocks. */
static bool applied(const struct fl_image *img, const struct fl_ver *v)
{
	const struct fl_variant *var = &img->var;

	if (v->dur <= img->cut)
		return true;
	switch (var->kind) {
	case FL_DURABLE_ONLY:
		return false;
	case FL_ALL:
		return true;
	case FL_DROP:
		return !named(var, v->rec->issue);
	case FL_ONLY:
	case FL_TORN:
		return named(var, v->rec->issue);
	case FL_PREFIX:
		return v->rec->done <= img->prefix_done;
	case FL_SEED:
		return seed_bit(var->n, v->rec->issue);
	}
	return false;
}

/* ---- what is there ----------------------------------------------------------- */

/* Whether the torn version @v has its block at @sector, and for how long that holds. */
static bool torn_has(const struct fl_image *img, const struct fl_ver *v, uint64_t sector,
		     uint64_t *nr)
{
	uint64_t per = img->dev->log->sup.data_block_size / FL_SECTOR;
	uint64_t at = sector - v->rec->sector, block = at / per;

	if ((block + 1) * per - at < *nr)
		*nr = (block + 1) * per - at;
	return block < FL_VARIANT_MASK && (img->var.mask[block / 8] >> block % 8 & 1);
}

static bool torn(const struct fl_image *img, const struct fl_ver *v)
{
	return img->var.kind == FL_TORN && v->dur > img->cut &&
	       v->rec->issue == img->var.rec[0];
}

/* Of the first @n versions of a list, the applied one with the largest done tick, if
 * that is larger than @best's. */
static const struct fl_ver *newest(const struct fl_image *img, const struct fl_list *l,
				   uint32_t n, const struct fl_ver *best, uint64_t sector,
				   uint64_t *nr)
{
	const uint64_t *max_done = img->dev->max_done + l->pos;
	uint64_t done = best ? best->rec->done : 0;

	for (; n && max_done[n - 1] > done; n--) {
		const struct fl_ver *v = &img->dev->ver[l->id[n - 1]];

		if (v->rec->done <= done || !applied(img, v))
			continue;
		if (torn(img, v) && !torn_has(img, v, sector, nr))
			continue;
		best = v;
		done = v->rec->done;
	}
	return best;
}

const struct fl_ver *fl_image_at(const struct fl_image *img, uint64_t sector, uint64_t *nr)
{
	const struct fl_dev *dev = img->dev;
	struct fl_list list[FL_INDEX_LISTS];
	const struct fl_ver *best = NULL;
	uint32_t below = fl_issued_below(dev, (struct fl_cut){ .at = img->cut });
	uint64_t until = fl_index_until(&dev->index, sector);
	unsigned int n, i;

	if (until > dev->log->sup.data_sectors)
		until = dev->log->sup.data_sectors;
	*nr = until - sector;
	n = fl_index_lists(&dev->index, fl_index_seg(&dev->index, sector), list);
	for (i = 0; i < n; i++)
		best = newest(img, &list[i], fl_list_below(&list[i], below), best, sector, nr);
	return best;
}

static enum fl_source source(const struct fl_ver *v, int base, uint64_t sector, uint64_t *off)
{
	*off = 0;
	if (v && v->rec->kind == FLUXLOG_WRITE) {
		*off = v->rec->payload_off + (sector - v->rec->sector) * FL_SECTOR;
		return FL_FROM_LOG;
	}
	if (v || base < 0)
		return FL_FROM_ZEROS;
	*off = sector * FL_SECTOR;
	return FL_FROM_BASE;
}

enum fl_source fl_image_piece(const struct fl_image *img, int base, uint64_t sector,
			      uint64_t max, uint64_t *nr, uint64_t *off)
{
	const struct fl_ver *v = fl_image_at(img, sector, nr);
	enum fl_source from = source(v, base, sector, off), next_from;
	uint64_t next_nr, next_off;

	while (*nr < max) {
		v = fl_image_at(img, sector + *nr, &next_nr);
		next_from = source(v, base, sector + *nr, &next_off);
		if (next_from != from ||
		    (from != FL_FROM_ZEROS && next_off != *off + *nr * FL_SECTOR))
			break;
		*nr += next_nr;
	}
	if (*nr > max)
		*nr = max;
	return from;
}

/* A base that is shorter than the device goes on in zeros. */
static int read_base(int base, uint8_t *buf, uint64_t len, uint64_t off, struct fl_err *err)
{
	while (len) {
		ssize_t n = pread(base, buf, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fl_fail(err, errno, "base image: reading at offset %" PRIu64 ": %s",
				       off, strerror(errno));
		if (!n) {
			memset(buf, 0, len);
			return 0;
		}
		buf += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

int fl_image_read(const struct fl_image *img, int base, void *buf, uint64_t sector,
		  uint64_t nr, struct fl_err *err)
{
	uint8_t *out = buf;
	uint64_t n, off;
	int ret = 0;

	for (; nr && !ret; nr -= n, sector += n, out += n * FL_SECTOR) {
		switch (fl_image_piece(img, base, sector, nr, &n, &off)) {
		case FL_FROM_ZEROS:
			memset(out, 0, n * FL_SECTOR);
			break;
		case FL_FROM_BASE:
			ret = read_base(base, out, n * FL_SECTOR, off, err);
			break;
		case FL_FROM_LOG:
			ret = fl_log_pread(img->dev->log, out, n * FL_SECTOR, off, err);
			break;
		}
	}
	return ret;
}

/* ---- opening ----------------------------------------------------------------- */

static int cmp_done(const void *a, const void *b)
{
	const struct fl_ver *x = *(const struct fl_ver *const *)a;
	const struct fl_ver *y = *(const struct fl_ver *const *)b;

	return x->rec->done < y->rec->done ? -1 : x->rec->done > y->rec->done;
}

const struct fl_ver **fl_floating(const struct fl_dev *dev, uint64_t cut, uint32_t *nr)
{
	uint32_t below = fl_issued_below(dev, (struct fl_cut){ .at = cut }), i;
	const struct fl_ver **v;

	for (i = 0, *nr = 0; i < below; i++)
		*nr += dev->ver[i].dur > cut;
	v = fl_alloc((size_t)*nr + 1, sizeof(*v));
	for (i = 0, *nr = 0; i < below; i++)
		if (dev->ver[i].dur > cut)
			v[(*nr)++] = &dev->ver[i];
	qsort(v, *nr, sizeof(*v), cmp_done);
	return v;
}

/* The version that was issued at tick @issue, or NULL. */
static const struct fl_ver *version(const struct fl_dev *dev, uint64_t issue)
{
	uint32_t n = fl_issued_below(dev, (struct fl_cut){ .at = issue });

	return n && dev->ver[n - 1].rec->issue == issue ? &dev->ver[n - 1] : NULL;
}

static int check_named(const struct fl_group *g, uint64_t cut, const struct fl_variant *var,
		       uint64_t issue, struct fl_err *err)
{
	const struct fl_ver *v = NULL;
	unsigned int i;

	for (i = 0; i < g->nr && !v; i++)
		v = version(&g->dev[i], issue);
	if (!v || issue > cut || v->dur <= cut)
		return fl_fail(err, EINVAL,
			       "no write was issued at tick %" PRIu64 " that floats at tick %"
			       PRIu64, issue, cut);
	if (var->kind == FL_TORN && (v->rec->flags & FLUXLOG_F_ATOMIC))
		return fl_fail(err, EINVAL,
			       "the write issued at tick %" PRIu64 " is atomic: it is never torn",
			       issue);
	return 0;
}

/* PREFIX counts over the whole group: a cut is one instant for all devices. */
static uint64_t prefix_done(const struct fl_group *g, uint64_t cut, uint64_t n)
{
	const struct fl_ver **all = NULL;
	uint64_t total = 0, done = 0;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		uint32_t nr;
		const struct fl_ver **v = fl_floating(&g->dev[i], cut, &nr);

		all = fl_realloc(all, total + nr + 1, sizeof(*all));
		memcpy(all + total, v, nr * sizeof(*v));
		total += nr;
		free(v);
	}
	qsort(all, total, sizeof(*all), cmp_done);
	if (n > total)
		n = total;
	if (n)
		done = all[n - 1]->rec->done;
	free(all);
	return done;
}

int fl_image_open(struct fl_image *img, const struct fl_group *g, unsigned int dev,
		  uint64_t cut, const struct fl_variant *var, struct fl_err *err)
{
	unsigned int i;
	int ret;

	*img = (struct fl_image){ .dev = &g->dev[dev], .cut = cut, .var = *var };
	for (i = 0; i < var->nr_rec; i++) {
		ret = check_named(g, cut, var, var->rec[i], err);
		if (ret)
			return ret;
	}
	if (var->kind == FL_PREFIX)
		img->prefix_done = prefix_done(g, cut, var->n);
	return 0;
}

bool fl_variant_applies(const struct fl_group *g, uint64_t cut, const struct fl_variant *var,
			const struct fl_ver *v)
{
	struct fl_image img = { .cut = cut, .var = *var };

	if (var->kind == FL_PREFIX)
		img.prefix_done = prefix_done(g, cut, var->n);
	return applied(&img, v);
}

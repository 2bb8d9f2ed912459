// SPDX-License-Identifier: GPL-2.0
/* See image_diff.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image_diff.h"
#include "progress.h"

#define CHUNK_SECTORS 2048u

struct pair {
	const struct fl_image *img[2];
	const struct fl_ver *ver[2];	/* what is at the sector at hand */
	int base;
	uint8_t *buf[2];
	struct fl_diff *out;
	struct fl_err *err;
};

static void add(struct fl_diff *d, uint64_t sector, const struct pair *p)
{
	struct fl_extent *last = d->nr ? &d->extent[d->nr - 1] : NULL;

	d->sectors++;
	if (last && last->sector + last->nr == sector && last->a == p->ver[0] &&
	    last->b == p->ver[1]) {
		last->nr++;
		return;
	}
	if (d->nr == d->room) {
		d->room = d->room ? d->room * 2 : 64;
		d->extent = fl_realloc(d->extent, d->room, sizeof(*d->extent));
	}
	d->extent[d->nr++] = (struct fl_extent){ sector, 1, p->ver[0], p->ver[1] };
}

/* Compare what two different versions hold. */
static int compare_bytes(struct pair *p, uint64_t sector, uint64_t nr)
{
	uint64_t i;
	int k, ret = 0;

	for (k = 0; k < 2 && !ret; k++)
		ret = fl_image_read(p->img[k], p->base, p->buf[k], sector, nr, p->err);
	for (i = 0; i < nr && !ret; i++)
		if (memcmp(p->buf[0] + i * FL_SECTOR, p->buf[1] + i * FL_SECTOR, FL_SECTOR))
			add(p->out, sector + i, p);
	return ret;
}

/* Whether a version, or the base, is zeros without being looked at. */
static bool is_zeros(const struct fl_ver *v, int base)
{
	return v ? v->rec->kind != FLUXLOG_WRITE : base < 0;
}

/* Compare from @sector on; *@nr: how far it came. */
static int compare_at(struct pair *p, uint64_t sector, uint64_t *nr)
{
	uint64_t other;

	p->ver[0] = fl_image_at(p->img[0], sector, nr);
	p->ver[1] = fl_image_at(p->img[1], sector, &other);
	if (other < *nr)
		*nr = other;
	if (p->ver[0] == p->ver[1])
		return 0;
	if (is_zeros(p->ver[0], p->base) && is_zeros(p->ver[1], p->base))
		return 0;
	if (*nr > CHUNK_SECTORS)
		*nr = CHUNK_SECTORS;
	return compare_bytes(p, sector, *nr);
}

int fl_image_diff(struct fl_diff *out, const struct fl_image *a, const struct fl_image *b,
		  int base, struct fl_err *err)
{
	uint64_t end = a->dev->log->sup.data_sectors, sector, nr;
	struct pair p = { .img = { a, b }, .base = base, .out = out, .err = err };
	struct fl_progress meter;
	int ret = 0;

	*out = (struct fl_diff){ .nr = 0 };
	if (end != b->dev->log->sup.data_sectors)
		return fl_fail(err, EINVAL, "devices of %" PRIu64 " and %" PRIu64
			       " sectors cannot be compared", end,
			       b->dev->log->sup.data_sectors);
	p.buf[0] = fl_alloc(CHUNK_SECTORS, FL_SECTOR);
	p.buf[1] = fl_alloc(CHUNK_SECTORS, FL_SECTOR);
	fl_progress_begin(&meter, "comparing", end);
	for (sector = 0; sector < end && !ret; sector += nr) {
		ret = compare_at(&p, sector, &nr);
		fl_progress_step(&meter, sector);
	}
	fl_progress_end(&meter);
	free(p.buf[0]);
	free(p.buf[1]);
	if (ret) {
		free(out->extent);
		*out = (struct fl_diff){ .nr = 0 };
	}
	return ret;
}

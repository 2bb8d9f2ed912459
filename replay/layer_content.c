// SPDX-License-Identifier: GPL-2.0
/*
 * layer_content: which writes below carry what a write above wrote, by its bytes.
 *
 * Takes   the payloads of all logs of a layer.
 * Gives   the same verdicts as a map would, where the layer copies data as it is.
 * Relies  on a 64-bit checksum of a sector: of two that differ one in 2^64 is the same.
 *
 * Sectors below stand in a table by checksum and issue tick, so that a sector above
 * is a search, and a walk over those that were written while it was in flight.
 */
#include <errno.h>
#include <isa-l/crc64.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

/* A sector that was written below. */
struct place {
	uint64_t sum, issue;
	uint32_t ver, offset;	/* sectors from the start of the write */
	unsigned int below;
};

struct places {
	struct place *p;
	size_t nr, room;
	uint8_t *buf;
	uint64_t buf_bytes;
};

static int cmp_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return x->issue < y->issue ? -1 : x->issue > y->issue;
}

/* One byte repeated: zeros, or what a filesystem fills with. */
static bool is_plain(const uint8_t *sector)
{
	return !memcmp(sector, sector + 1, FL_SECTOR - 1);
}

static uint64_t sum_of(const uint8_t *sector)
{
	return crc64_ecma_norm(~0ULL, sector, FL_SECTOR);
}

static int payload(struct places *ps, const struct fl_log *log, const struct fl_rec *r,
		   struct fl_err *err)
{
	uint64_t bytes = r->nr * FL_SECTOR;

	if (bytes > ps->buf_bytes) {
		ps->buf = fl_realloc(ps->buf, bytes, 1);
		ps->buf_bytes = bytes;
	}
	return fl_log_pread(log, ps->buf, bytes, r->payload_off, err);
}

static void place_add(struct places *ps, const struct place *p)
{
	if (ps->nr == ps->room) {
		ps->room = ps->room ? 2 * ps->room : 1024;
		ps->p = fl_realloc(ps->p, ps->room, sizeof(*ps->p));
	}
	ps->p[ps->nr++] = *p;
}

static int collect_log(struct places *ps, const struct fl_group *g, unsigned int below,
		       struct fl_err *err)
{
	const struct fl_dev *low = &g->dev[below];
	uint32_t i, s;
	int ret = 0;

	for (i = 0; i < low->nr_ver && !ret; i++) {
		const struct fl_rec *r = low->ver[i].rec;

		if (r->kind != FLUXLOG_WRITE)
			continue;
		ret = payload(ps, g->log[below], r, err);
		for (s = 0; s < r->nr && !ret; s++) {
			const uint8_t *sector = ps->buf + (size_t)s * FL_SECTOR;

			if (!is_plain(sector))
				place_add(ps, &(struct place){ sum_of(sector), r->issue, i, s,
							       below });
		}
	}
	return ret;
}

/* The first place with @sum that was issued after @tick. */
static size_t find(const struct places *ps, uint64_t sum, uint64_t tick)
{
	size_t lo = 0, hi = ps->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct place *p = &ps->p[mid];

		if (p->sum < sum || (p->sum == sum && p->issue <= tick))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What became of a sector on one device. */
struct fate {
	bool safe;
	const struct fl_ver *worst;
	uint64_t sector;
};

static void see_place(const struct fl_layer *ly, const struct fl_ver *above,
		      const struct place *p, struct fate *fate)
{
	const struct fl_dev *low = &ly->g->dev[p->below];
	const struct fl_ver *w = &low->ver[p->ver];
	uint64_t sector = w->rec->sector + p->offset;

	if (!fl_layer_within(w, above))
		return;
	if (fl_took_effect(w->rec) && fl_layer_is_safe(low, w, sector, above->dur))
		fate->safe = true;
	if (!fate->worst || fl_took_effect(w->rec)) {
		fate->worst = w;
		fate->sector = sector;
	}
}

/* Whether any device below carries the sector; those that should hold it by now and do
 * not are accused. */
static bool judge_sector(struct fl_layer *ly, const struct places *ps,
			 const struct fl_ver *above, uint64_t sum)
{
	struct fate fate[FL_GROUP_MAX] = { { 0 } };
	bool found = false;
	unsigned int d;
	size_t i;

	for (i = find(ps, sum, above->rec->issue);
	     i < ps->nr && ps->p[i].sum == sum && ps->p[i].issue < above->rec->done; i++)
		see_place(ly, above, &ps->p[i], &fate[ps->p[i].below]);
	for (d = 1; d < ly->g->nr; d++) {
		found |= fate[d].worst != NULL;
		if (fate[d].worst && !fate[d].safe)
			fl_layer_accuse(ly, above, d, fate[d].worst, fate[d].sector);
	}
	return found;
}

static int judge_write(struct fl_layer *ly, struct places *ps, const struct fl_ver *above,
		       struct fl_err *err)
{
	const struct fl_rec *r = above->rec;
	uint64_t s, plain = 0, lost = 0;
	int ret = 0;

	if (r->kind == FLUXLOG_WRITE)
		ret = payload(ps, ly->g->log[0], r, err);
	else
		plain = r->nr;
	for (s = plain; s < r->nr && !ret; s++) {
		const uint8_t *sector = ps->buf + (size_t)s * FL_SECTOR;

		if (is_plain(sector))
			plain++;
		else
			lost += !judge_sector(ly, ps, above, sum_of(sector));
	}
	ly->unknown += plain == r->nr;
	ly->lost += lost > 0;
	ly->judged += plain < r->nr && !lost;
	return ret;
}

int fl_layer_by_content(struct fl_layer *ly, struct fl_err *err)
{
	const struct fl_dev *top = &ly->g->dev[0];
	struct places ps = { 0 };
	unsigned int d;
	uint32_t i;
	int ret = 0;

	for (d = 1; d < ly->g->nr && !ret; d++)
		ret = collect_log(&ps, ly->g, d, err);
	if (ps.nr)
		qsort(ps.p, ps.nr, sizeof(*ps.p), cmp_place);
	for (i = 0; i < top->nr_ver && !ret; i++)
		if (top->ver[i].dur != FL_NEVER)
			ret = judge_write(ly, &ps, &top->ver[i], err);
	free(ps.p);
	free(ps.buf);
	return ret;
}

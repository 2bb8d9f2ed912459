// SPDX-License-Identifier: GPL-2.0
/* See carrier.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "carrier.h"
#include "stamp.h"

#define MAX_CARRIERS (1u << 29)

/* ---- seeing payloads --------------------------------------------------------- */

/* Payloads come in streaks of one file, so a new place is taken only when the file
 * changes; what is in the table twice goes when all have been seen. */
static uint32_t file_number(struct fl_carriers *cs, uint64_t run, uint64_t file)
{
	uint32_t last = cs->nr_file - 1;

	if (cs->nr_file && cs->file[last].file == file && cs->file[last].run == run)
		return last;
	if (cs->nr_file == cs->room_file) {
		cs->room_file = cs->room_file ? 2 * cs->room_file : 64;
		cs->file = fl_realloc(cs->file, cs->room_file, sizeof(*cs->file));
	}
	cs->file[cs->nr_file] = (struct fl_file){ .run = run, .file = file };
	return cs->nr_file++;
}

static struct fl_carrier *new_carrier(struct fl_carriers *cs)
{
	if (cs->nr == cs->room) {
		cs->room = cs->room ? 2 * cs->room : 1024;
		cs->c = fl_realloc(cs->c, cs->room, sizeof(*cs->c));
	}
	return &cs->c[cs->nr++];
}

/* Whether stamp @s at sector @at of the record goes on where @c ends. */
static bool continues(const struct fl_carriers *cs, const struct fl_carrier *c,
		      const struct fl_stamp *s, uint64_t at)
{
	const struct fl_file *f = &cs->file[c->file];

	return c->delta + (uint64_t)c->nr == at && c->gen == s->gen &&
	       (c->off + c->nr) * FL_SECTOR == s->offset && f->file == s->file &&
	       f->run == s->run;
}

void fl_carriers_see(struct fl_carriers *cs, uint32_t dev, uint32_t rec,
		     const uint8_t *payload, uint64_t sectors)
{
	struct fl_carrier *c = NULL;
	struct fl_stamp s;
	uint64_t i;

	for (i = 0; i < sectors; i++) {
		if (!fl_stamp_peek(payload + i * FL_SECTOR, &s) || s.offset % FL_SECTOR)
			continue;
		if (!c || !continues(cs, c, &s, i)) {
			c = new_carrier(cs);
			*c = (struct fl_carrier){
				.gen = s.gen, .off = s.offset / FL_SECTOR, .rec = rec,
				.delta = (uint32_t)i, .dev = dev,
				.file = file_number(cs, s.run, s.file),
			};
		}
		c->nr++;
	}
}

/* ---- building ---------------------------------------------------------------- */

static int cmp_file(const void *a, const void *b)
{
	const struct fl_file *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

const struct fl_file *fl_carriers_file(const struct fl_carriers *cs, uint64_t run,
				       uint64_t file)
{
	struct fl_file key = { .run = run, .file = file };

	if (!cs->nr_file)
		return NULL;
	return bsearch(&key, cs->file, cs->nr_file, sizeof(key), cmp_file);
}

static void sort_files(struct fl_carriers *cs)
{
	uint32_t i, kept = 0;

	if (cs->nr_file)
		qsort(cs->file, cs->nr_file, sizeof(*cs->file), cmp_file);
	for (i = 0; i < cs->nr_file; i++)
		if (!kept || cmp_file(&cs->file[kept - 1], &cs->file[i]))
			cs->file[kept++] = cs->file[i];
	cs->nr_file = kept;
}

/* Give the carriers the numbers of the sorted table, and the files their sizes. */
static void renumber(struct fl_carriers *cs)
{
	struct fl_file *seen = fl_alloc((size_t)cs->nr_file + 1, sizeof(*seen));
	uint32_t i;

	if (cs->nr_file)
		memcpy(seen, cs->file, cs->nr_file * sizeof(*seen));
	sort_files(cs);
	for (i = 0; i < cs->nr; i++) {
		struct fl_carrier *c = &cs->c[i];
		const struct fl_file *f = &seen[c->file];
		uint64_t end = c->off + c->nr;
		struct fl_file *g;

		c->file = (uint32_t)(fl_carriers_file(cs, f->run, f->file) - cs->file);
		g = &cs->file[c->file];
		g->sectors = end > g->sectors ? end : g->sectors;
	}
	free(seen);
}

/* Lay the files out one behind the other in a space of sectors. */
static int place_files(struct fl_carriers *cs, struct fl_err *err)
{
	uint64_t base = 0;
	uint32_t i;

	renumber(cs);
	for (i = 0; i < cs->nr_file; i++) {
		cs->file[i].base = base;
		if (__builtin_add_overflow(base, cs->file[i].sectors, &base))
			return fl_fail(err, EFBIG,
				       "stamps name files of absurd sizes (file %llu)",
				       (unsigned long long)cs->file[i].file);
	}
	return 0;
}

struct order {
	uint64_t issue;
	uint32_t place;
};

static int cmp_order(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->issue != y->issue)
		return x->issue < y->issue ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void sort_by_issue(struct fl_carriers *cs, const struct fl_dev *dev)
{
	struct order *o = fl_alloc((size_t)cs->nr + 1, sizeof(*o));
	struct fl_carrier *sorted = fl_alloc((size_t)cs->nr + 1, sizeof(*sorted));
	uint32_t i;

	for (i = 0; i < cs->nr; i++)
		o[i] = (struct order){ dev[cs->c[i].dev].log->rec[cs->c[i].rec].issue, i };
	qsort(o, cs->nr, sizeof(*o), cmp_order);
	for (i = 0; i < cs->nr; i++)
		sorted[i] = cs->c[o[i].place];
	free(o);
	free(cs->c);
	cs->c = sorted;
	cs->room = cs->nr;
}

static uint32_t version_issued_at(const struct fl_dev *dev, uint64_t issue)
{
	return fl_issued_below(dev, (struct fl_cut){ .at = issue }) - 1;
}

/* Replace record places by version numbers, and tell the versions. */
static void connect(struct fl_carriers *cs, struct fl_dev *dev)
{
	uint32_t i;

	for (i = 0; i < cs->nr; i++) {
		struct fl_carrier *c = &cs->c[i];
		struct fl_dev *d = &dev[c->dev];
		struct fl_ver *v;

		c->rec = version_issued_at(d, d->log->rec[c->rec].issue);
		v = &d->ver[c->rec];
		if (!v->nr_carrier++)
			v->carrier = i;
	}
}

static void build_index(struct fl_carriers *cs)
{
	struct fl_span *span = fl_alloc((size_t)cs->nr + 1, sizeof(*span));
	uint32_t i;

	for (i = 0; i < cs->nr; i++) {
		span[i].start = cs->file[cs->c[i].file].base + cs->c[i].off;
		span[i].end = span[i].start + cs->c[i].nr;
	}
	fl_index_build(&cs->index, span, cs->nr);
	free(span);
}

static void build_bounds(struct fl_carriers *cs)
{
	const struct fl_index *ix = &cs->index;
	uint32_t node, i;

	cs->max_gen = fl_alloc((size_t)ix->nr_entry + 1, sizeof(*cs->max_gen));
	cs->min_gen = fl_alloc((size_t)ix->nr_entry + 1, sizeof(*cs->min_gen));
	for (node = 0; node < 2 * ix->nr_seg; node++) {
		uint64_t max = 0, min = UINT64_MAX;

		for (i = ix->first[node]; i < ix->first[node + 1]; i++) {
			uint64_t gen = cs->c[ix->entry[i]].gen;

			cs->max_gen[i] = max = gen > max ? gen : max;
		}
		for (i = ix->first[node + 1]; i-- > ix->first[node];) {
			uint64_t gen = cs->c[ix->entry[i]].gen;

			cs->min_gen[i] = min = gen < min ? gen : min;
		}
	}
}

static void build_clock(struct fl_carriers *cs, const struct fl_dev *dev)
{
	uint64_t max = 0, min = FL_NEVER;
	uint32_t i;

	cs->ceil_ns = fl_alloc((size_t)cs->nr + 1, sizeof(*cs->ceil_ns));
	cs->floor_ns = fl_alloc((size_t)cs->nr + 1, sizeof(*cs->floor_ns));
	for (i = 0; i < cs->nr; i++) {
		uint64_t ns = dev[cs->c[i].dev].ver[cs->c[i].rec].rec->issue_ns;

		cs->ceil_ns[i] = max = ns > max ? ns : max;
	}
	while (i-- > 0) {
		uint64_t ns = dev[cs->c[i].dev].ver[cs->c[i].rec].rec->issue_ns;

		cs->floor_ns[i] = min = ns < min ? ns : min;
	}
}

int fl_carriers_build(struct fl_carriers *cs, struct fl_dev *dev, struct fl_err *err)
{
	int ret;

	if (cs->nr > MAX_CARRIERS)
		return fl_fail(err, EFBIG, "more than %u runs of stamped sectors",
			       MAX_CARRIERS);
	ret = place_files(cs, err);
	if (ret)
		return ret;
	sort_by_issue(cs, dev);
	connect(cs, dev);
	build_index(cs);
	build_bounds(cs);
	build_clock(cs, dev);
	return 0;
}

void fl_carriers_free(struct fl_carriers *cs)
{
	free(cs->c);
	free(cs->file);
	fl_index_free(&cs->index);
	free(cs->ceil_ns);
	free(cs->floor_ns);
	free(cs->max_gen);
	free(cs->min_gen);
	memset(cs, 0, sizeof(*cs));
}

const struct fl_carrier *fl_carried(const struct fl_carriers *cs,
				    const struct fl_ver *v, uint64_t sector)
{
	uint64_t at = sector - v->rec->sector;
	uint32_t lo = v->carrier, hi = v->carrier + v->nr_carrier;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct fl_carrier *c = &cs->c[mid];

		if (at < c->delta)
			hi = mid;
		else if (at >= c->delta + (uint64_t)c->nr)
			lo = mid + 1;
		else
			return c;
	}
	return NULL;
}

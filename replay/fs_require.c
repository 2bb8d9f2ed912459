// SPDX-License-Identifier: GPL-2.0
/* See fs_require.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fs_require.h"
#include "sorted.h"

#define MAX_PROMISES (1u << 29)

/* ---- files ------------------------------------------------------------------- */

static int cmp_file(const void *a, const void *b)
{
	const struct fl_req_file *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static struct fl_req_file *find_file(const struct fl_require *rq, uint64_t run, uint64_t file)
{
	struct fl_req_file key = { .run = run, .file = file };

	return bsearch(&key, rq->file, rq->nr_file, sizeof(key), cmp_file);
}

static bool is_file(const struct fl_prom *p)
{
	return p->kind == FLUXLOG_PROMISE_FILE;
}

static void collect_files(struct fl_require *rq, const struct fl_group *g)
{
	uint32_t kept = 0, i;
	uint64_t k;

	rq->file = fl_alloc((size_t)rq->nr + 1, sizeof(*rq->file));
	for (k = 0; k < g->nr_prom; k++) {
		const struct fl_prom *p = &g->prom[k];

		if (is_file(p))
			rq->file[rq->nr_file++] = (struct fl_req_file){ .run = p->run,
									.file = p->file };
	}
	qsort(rq->file, rq->nr_file, sizeof(*rq->file), cmp_file);
	for (i = 0; i < rq->nr_file; i++)
		if (!kept || cmp_file(&rq->file[kept - 1], &rq->file[i]))
			rq->file[kept++] = rq->file[i];
	rq->nr_file = kept;
	rq->file = fl_realloc(rq->file, (size_t)kept + 1, sizeof(*rq->file));
}

/* The size that the promises of a file speak of, and the path that the last one
 * tells. */
static void describe_files(struct fl_require *rq, const struct fl_group *g)
{
	struct fl_promise whole;
	uint64_t k;

	for (k = g->nr_prom; k-- > 0;) {
		const struct fl_prom *p = &g->prom[k];
		struct fl_req_file *f;

		if (!is_file(p))
			continue;
		f = find_file(rq, p->run, p->file);
		if ((p->start + p->len) / FL_SECTOR > f->sectors)
			f->sectors = (p->start + p->len) / FL_SECTOR;
		if (f->path)
			continue;
		fl_promise_get(p->log, p->rec, &whole);
		f->path = whole.path[0] ? fl_strdup(whole.path) : NULL;
	}
}

static int place_files(struct fl_require *rq, struct fl_err *err)
{
	uint64_t base = 0;
	uint32_t i;

	for (i = 0; i < rq->nr_file; i++) {
		if (!rq->file[i].path)
			rq->file[i].path = fl_strdup("");
		rq->file[i].base = base;
		if (__builtin_add_overflow(base, rq->file[i].sectors, &base))
			return fl_fail(err, EFBIG, "promises speak of files of absurd sizes");
	}
	return 0;
}

/* ---- what is asked ----------------------------------------------------------- */

static void build_index(struct fl_require *rq, const struct fl_group *g)
{
	struct fl_span *span = fl_alloc((size_t)rq->nr + 1, sizeof(*span));
	uint64_t *gen = fl_alloc((size_t)rq->nr + 1, sizeof(*gen)), k;
	uint32_t n = 0, node, i;

	rq->message = fl_alloc((size_t)rq->nr + 1, sizeof(*rq->message));
	for (k = 0; k < g->nr_prom; k++) {
		const struct fl_prom *p = &g->prom[k];

		if (!is_file(p))
			continue;
		span[n].start = find_file(rq, p->run, p->file)->base + p->start / FL_SECTOR;
		span[n].end = span[n].start + p->len / FL_SECTOR;
		rq->message[n] = p->rec->issue;
		gen[n++] = p->gen;
	}
	fl_index_build(&rq->index, span, n);
	rq->max_gen = fl_alloc((size_t)rq->index.nr_entry + 1, sizeof(*rq->max_gen));
	for (node = 0; node < 2 * rq->index.nr_seg; node++) {
		uint64_t max = 0;

		for (i = rq->index.first[node]; i < rq->index.first[node + 1]; i++) {
			max = gen[rq->index.entry[i]] > max ? gen[rq->index.entry[i]] : max;
			rq->max_gen[i] = max;
		}
	}
	free(span);
	free(gen);
}

int fl_require_build(struct fl_require *rq, const struct fl_group *g, struct fl_err *err)
{
	uint64_t k, n = 0;
	int ret;

	*rq = (struct fl_require){ 0 };
	for (k = 0; k < g->nr_prom; k++)
		n += is_file(&g->prom[k]);
	if (n > MAX_PROMISES)
		return fl_fail(err, EFBIG, "more than %u promises", MAX_PROMISES);
	rq->nr = (uint32_t)n;
	collect_files(rq, g);
	describe_files(rq, g);
	ret = place_files(rq, err);
	if (!ret)
		build_index(rq, g);
	return ret;
}

void fl_require_free(struct fl_require *rq)
{
	uint32_t i;

	for (i = 0; i < rq->nr_file; i++)
		free(rq->file[i].path);
	free(rq->file);
	free(rq->message);
	fl_index_free(&rq->index);
	free(rq->max_gen);
	*rq = (struct fl_require){ 0 };
}

uint32_t fl_require_count(const struct fl_require *rq, uint64_t cut)
{
	return (uint32_t)fl_up_to(rq->message, rq->nr, cut);
}

/* The generation that the first @below promises ask for in a segment; false: none. */
static bool asked(const struct fl_require *rq, uint32_t seg, uint32_t below, uint64_t *gen)
{
	struct fl_list list[FL_INDEX_LISTS];
	unsigned int n = fl_index_lists(&rq->index, seg, list), i;
	bool any = false;

	for (i = 0, *gen = 0; i < n; i++) {
		uint32_t k = fl_list_below(&list[i], below);
		uint64_t max = k ? rq->max_gen[list[i].pos + k - 1] : 0;

		any |= k > 0;
		*gen = max > *gen ? max : *gen;
	}
	return any;
}

int fl_require_each(const struct fl_require *rq, const struct fl_req_file *file,
		    uint64_t cut, fl_require_fn fn, void *arg)
{
	uint64_t pos = file->base, end = file->base + file->sectors, until, gen;
	uint32_t below = fl_require_count(rq, cut);
	int ret = 0;

	for (; pos < end && !ret; pos = until) {
		until = fl_index_until(&rq->index, pos);
		until = until < end ? until : end;
		if (asked(rq, fl_index_seg(&rq->index, pos), below, &gen))
			ret = fn(arg, pos - file->base, until - pos, gen);
	}
	return ret;
}

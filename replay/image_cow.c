// SPDX-License-Identifier: GPL-2.0
/*
 * See image_cow.h.
 *
 * Pages are kept by chunks of 2 MiB in a search tree. A chunk has a bit for each page
 * that was written to; one that has the bit and no memory is zeros, so that punching a
 * hole of a whole disk costs a few dozen bytes for each chunk and no page.
 */
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "image_cow.h"

#define PAGE FL_COW_PAGE
#define PAGE_SECTORS (PAGE / FL_SECTOR)
#define CHUNK_PAGES 512u

struct chunk {
	uint64_t nr;
	uint64_t written[CHUNK_PAGES / 64];
	uint8_t **page;			/* CHUNK_PAGES places, or NULL: all zeros */
};

struct fl_cow {
	const struct fl_image *img;
	int base;
	pthread_rwlock_t lock;		/* chunks and what is in them */
	void *chunks;			/* of tsearch() */
};

/* ---- chunks ------------------------------------------------------------------ */

static int cmp_chunk(const void *a, const void *b)
{
	uint64_t x = ((const struct chunk *)a)->nr, y = ((const struct chunk *)b)->nr;

	return x < y ? -1 : x > y;
}

/* The chunk of page number @page, or NULL. */
static struct chunk *find_chunk(const struct fl_cow *cow, uint64_t page)
{
	struct chunk key = { .nr = page / CHUNK_PAGES };
	struct chunk **found = tfind(&key, (void *const *)&cow->chunks, cmp_chunk);

	return found ? *found : NULL;
}

static struct chunk *make_chunk(struct fl_cow *cow, uint64_t page)
{
	struct chunk *c = find_chunk(cow, page);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->nr = page / CHUNK_PAGES;
	if (!tsearch(c, &cow->chunks, cmp_chunk)) {
		free(c);
		return NULL;
	}
	return c;
}

static void free_chunk(void *p)
{
	struct chunk *c = p;
	unsigned int i;

	for (i = 0; c->page && i < CHUNK_PAGES; i++)
		free(c->page[i]);
	free(c->page);
	free(c);
}

static bool is_written(const struct chunk *c, uint64_t page)
{
	uint64_t i = page % CHUNK_PAGES;

	return c && (c->written[i / 64] >> i % 64 & 1);
}

static void set_written(struct chunk *c, uint64_t page)
{
	uint64_t i = page % CHUNK_PAGES;

	c->written[i / 64] |= 1ULL << i % 64;
}

/* The memory of a page, NULL where it is zeros. */
static uint8_t *memory(const struct chunk *c, uint64_t page)
{
	return c->page ? c->page[page % CHUNK_PAGES] : NULL;
}

struct fl_cow *fl_cow_new(const struct fl_image *img, int base)
{
	struct fl_cow *cow = calloc(1, sizeof(*cow));

	if (!cow)
		return NULL;
	cow->img = img;
	cow->base = base;
	pthread_rwlock_init(&cow->lock, NULL);
	return cow;
}

void fl_cow_free(struct fl_cow *cow)
{
	if (!cow)
		return;
	tdestroy(cow->chunks, free_chunk);
	pthread_rwlock_destroy(&cow->lock);
	free(cow);
}

/* ---- reading ----------------------------------------------------------------- */

/* How many pages from @page on, fewer than @max, are as @page is: written to or not. */
static uint64_t same_pages(const struct fl_cow *cow, uint64_t page, uint64_t max,
			   bool *written)
{
	const struct chunk *c = find_chunk(cow, page);
	uint64_t left = CHUNK_PAGES - page % CHUNK_PAGES, n = 1;

	*written = is_written(c, page);
	if (left > max)
		left = max;
	if (!c)
		return left;
	while (n < left && is_written(c, page + n) == *written)
		n++;
	return n;
}

/* Part of one page that was written to. */
static void copy_page(const struct fl_cow *cow, uint8_t *out, uint64_t sector, uint64_t nr)
{
	const struct chunk *c = find_chunk(cow, sector / PAGE_SECTORS);
	const uint8_t *page = memory(c, sector / PAGE_SECTORS);

	if (page)
		memcpy(out, page + sector % PAGE_SECTORS * FL_SECTOR, nr * FL_SECTOR);
	else
		memset(out, 0, nr * FL_SECTOR);
}

static int read_locked(struct fl_cow *cow, uint8_t *out, uint64_t sector, uint64_t nr,
		       struct fl_err *err)
{
	uint64_t n, until;
	bool written;
	int ret = 0;

	if (!cow->chunks)
		return fl_image_read(cow->img, cow->base, out, sector, nr, err);
	for (; nr && !ret; sector += n, nr -= n, out += n * FL_SECTOR) {
		until = same_pages(cow, sector / PAGE_SECTORS, nr / PAGE_SECTORS + 2,
				   &written);
		n = (sector / PAGE_SECTORS + (written ? 1 : until)) * PAGE_SECTORS - sector;
		if (n > nr)
			n = nr;
		if (written)
			copy_page(cow, out, sector, n);
		else
			ret = fl_image_read(cow->img, cow->base, out, sector, n, err);
	}
	return ret;
}

int fl_cow_read(struct fl_cow *cow, void *buf, uint64_t sector, uint64_t nr,
		struct fl_err *err)
{
	int ret;

	pthread_rwlock_rdlock(&cow->lock);
	ret = read_locked(cow, buf, sector, nr, err);
	pthread_rwlock_unlock(&cow->lock);
	return ret;
}

/* ---- writing ----------------------------------------------------------------- */

static int no_memory(struct fl_err *err)
{
	return fl_fail(err, ENOMEM, "no memory for what is written to a crash image");
}

/* Memory for @page, with what it holds now if @keep. */
static uint8_t *make_page(struct fl_cow *cow, struct chunk *c, uint64_t page, bool keep,
			  struct fl_err *err)
{
	uint64_t first = page * PAGE_SECTORS, nr = PAGE_SECTORS;
	uint64_t end = cow->img->dev->log->sup.data_sectors;
	uint8_t *mem = memory(c, page);

	if (mem)
		return mem;
	if (!c->page)
		c->page = calloc(CHUNK_PAGES, sizeof(*c->page));
	mem = c->page ? calloc(1, PAGE) : NULL;
	if (!mem) {
		no_memory(err);
		return NULL;
	}
	if (nr > end - first)
		nr = end - first;
	if (keep && !is_written(c, page) &&
	    fl_image_read(cow->img, cow->base, mem, first, nr, err)) {
		free(mem);
		return NULL;
	}
	c->page[page % CHUNK_PAGES] = mem;
	return mem;
}

static void drop_page(struct chunk *c, uint64_t page)
{
	if (!c->page)
		return;
	free(c->page[page % CHUNK_PAGES]);
	c->page[page % CHUNK_PAGES] = NULL;
}

/* @len bytes of one page, from byte @at on; @buf NULL: zeros. */
static int write_page(struct fl_cow *cow, const uint8_t *buf, uint64_t page, uint64_t at,
		      uint64_t len, struct fl_err *err)
{
	struct chunk *c = make_chunk(cow, page);
	uint8_t *mem;

	if (!c)
		return no_memory(err);
	if (!buf && len == PAGE) {
		drop_page(c, page);
	} else {
		mem = make_page(cow, c, page, len < PAGE, err);
		if (!mem)
			return -EIO;
		if (buf)
			memcpy(mem + at, buf, len);
		else
			memset(mem + at, 0, len);
	}
	set_written(c, page);
	return 0;
}

static int write_range(struct fl_cow *cow, const uint8_t *buf, uint64_t len, uint64_t off,
		       struct fl_err *err)
{
	uint64_t n;
	int ret = 0;

	pthread_rwlock_wrlock(&cow->lock);
	for (; len && !ret; off += n, len -= n, buf = buf ? buf + n : NULL) {
		n = PAGE - off % PAGE;
		if (n > len)
			n = len;
		ret = write_page(cow, buf, off / PAGE, off % PAGE, n, err);
	}
	pthread_rwlock_unlock(&cow->lock);
	return ret;
}

int fl_cow_write(struct fl_cow *cow, const void *buf, uint64_t len, uint64_t off,
		 struct fl_err *err)
{
	return write_range(cow, buf, len, off, err);
}

int fl_cow_zero(struct fl_cow *cow, uint64_t len, uint64_t off, struct fl_err *err)
{
	return write_range(cow, NULL, len, off, err);
}

/* ---- questions --------------------------------------------------------------- */

bool fl_cow_written(struct fl_cow *cow, uint64_t len, uint64_t off)
{
	uint64_t page = off / PAGE, end = (off + len + PAGE - 1) / PAGE, n;
	bool written = false;

	pthread_rwlock_rdlock(&cow->lock);
	for (; cow->chunks && page < end && !written; page += n)
		n = same_pages(cow, page, end - page, &written);
	pthread_rwlock_unlock(&cow->lock);
	return written;
}

bool fl_cow_dirty(struct fl_cow *cow)
{
	bool dirty;

	pthread_rwlock_rdlock(&cow->lock);
	dirty = cow->chunks;
	pthread_rwlock_unlock(&cow->lock);
	return dirty;
}

/* Whether there may be data at byte @off, and up to where that holds. */
static bool has_data(struct fl_cow *cow, uint64_t off, uint64_t end, uint64_t *until)
{
	uint64_t page = off / PAGE, sector = off / FL_SECTOR, nr, from, n, stop;
	enum fl_source src;
	bool written;

	n = same_pages(cow, page, (end - 1) / PAGE - page + 1, &written);
	if (written) {
		*until = (page + 1) * PAGE;
		return memory(find_chunk(cow, page), page);
	}
	stop = (page + n) * PAGE < end ? (page + n) * PAGE : end;
	src = fl_image_piece(cow->img, cow->base, sector, stop / FL_SECTOR - sector, &nr,
			     &from);
	*until = (sector + nr) * FL_SECTOR;
	return src != FL_FROM_ZEROS;
}

uint64_t fl_cow_seek(struct fl_cow *cow, uint64_t off, uint64_t end, bool data)
{
	uint64_t until;

	pthread_rwlock_rdlock(&cow->lock);
	while (off < end && has_data(cow, off, end, &until) != data)
		off = until;
	pthread_rwlock_unlock(&cow->lock);
	return off < end ? off : end;
}

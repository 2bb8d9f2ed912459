// SPDX-License-Identifier: GPL-2.0
/*
 * capture: what a bio carries, held until it is in the log.
 *
 * Takes   a write, flush, discard or write-zeroes on its way down.
 * Gives   its capture, queued for the writer when the bio has ended.
 * Relies  on the writer to release memory without ever waiting for a bio of
 *	   the recorded device: that is why map may wait for it.
 *
 * All that can fail or wait happens before the bio is passed down. So whatever
 * reached the device below has its room in memory and in the log, and nothing on
 * the way back can fail. No lock is taken on a bio's way as long as there is
 * memory: the bounds are atomic counters, the queue is a lock-free list.
 *
 * A map that waits cannot wait for itself: device-mapper hands every bio to the
 * device below before it maps the next of the same submission, and a task
 * that sleeps gives up its plug.
 */
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/slab.h>

#include "fluxlog.h"

static struct kmem_cache *capture_cache;

/* --- bounds ------------------------------------------------------------- */

static void mem_note_highest(struct fluxlog_recorder *rec, long used)
{
	long highest = atomic_long_read(&rec->mem_highest);

	while (used > highest)
		if (atomic_long_try_cmpxchg(&rec->mem_highest, &highest, used))
			break;
}

/*
 * Never above the limit, not even for an instant: an overshoot that is taken
 * back could turn away the last waiter with nobody left to wake it.
 */
static bool mem_try(struct fluxlog_recorder *rec, unsigned int bytes)
{
	long used = atomic_long_read(&rec->mem_used);

	do {
		if (used + bytes > READ_ONCE(rec->mem_limit))
			return false;
	} while (!atomic_long_try_cmpxchg(&rec->mem_used, &used, used + bytes));
	mem_note_highest(rec, used + bytes);
	return true;
}

/*
 * First come, first served: whoever finds the gate closed queues behind it, so
 * that a large write is not starved by small ones.
 */
static void mem_reserve(struct fluxlog_recorder *rec, unsigned int bytes)
{
	if (likely(!mutex_is_locked(&rec->mem_gate)) && mem_try(rec, bytes))
		return;
	mutex_lock(&rec->mem_gate);
	fluxlog_writer_kick(rec);
	wait_event(rec->mem_wait, mem_try(rec, bytes));
	mutex_unlock(&rec->mem_gate);
}

void fluxlog_mem_release(struct fluxlog_recorder *rec, unsigned long bytes)
{
	atomic_long_sub(bytes, &rec->mem_used);
	if (wq_has_sleeper(&rec->mem_wait))
		wake_up(&rec->mem_wait);
}

static bool space_reserve(struct fluxlog_recorder *rec, unsigned int blocks)
{
	s64 used = atomic64_read(&rec->space_used);

	do {
		if (used + blocks > rec->log_blocks)
			return false;
	} while (!atomic64_try_cmpxchg(&rec->space_used, &used, used + blocks));
	return true;
}

void fluxlog_space_release(struct fluxlog_recorder *rec, u64 blocks)
{
	atomic64_sub(blocks, &rec->space_used);
}

/* The writer may be waiting for the last reservation to go before it ends the log. */
static void unreserve(struct fluxlog_recorder *rec, unsigned int mem,
		      unsigned int blocks)
{
	fluxlog_mem_release(rec, mem);
	fluxlog_space_release(rec, blocks);
	fluxlog_writer_kick(rec);
}

/*
 * Reserve memory and log space. The state is looked at *after* the reservation:
 * the writer sets it and then looks for reservations, so at least one of the two
 * sees the other, and no capture comes behind the gap record.
 */
static int reserve(struct fluxlog_recorder *rec, unsigned int mem,
		   unsigned int blocks)
{
	mem_reserve(rec, mem);
	if (!space_reserve(rec, blocks)) {
		fluxlog_mem_release(rec, mem);
		fluxlog_recorder_fail(rec, FLUXLOG_OVERFLOW);
		return -ENOSPC;
	}
	if (!fluxlog_failed(rec))
		return 0;
	unreserve(rec, mem, blocks);
	return -EIO;
}

/* --- pages -------------------------------------------------------------- */

static int pages_get(struct fluxlog_recorder *rec, struct fluxlog_capture *cap,
		     unsigned int pages)
{
	struct page *page;

	if (pages > FLUXLOG_INLINE_PAGES) {
		cap->pages = kmalloc_array(pages, sizeof(*cap->pages),
					   GFP_NOIO | __GFP_NOWARN);
		if (!cap->pages)
			return -ENOMEM;
	}
	while (cap->nr_pages < pages) {
		page = fluxlog_pool_get(&rec->pool);
		if (!page)
			return -ENOMEM;
		cap->pages[cap->nr_pages++] = page;
	}
	return 0;
}

/* Where the next byte of a payload goes, and the checksum of whole pages so far. */
struct cursor {
	struct page **page;
	unsigned int off;
	u32 crc;
};

/* copy_page() is much faster than memcpy() where that moves byte by byte. */
static void piece_copy(void *to, const void *from, unsigned int len)
{
	if (len == PAGE_SIZE && PAGE_ALIGNED(from))
		copy_page(to, (void *)from);
	else
		memcpy(to, from, len);
}

/* The page is complete with @len bytes. */
static void cursor_next(struct cursor *to, unsigned int len)
{
	to->crc = crc32c(to->crc, page_address(*to->page), len);
	to->page++;
	to->off = 0;
}

static void cursor_put(struct cursor *to, const char *from, unsigned int len)
{
	unsigned int n;

	while (len) {
		n = min_t(unsigned int, len, PAGE_SIZE - to->off);
		piece_copy(page_address(*to->page) + to->off, from, n);
		from += n;
		len -= n;
		to->off += n;
		if (to->off == PAGE_SIZE)
			cursor_next(to, PAGE_SIZE);
	}
}

/* Copy the payload, zero what pads it to a log block, and sum up both. */
static void payload_copy(struct fluxlog_capture *cap, struct bio *bio,
			 unsigned int block_size)
{
	struct cursor to = { .page = cap->pages };
	struct bvec_iter iter;
	unsigned int padded;
	struct bio_vec bv;
	void *from;

	bio_for_each_segment(bv, bio, iter) {
		from = bvec_kmap_local(&bv);
		cursor_put(&to, from, bv.bv_len);
		kunmap_local(from);
	}
	if (to.off) {
		padded = ALIGN(to.off, block_size);
		memset(page_address(*to.page) + to.off, 0, padded - to.off);
		cursor_next(&to, padded);
	}
	cap->payload_crc = to.crc;
}

/* --- captures ----------------------------------------------------------- */

static struct fluxlog_capture *capture_alloc(struct fluxlog_recorder *rec,
					     unsigned int mem, unsigned int blocks)
{
	struct fluxlog_capture *cap;

	cap = kmem_cache_alloc(capture_cache, GFP_NOIO | __GFP_NOWARN);
	if (!cap)
		return NULL;
	memset(cap, 0, offsetof(struct fluxlog_capture, inline_pages));
	cap->pages = cap->inline_pages;
	cap->mem = mem;
	cap->blocks = blocks;
	cap->record.dev = cpu_to_le16(rec->dev);
	return cap;
}

/* All but the pages. */
static void capture_free(struct fluxlog_capture *cap)
{
	if (cap->pages != cap->inline_pages)
		kfree(cap->pages);
	kfree(cap->inl);
	kmem_cache_free(capture_cache, cap);
}

void fluxlog_capture_free(struct fluxlog_recorder *rec, struct fluxlog_capture *cap)
{
	unsigned int i;

	for (i = 0; i < cap->nr_pages; i++)
		fluxlog_pool_put(&rec->pool, cap->pages[i]);
	capture_free(cap);
}

/* There was no memory for @cap, which may be NULL: recording ends. */
static void capture_give_up(struct fluxlog_recorder *rec, struct fluxlog_capture *cap,
			    unsigned int mem, unsigned int blocks)
{
	fluxlog_recorder_fail(rec, FLUXLOG_NO_MEMORY);
	if (cap) {
		while (cap->nr_pages)
			__free_page(cap->pages[--cap->nr_pages]);
		capture_free(cap);
	}
	unreserve(rec, mem, blocks);
}

static unsigned int payload_bytes(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_WRITE ? bio->bi_iter.bi_size : 0;
}

struct fluxlog_capture *fluxlog_capture_bio(struct fluxlog_recorder *rec,
					    struct bio *bio)
{
	unsigned int bytes = payload_bytes(bio);
	unsigned int pages = DIV_ROUND_UP(bytes, PAGE_SIZE);
	/* at worst its record has a log block for itself */
	unsigned int blocks = 1 + DIV_ROUND_UP(bytes, rec->block_size);
	unsigned int mem = sizeof(struct fluxlog_capture) + pages * PAGE_SIZE;
	struct fluxlog_capture *cap;
	int r;

	if (pages > FLUXLOG_INLINE_PAGES)
		mem += pages * sizeof(struct page *);
	r = reserve(rec, mem, blocks);
	if (r)
		return ERR_PTR(r);
	cap = capture_alloc(rec, mem, blocks);
	if (!cap || pages_get(rec, cap, pages)) {
		capture_give_up(rec, cap, mem, blocks);
		return ERR_PTR(-ENOMEM);
	}
	if (bytes)
		payload_copy(cap, bio, rec->block_size);
	cap->payload_bytes = bytes;
	fluxlog_record_bio(&cap->record, bio);
	/* the copy is made: from here on the bio is as good as issued */
	fluxlog_record_issue(&cap->record);
	return cap;
}

void fluxlog_capture_done(struct fluxlog_recorder *rec,
			  struct fluxlog_capture *cap, blk_status_t status)
{
	fluxlog_record_done(&cap->record);
	cap->record.status = cpu_to_le16(-blk_status_to_errno(status));
	fluxlog_queue(rec, cap);
}

int fluxlog_capture_note(struct fluxlog_recorder *rec, enum fluxlog_kind kind,
			 const void *inl, unsigned int len)
{
	unsigned int mem = sizeof(struct fluxlog_capture) + len;
	unsigned int blocks = DIV_ROUND_UP(sizeof(struct fluxlog_unit) +
					   sizeof(struct fluxlog_record) +
					   ALIGN(len, 8), rec->block_size);
	struct fluxlog_capture *cap;
	int r = reserve(rec, mem, blocks);

	if (r)
		return r;
	cap = capture_alloc(rec, mem, blocks);
	if (cap)
		cap->inl = kmemdup(inl, len, GFP_NOIO | __GFP_NOWARN);
	if (!cap || !cap->inl) {
		capture_give_up(rec, cap, mem, blocks);
		return -ENOMEM;
	}
	cap->record.kind = kind;
	cap->record.inline_len = cpu_to_le16(len);
	fluxlog_record_instant(&cap->record, fluxlog_tick());
	fluxlog_queue(rec, cap);
	return 0;
}

int fluxlog_capture_init(void)
{
	capture_cache = KMEM_CACHE(fluxlog_capture, 0);
	return capture_cache ? 0 : -ENOMEM;
}

void fluxlog_capture_exit(void)
{
	kmem_cache_destroy(capture_cache);
}

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
#include <linux/highmem.h>
#include <linux/slab.h>

#include "fluxlog.h"

/* Larger than this is not worth the allocator's effort. */
#define CHUNK_ORDER	3

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
	fluxlog_mem_release(rec, mem);
	fluxlog_space_release(rec, blocks);
	fluxlog_writer_kick(rec);
	return -EIO;
}

/* Give up a capture that was never queued. */
static void unreserve(struct fluxlog_recorder *rec, unsigned int mem,
		      unsigned int blocks)
{
	fluxlog_recorder_fail(rec, FLUXLOG_NO_MEMORY);
	fluxlog_mem_release(rec, mem);
	fluxlog_space_release(rec, blocks);
	fluxlog_writer_kick(rec);
}

/* --- pages -------------------------------------------------------------- */

/* At least one page, at most @pages. The payload must not draw on reserves to
 * be in fewer pieces.
 */
static struct page *chunk_alloc(unsigned int pages, unsigned int *order)
{
	struct page *page;

	for (*order = min_t(unsigned int, CHUNK_ORDER, ilog2(pages)); *order;
	     (*order)--) {
		page = alloc_pages(GFP_NOIO | __GFP_COMP | __GFP_NORETRY |
				   __GFP_NOWARN | __GFP_NOMEMALLOC, *order);
		if (page)
			return page;
	}
	return alloc_page(GFP_NOIO | __GFP_NOWARN);
}

static int pages_alloc(struct fluxlog_capture *cap, unsigned int pages)
{
	unsigned int order;
	struct page *page;

	if (pages > FLUXLOG_INLINE_VECS) {
		cap->vecs = kmalloc_array(pages, sizeof(*cap->vecs),
					  GFP_NOIO | __GFP_NOWARN);
		if (!cap->vecs)
			return -ENOMEM;
	}
	while (pages) {
		page = chunk_alloc(pages, &order);
		if (!page)
			return -ENOMEM;
		cap->vecs[cap->nr_vecs++] = (struct bio_vec) {
			.bv_page = page,
			.bv_len = PAGE_SIZE << order,
		};
		pages -= 1U << order;
	}
	return 0;
}

static void pages_free(struct fluxlog_capture *cap)
{
	unsigned int i;

	for (i = 0; i < cap->nr_vecs; i++)
		__free_pages(cap->vecs[i].bv_page, get_order(cap->vecs[i].bv_len));
	if (cap->vecs != cap->inline_vecs)
		kfree(cap->vecs);
}

/* Where the next byte of a payload goes. */
struct cursor {
	const struct bio_vec *vec;
	unsigned int off;
};

static void cursor_put(struct cursor *to, const char *from, unsigned int len)
{
	unsigned int n;

	while (len) {
		n = min(len, to->vec->bv_len - to->off);
		memcpy(page_address(to->vec->bv_page) + to->off, from, n);
		from += n;
		len -= n;
		to->off += n;
		if (to->off == to->vec->bv_len)
			*to = (struct cursor) { .vec = to->vec + 1 };
	}
}

/* Copy the payload and zero what pads it to a log block. */
static void payload_copy(struct fluxlog_capture *cap, struct bio *bio,
			 unsigned int block_size)
{
	struct cursor to = { .vec = cap->vecs };
	struct bvec_iter iter;
	struct bio_vec bv;
	void *from;

	bio_for_each_segment(bv, bio, iter) {
		from = bvec_kmap_local(&bv);
		cursor_put(&to, from, bv.bv_len);
		kunmap_local(from);
	}
	if (to.off)
		memset(page_address(to.vec->bv_page) + to.off, 0,
		       ALIGN(to.off, block_size) - to.off);
}

/* --- captures ----------------------------------------------------------- */

static struct fluxlog_capture *capture_alloc(struct fluxlog_recorder *rec,
					     unsigned int mem, unsigned int blocks)
{
	struct fluxlog_capture *cap;

	cap = kmem_cache_alloc(capture_cache, GFP_NOIO | __GFP_NOWARN);
	if (!cap)
		return NULL;
	memset(cap, 0, offsetof(struct fluxlog_capture, inline_vecs));
	cap->vecs = cap->inline_vecs;
	cap->mem = mem;
	cap->blocks = blocks;
	cap->record.dev = cpu_to_le16(rec->dev);
	return cap;
}

void fluxlog_capture_free(struct fluxlog_capture *cap)
{
	pages_free(cap);
	kfree(cap->inl);
	kmem_cache_free(capture_cache, cap);
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

	if (bytes > FLUXLOG_MAX_BIO) {
		DMERR_LIMIT("%s: write of %u bytes that must not be split",
			    rec->data_name, bytes);
		return ERR_PTR(-EIO);
	}
	if (pages > FLUXLOG_INLINE_VECS)
		mem += pages * sizeof(struct bio_vec);
	r = reserve(rec, mem, blocks);
	if (r)
		return ERR_PTR(r);
	cap = capture_alloc(rec, mem, blocks);
	if (!cap || pages_alloc(cap, pages)) {
		if (cap)
			fluxlog_capture_free(cap);
		unreserve(rec, mem, blocks);
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
		if (cap)
			fluxlog_capture_free(cap);
		unreserve(rec, mem, blocks);
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

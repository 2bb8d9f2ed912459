// SPDX-License-Identifier: GPL-2.0
/*
 * writer: from captures to units on the log device.
 *
 * Takes   captures from the recorder's queue, in the order in which they ended.
 * Gives   units as uapi/fluxlog_format.h draws them, appended to the log; memory
 *	   and spare log space back to those who wait for it.
 * Relies  on its own reserves alone: units, bios and the last record are
 *	   allocated before recording begins, so the writer neither waits for
 *	   memory nor for anything that waits for the writer.
 *
 * One thread per recorder. Units are a ring: the oldest is reaped first, so
 * memory comes back in the order of the log, and after an error all units behind
 * the failed one are known to be lost. Everything in struct fluxlog_writer is the
 * thread's own, except for what a bio's end touches: unit_buf.bios, error, done.
 *
 * How full units get. Nobody waits for the log unless memory runs out or a sync
 * was asked for. So the first capture that comes in makes the thread wait a moment
 * (GATHER_NS) for more; a unit that is full goes out at once, and one that is not
 * goes out when nothing else is in flight.
 */
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/crc32c.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "fluxlog.h"

#define NR_UNITS	8
#define HEAD_ORDER	get_order(32U << 10)
#define HEAD_BYTES	(PAGE_SIZE << HEAD_ORDER)
#define UNIT_PAYLOAD	FLUXLOG_MAX_BIO
/* a unit has at most one vec for each page, and one for its head */
#define UNIT_BIOS	4
#define GATHER_NS	(1 * NSEC_PER_MSEC)
#define IDLE_TRIM	(2 * HZ)

/* A request for word that all before it is on the log device. */
struct fluxlog_sync {
	struct completion done;
	int error;
};

/**
 * struct unit_buf - a unit being filled or in flight
 * @w: whose
 * @head: HEAD_BYTES for unit head, records and inline data
 * @caps: its captures, in order
 * @last: the last of them
 * @head_bytes: of @head, once encoded
 * @payload_blocks: of all captures
 * @nr_records: number of captures
 * @nr_flushes: flushes among them
 * @reserved: log blocks that were reserved for them
 * @mem: memory that they hold
 * @pos: where it stands in the log, in log blocks
 * @seq: its number
 * @nr_blocks: its length
 * @bios: bios in flight
 * @error: blk_status_t of a bio that failed
 * @done: all bios have ended; set under the recorder's writer_wait.lock
 */
struct unit_buf {
	struct fluxlog_writer *w;
	void *head;
	struct llist_node *caps;
	struct llist_node *last;
	unsigned int head_bytes;
	unsigned int payload_blocks;
	unsigned int nr_records;
	unsigned int nr_flushes;
	unsigned long reserved;
	unsigned long mem;
	u64 pos;
	u64 seq;
	unsigned int nr_blocks;
	atomic_t bios;
	blk_status_t error;
	bool done;
};

/**
 * enum writer_mode - what becomes of a capture
 * @WRITER_OPEN: it goes to the log
 * @WRITER_BROKEN: it is dropped, since a unit before it was lost
 * @WRITER_CLOSED: it is dropped, since the last record is written
 */
enum writer_mode {
	WRITER_OPEN,
	WRITER_BROKEN,
	WRITER_CLOSED,
};

/**
 * struct fluxlog_writer - the thread and what it owns
 * @rec: the recorder
 * @task: the thread
 * @bios: reserve of bios
 * @units: the ring
 * @oldest: index of the oldest unit in flight
 * @in_flight: units in flight, from @oldest on
 * @open: the unit being filled, the one behind those in flight, or NULL
 * @mode: see there
 * @pos: where the next unit goes, in log blocks
 * @seq: its number
 * @lost_tick: smallest issue tick of what was dropped, U64_MAX if nothing was
 * @tail: the last record, which must not depend on memory
 */
struct fluxlog_writer {
	struct fluxlog_recorder *rec;
	struct task_struct *task;
	struct bio_set bios;
	struct unit_buf units[NR_UNITS];
	unsigned int oldest;
	unsigned int in_flight;
	struct unit_buf *open;
	enum writer_mode mode;
	u64 pos;
	u64 seq;
	u64 lost_tick;
	struct fluxlog_capture tail;
};

static struct fluxlog_capture *to_capture(struct llist_node *node)
{
	return llist_entry(node, struct fluxlog_capture, node);
}

static void capture_put(struct fluxlog_writer *w, struct fluxlog_capture *cap)
{
	if (cap != &w->tail)
		fluxlog_capture_free(w->rec, cap);
}

/* --- encoding ----------------------------------------------------------- */

static unsigned int inline_len(const struct fluxlog_capture *cap)
{
	return le16_to_cpu(cap->record.inline_len);
}

/* What @cap takes of a unit's head. */
static unsigned int head_len(const struct fluxlog_capture *cap)
{
	return sizeof(struct fluxlog_record) + ALIGN(inline_len(cap), 8);
}

static unsigned int payload_blocks(const struct fluxlog_writer *w,
				   const struct fluxlog_capture *cap)
{
	return DIV_ROUND_UP(cap->payload_bytes, w->rec->block_size);
}

static void encode_records(struct unit_buf *u, unsigned int head_blocks)
{
	void *to = u->head + sizeof(struct fluxlog_unit);
	unsigned int blk = head_blocks;
	struct fluxlog_capture *cap;
	struct llist_node *node;

	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		if (cap->payload_bytes) {
			cap->record.payload_blk = cpu_to_le32(blk);
			blk += payload_blocks(u->w, cap);
		}
		memcpy(to, &cap->record, sizeof(cap->record));
		if (cap->inl)
			memcpy(to + sizeof(cap->record), cap->inl, inline_len(cap));
		to += head_len(cap);
	}
}

/* Bytes of @cap's page number @i that go to the log. */
static unsigned int page_len(const struct fluxlog_writer *w,
			     const struct fluxlog_capture *cap, unsigned int i)
{
	unsigned int padded = ALIGN(cap->payload_bytes, w->rec->block_size);

	return min_t(unsigned int, PAGE_SIZE, padded - i * PAGE_SIZE);
}

static u32 unit_crc(struct unit_buf *u, unsigned int head_blocks)
{
	u32 crc = crc32c(~0, u->head, head_blocks << u->w->rec->block_shift);
	const struct fluxlog_capture *cap;
	struct llist_node *node;
	unsigned int i;

	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		for (i = 0; i < cap->nr_pages; i++)
			crc = crc32c(crc, page_address(cap->pages[i]),
				     page_len(u->w, cap, i));
	}
	return crc;
}

/* The unit gets its place in the log and its head; unused log space goes back. */
static void unit_encode(struct unit_buf *u)
{
	struct fluxlog_writer *w = u->w;
	struct fluxlog_recorder *rec = w->rec;
	unsigned int head_blocks = DIV_ROUND_UP(u->head_bytes, rec->block_size);
	struct fluxlog_unit *head = u->head;

	u->pos = w->pos;
	u->seq = w->seq++;
	u->nr_blocks = head_blocks + u->payload_blocks;
	w->pos += u->nr_blocks;
	atomic64_set(&rec->blocks_written, w->pos);
	fluxlog_space_release(rec, u->reserved - u->nr_blocks);

	memset(head, 0, head_blocks << rec->block_shift);
	head->magic = cpu_to_le64(FLUXLOG_UNIT_MAGIC);
	memcpy(head->uuid, rec->uuid, sizeof(head->uuid));
	head->seq = cpu_to_le64(u->seq);
	head->nr_blocks = cpu_to_le32(u->nr_blocks);
	head->head_bytes = cpu_to_le32(u->head_bytes);
	head->nr_records = cpu_to_le32(u->nr_records);
	head->written_ns = cpu_to_le64(ktime_get_ns());
	encode_records(u, head_blocks);
	head->crc32c = cpu_to_le32(unit_crc(u, head_blocks));
}

/* --- submitting --------------------------------------------------------- */

/*
 * The last touch of a bio's end is the unlock. Who saw done under the lock knows
 * that the end no longer touches the recorder.
 */
static void unit_bio_put(struct unit_buf *u)
{
	struct fluxlog_recorder *rec = u->w->rec;
	unsigned long flags;

	if (!atomic_dec_and_test(&u->bios))
		return;
	spin_lock_irqsave(&rec->writer_wait.lock, flags);
	WRITE_ONCE(u->done, true);
	wake_up_locked(&rec->writer_wait);
	spin_unlock_irqrestore(&rec->writer_wait.lock, flags);
}

static void unit_end_io(struct bio *bio)
{
	struct unit_buf *u = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(u->error, bio->bi_status);
	bio_put(bio);
	unit_bio_put(u);
}

/* SYNC and IDLE as for direct I/O: the log must not be throttled as writeback. */
static struct bio *unit_bio(struct unit_buf *u, u64 byte)
{
	struct fluxlog_writer *w = u->w;
	struct bio *bio = bio_alloc_bioset(w->rec->log_bdev, BIO_MAX_VECS,
					   REQ_OP_WRITE | REQ_SYNC | REQ_IDLE,
					   GFP_NOIO, &w->bios);

	bio->bi_iter.bi_sector = byte >> SECTOR_SHIFT;
	bio->bi_private = u;
	bio->bi_end_io = unit_end_io;
	atomic_inc(&u->bios);
	return bio;
}

/* Add a piece of @u at the end of @bio; once that is full, send it off first. */
static struct bio *unit_add(struct unit_buf *u, struct bio *bio,
			    struct page *page, unsigned int len)
{
	u64 end = (u64)bio_end_sector(bio) << SECTOR_SHIFT;

	if (bio_add_page(bio, page, len, 0) == len)
		return bio;
	submit_bio(bio);
	bio = unit_bio(u, end);
	__bio_add_page(bio, page, len, 0);
	return bio;
}

static void unit_send(struct unit_buf *u)
{
	struct fluxlog_writer *w = u->w;
	unsigned int shift = w->rec->block_shift;
	const struct fluxlog_capture *cap;
	struct llist_node *node;
	struct bio *bio;
	unsigned int i;

	bio = unit_bio(u, u->pos << shift);
	__bio_add_page(bio, virt_to_page(u->head),
		       (u->nr_blocks - u->payload_blocks) << shift, 0);
	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		for (i = 0; i < cap->nr_pages; i++)
			bio = unit_add(u, bio, cap->pages[i], page_len(w, cap, i));
	}
	submit_bio(bio);
}

static void writer_submit(struct fluxlog_writer *w)
{
	struct unit_buf *u = w->open;

	if (!u)
		return;
	unit_encode(u);
	w->open = NULL;
	w->in_flight++;
	atomic_set(&u->bios, 1);
	unit_send(u);
	unit_bio_put(u);
}

/* --- reaping ------------------------------------------------------------ */

static void note_lost(struct fluxlog_writer *w, const struct fluxlog_capture *cap)
{
	w->lost_tick = min_t(u64, w->lost_tick,
			     le64_to_cpu(cap->record.issue_tick));
}

/* Free the captures of @u, which is on the log or lost. */
static void unit_release(struct unit_buf *u, bool lost)
{
	struct llist_node *node, *next;
	struct fluxlog_writer *w = u->w;

	llist_for_each_safe(node, next, u->caps) {
		if (lost)
			note_lost(w, to_capture(node));
		capture_put(w, to_capture(node));
	}
	fluxlog_mem_release(w->rec, u->mem);
}

/*
 * From the first unit that failed on, nothing is readable: the log ends there,
 * and there the gap record will stand.
 */
static void writer_break(struct fluxlog_writer *w, u64 pos, u64 seq)
{
	w->mode = WRITER_BROKEN;
	fluxlog_space_release(w->rec, w->pos - pos);
	w->pos = pos;
	w->seq = seq;
	atomic64_set(&w->rec->blocks_written, pos);
	if (w->open) {
		fluxlog_space_release(w->rec, w->open->reserved);
		unit_release(w->open, true);
		w->open = NULL;
	}
	fluxlog_recorder_fail(w->rec, FLUXLOG_LOG_ERROR);
}

static bool oldest_done(const struct fluxlog_writer *w)
{
	return w->in_flight && READ_ONCE(w->units[w->oldest].done);
}

static void writer_reap_one(struct fluxlog_writer *w)
{
	struct fluxlog_recorder *rec = w->rec;
	struct unit_buf *u = &w->units[w->oldest];

	/* see unit_bio_put() */
	spin_lock_irq(&rec->writer_wait.lock);
	spin_unlock_irq(&rec->writer_wait.lock);

	w->oldest = (w->oldest + 1) % NR_UNITS;
	w->in_flight--;
	if (w->mode != WRITER_BROKEN && u->error) {
		DMERR("%s: log %s: unit %llu at sector %llu failed: error %d",
		      rec->data_name, rec->log_name, u->seq,
		      u->pos << (rec->block_shift - SECTOR_SHIFT),
		      blk_status_to_errno(u->error));
		if (w->mode == WRITER_OPEN)
			writer_break(w, u->pos, u->seq);
	}
	if (w->mode != WRITER_BROKEN) {
		atomic64_add(u->nr_records, &rec->nr_records);
		atomic64_add(u->nr_flushes, &rec->nr_flushes);
	}
	unit_release(u, w->mode == WRITER_BROKEN);
}

static void writer_reap(struct fluxlog_writer *w)
{
	while (oldest_done(w))
		writer_reap_one(w);
}

static void writer_wait_oldest(struct fluxlog_writer *w)
{
	wait_event_interruptible(w->rec->writer_wait, oldest_done(w));
	writer_reap(w);
}

/* Everything that was given to the writer is on the log device, or lost. */
static void writer_drain(struct fluxlog_writer *w)
{
	writer_submit(w);
	while (w->in_flight)
		writer_wait_oldest(w);
}

/* --- filling ------------------------------------------------------------ */

static struct unit_buf *unit_open(struct fluxlog_writer *w)
{
	struct unit_buf *u;

	while (w->in_flight == NR_UNITS)
		writer_wait_oldest(w);
	u = &w->units[(w->oldest + w->in_flight) % NR_UNITS];
	*u = (struct unit_buf) {
		.w = w,
		.head = u->head,
		.head_bytes = sizeof(struct fluxlog_unit),
	};
	return u;
}

static bool unit_has_room(const struct unit_buf *u, const struct fluxlog_capture *cap)
{
	unsigned int blocks = u->payload_blocks + payload_blocks(u->w, cap);

	return u->head_bytes + head_len(cap) <= HEAD_BYTES &&
	       blocks << u->w->rec->block_shift <= UNIT_PAYLOAD;
}

static void unit_append(struct unit_buf *u, struct fluxlog_capture *cap)
{
	cap->node.next = NULL;
	if (u->last)
		u->last->next = &cap->node;
	else
		u->caps = &cap->node;
	u->last = &cap->node;
	u->head_bytes += head_len(cap);
	u->payload_blocks += payload_blocks(u->w, cap);
	u->nr_records++;
	u->nr_flushes += cap->record.kind == FLUXLOG_FLUSH;
	u->reserved += cap->blocks;
	u->mem += cap->mem;
}

static void writer_drop(struct fluxlog_writer *w, struct fluxlog_capture *cap)
{
	unsigned int mem = cap->mem;

	note_lost(w, cap);
	fluxlog_space_release(w->rec, cap->blocks);
	capture_put(w, cap);
	fluxlog_mem_release(w->rec, mem);
}

static void writer_add(struct fluxlog_writer *w, struct fluxlog_capture *cap)
{
	if (w->open && !unit_has_room(w->open, cap))
		writer_submit(w);
	if (!w->open && w->mode == WRITER_OPEN)
		w->open = unit_open(w);
	/* waiting for a free unit may have shown that the log is broken */
	if (w->mode == WRITER_OPEN)
		unit_append(w->open, cap);
	else
		writer_drop(w, cap);
}

static void writer_flush_log(struct fluxlog_writer *w)
{
	int r = blkdev_issue_flush(w->rec->log_bdev);

	if (!r)
		return;
	DMERR("%s: log %s: flush failed: error %d", w->rec->data_name,
	      w->rec->log_name, r);
	if (w->mode == WRITER_OPEN)
		writer_break(w, w->pos, w->seq);
}

static void writer_answer(struct fluxlog_writer *w, struct fluxlog_sync *sync)
{
	writer_drain(w);
	writer_flush_log(w);
	sync->error = fluxlog_failed(w->rec) ? -EIO : 0;
	complete(&sync->done);
}

/* Everything in the queue, oldest first, goes into units. */
static void writer_take(struct fluxlog_writer *w)
{
	struct llist_node *node, *next;
	struct fluxlog_capture *cap;

	WRITE_ONCE(w->rec->urgent, false);
	node = llist_reverse_order(llist_del_all(&w->rec->queue));
	llist_for_each_safe(node, next, node) {
		cap = to_capture(node);
		if (cap->sync)
			writer_answer(w, cap->sync);
		else
			writer_add(w, cap);
	}
}

/* --- the last record ---------------------------------------------------- */

static void writer_close(struct fluxlog_writer *w, enum fluxlog_kind kind,
			 u64 tick, int status)
{
	struct fluxlog_capture *cap = &w->tail;

	cap->blocks = 1;
	cap->record.kind = kind;
	cap->record.dev = cpu_to_le16(w->rec->dev);
	cap->record.status = cpu_to_le16(status);
	fluxlog_record_instant(&cap->record, tick);
	w->open = unit_open(w);
	unit_append(w->open, cap);
	w->mode = WRITER_CLOSED;
	writer_drain(w);
	writer_flush_log(w);
}

/* The gap record says from when on something is missing. */
static void writer_close_gap(struct fluxlog_writer *w)
{
	writer_close(w, FLUXLOG_GAP, min(w->rec->gap_tick, w->lost_tick),
		     w->rec->gap_errno);
}

/*
 * Recording has ended, and all that was passed down before has come back and is
 * on the log: then no log space is reserved but the last record's.
 */
static bool gap_is_due(const struct fluxlog_writer *w)
{
	struct fluxlog_recorder *rec = w->rec;

	return w->mode != WRITER_CLOSED && !w->in_flight && !w->open &&
	       smp_load_acquire(&rec->state) > FLUXLOG_RECORDING &&
	       atomic64_read(&rec->space_used) == w->pos + 1;
}

/* --- the thread --------------------------------------------------------- */

static bool writer_has_work(const struct fluxlog_writer *w)
{
	return !llist_empty(&w->rec->queue) || oldest_done(w) ||
	       gap_is_due(w) || kthread_should_stop();
}

/* Wait for work; after a while without any, let go of spare pages. */
static void writer_wait(struct fluxlog_writer *w)
{
	struct fluxlog_recorder *rec = w->rec;

	if (wait_event_interruptible_timeout(rec->writer_wait, writer_has_work(w),
					     IDLE_TRIM))
		return;
	fluxlog_pool_trim(&rec->pool);
	wait_event_interruptible(rec->writer_wait, writer_has_work(w));
}

static void writer_gather(struct fluxlog_writer *w)
{
	struct fluxlog_recorder *rec = w->rec;

	wait_event_interruptible_hrtimeout(rec->writer_wait,
					   READ_ONCE(rec->urgent) ||
					   mutex_is_locked(&rec->mem_gate) ||
					   kthread_should_stop(),
					   ns_to_ktime(GATHER_NS));
}

/* The target is going away: nothing is under way any more. */
static void writer_finish(struct fluxlog_writer *w)
{
	writer_take(w);
	writer_drain(w);
	if (w->rec->state == FLUXLOG_RECORDING)
		writer_close(w, FLUXLOG_END, fluxlog_tick(), 0);
	else if (gap_is_due(w))
		writer_close_gap(w);
}

static int writer_main(void *data)
{
	struct fluxlog_writer *w = data;
	unsigned int noio = memalloc_noio_save();

	while (!kthread_should_stop()) {
		writer_wait(w);
		writer_reap(w);
		if (!llist_empty(&w->rec->queue))
			writer_gather(w);
		writer_take(w);
		writer_reap(w);
		if (!w->in_flight)
			writer_submit(w);
		if (gap_is_due(w))
			writer_close_gap(w);
	}
	writer_finish(w);
	memalloc_noio_restore(noio);
	return 0;
}

/* --- from outside ------------------------------------------------------- */

void fluxlog_writer_kick(struct fluxlog_recorder *rec)
{
	wake_up(&rec->writer_wait);
}

/* Only the first one wakes the thread: it takes all that came in meanwhile. */
void fluxlog_queue(struct fluxlog_recorder *rec, struct fluxlog_capture *cap)
{
	if (llist_add(&cap->node, &rec->queue))
		wake_up(&rec->writer_wait);
}

int fluxlog_writer_sync(struct fluxlog_recorder *rec)
{
	struct fluxlog_sync sync = {
		.done = COMPLETION_INITIALIZER_ONSTACK(sync.done),
	};
	struct fluxlog_capture cap = { .sync = &sync };

	fluxlog_queue(rec, &cap);
	WRITE_ONCE(rec->urgent, true);
	fluxlog_writer_kick(rec);
	wait_for_completion(&sync.done);
	return sync.error;
}

static void writer_free(struct fluxlog_writer *w)
{
	int i;

	for (i = 0; i < NR_UNITS; i++)
		free_pages((unsigned long)w->units[i].head, HEAD_ORDER);
	bioset_exit(&w->bios);
	kfree(w);
}

static int writer_alloc(struct fluxlog_writer *w)
{
	int i;

	for (i = 0; i < NR_UNITS; i++) {
		w->units[i].head = (void *)__get_free_pages(GFP_KERNEL | __GFP_COMP,
							    HEAD_ORDER);
		if (!w->units[i].head)
			return -ENOMEM;
	}
	return bioset_init(&w->bios, NR_UNITS * UNIT_BIOS, 0, BIOSET_NEED_BVECS);
}

int fluxlog_writer_start(struct fluxlog_recorder *rec)
{
	struct fluxlog_writer *w = kzalloc(sizeof(*w), GFP_KERNEL);
	int r;

	if (!w)
		return -ENOMEM;
	w->rec = rec;
	w->pos = atomic64_read(&rec->blocks_written);
	w->lost_tick = U64_MAX;
	r = writer_alloc(w);
	if (r)
		goto fail;
	w->task = kthread_run(writer_main, w, "fluxlog/%s", rec->log_name);
	if (IS_ERR(w->task)) {
		r = PTR_ERR(w->task);
		goto fail;
	}
	rec->writer = w;
	return 0;
fail:
	writer_free(w);
	return r;
}

void fluxlog_writer_stop(struct fluxlog_recorder *rec)
{
	kthread_stop(rec->writer->task);
	writer_free(rec->writer);
	rec->writer = NULL;
}

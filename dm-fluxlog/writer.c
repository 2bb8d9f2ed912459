// SPDX-License-Identifier: GPL-2.0
/*
 * writer: from captures to units on the log device.
 *
 * Takes   captures from the recorder's queue, in the order in which they ended.
 * Gives   units, one behind the other on the log device; memory and spare log
 *	   space back to those who wait for it.
 * Relies  on its own reserves alone: units and the last record are allocated
 *	   before recording begins, so the writer neither waits for memory nor
 *	   for anything that waits for the writer.
 *
 * One thread per recorder. Units are a ring: the oldest is reaped first, so
 * memory comes back in the order of the log, and after an error all units behind
 * the failed one are known to be lost. Everything in struct fluxlog_writer is the
 * thread's own, except for what a unit's end touches.
 *
 * How full units get. Nobody waits for the log unless memory runs out or a sync
 * was asked for. So the first capture that comes in makes the thread wait a moment
 * (GATHER_NS) for more; a unit that is full goes out at once, and one that is not
 * goes out when nothing else is in flight.
 */
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "fluxlog.h"

#define NR_UNITS	8
#define GATHER_NS	(1 * NSEC_PER_MSEC)
#define IDLE_TRIM	(2 * HZ)

/* A request for word that all before it is on the log device. */
struct fluxlog_sync {
	struct completion done;
	int error;
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
 * @units: the ring
 * @oldest: index of the oldest unit in flight
 * @in_flight: units in flight, from @oldest on
 * @open: the unit being filled, the one behind those in flight, or NULL
 * @mode: see there
 * @pos: where the next unit goes, in log blocks
 * @seq: its number
 * @lost_tick: smallest issue tick of what was dropped, U64_MAX if nothing was
 * @gap_missing: the gap record could not be written
 * @tail: the last record, which must not depend on memory
 */
struct fluxlog_writer {
	struct fluxlog_recorder *rec;
	struct task_struct *task;
	struct fluxlog_unit_buf units[NR_UNITS];
	unsigned int oldest;
	unsigned int in_flight;
	struct fluxlog_unit_buf *open;
	enum writer_mode mode;
	u64 pos;
	u64 seq;
	u64 lost_tick;
	bool gap_missing;
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

/* --- reaping ------------------------------------------------------------ */

static void note_lost(struct fluxlog_writer *w, const struct fluxlog_capture *cap)
{
	w->lost_tick = min_t(u64, w->lost_tick,
			     le64_to_cpu(cap->record.issue_tick));
}

/* Free the captures of @u, which is on the log or lost. */
static void unit_release(struct fluxlog_writer *w, struct fluxlog_unit_buf *u,
			 bool lost)
{
	struct llist_node *node, *next;

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
		unit_release(w, w->open, true);
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
	struct fluxlog_unit_buf *u = &w->units[w->oldest];

	/* see unit_bio_put() in unit.c */
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
	if (w->mode != WRITER_BROKEN && !u->error) {
		atomic64_add(u->nr_records, &rec->nr_records);
		atomic64_add(u->nr_flushes, &rec->nr_flushes);
	}
	unit_release(w, u, w->mode == WRITER_BROKEN);
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

/* The unit gets its place in the log; log space that it does not need goes back. */
static void writer_submit(struct fluxlog_writer *w)
{
	struct fluxlog_unit_buf *u = w->open;
	unsigned int blocks;

	if (!u)
		return;
	blocks = fluxlog_unit_blocks(u);
	fluxlog_space_release(w->rec, u->reserved - blocks);
	w->open = NULL;
	w->in_flight++;
	fluxlog_unit_submit(u, w->pos, w->seq++);
	w->pos += blocks;
	atomic64_set(&w->rec->blocks_written, w->pos);
}

/* Everything that was given to the writer is on the log device, or lost. */
static void writer_drain(struct fluxlog_writer *w)
{
	writer_submit(w);
	while (w->in_flight)
		writer_wait_oldest(w);
}

/* --- filling ------------------------------------------------------------ */

static void writer_wait_free(struct fluxlog_writer *w)
{
	while (w->in_flight == NR_UNITS)
		writer_wait_oldest(w);
}

/* There is an open unit with room for @cap, or one that is free. */
static void writer_append(struct fluxlog_writer *w, struct fluxlog_capture *cap)
{
	if (!w->open) {
		w->open = &w->units[(w->oldest + w->in_flight) % NR_UNITS];
		fluxlog_unit_open(w->open);
	}
	fluxlog_unit_append(w->open, cap);
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
	if (w->open && !fluxlog_unit_has_room(w->open, cap))
		writer_submit(w);
	/* waiting for a free unit may show that the log is broken */
	if (!w->open && w->mode == WRITER_OPEN)
		writer_wait_free(w);
	if (w->mode == WRITER_OPEN)
		writer_append(w, cap);
	else
		writer_drop(w, cap);
}

static int writer_flush_log(struct fluxlog_writer *w)
{
	int r = blkdev_issue_flush(w->rec->log_bdev);

	if (!r)
		return 0;
	DMERR("%s: log %s: flush failed: error %d", w->rec->data_name,
	      w->rec->log_name, r);
	if (w->mode == WRITER_OPEN)
		writer_break(w, w->pos, w->seq);
	return r;
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

/* Nothing is in flight. 0 or -EIO, after which it can be tried again. */
static int writer_close(struct fluxlog_writer *w, enum fluxlog_kind kind,
			u64 tick, int status)
{
	struct fluxlog_capture *cap = &w->tail;
	u64 pos = w->pos, seq = w->seq;
	struct fluxlog_unit_buf *u;

	cap->blocks = 1;
	cap->record.kind = kind;
	cap->record.dev = cpu_to_le16(w->rec->dev);
	cap->record.status = cpu_to_le16(status);
	fluxlog_record_instant(&cap->record, tick);
	writer_append(w, cap);
	w->mode = WRITER_CLOSED;
	u = w->open;
	writer_drain(w);
	if (!writer_flush_log(w) && !u->error)
		return 0;
	w->pos = pos;
	w->seq = seq;
	atomic64_set(&w->rec->blocks_written, pos);
	return -EIO;
}

/* The gap record says from when on something is missing. */
static void writer_close_gap(struct fluxlog_writer *w)
{
	int r = writer_close(w, FLUXLOG_GAP, min(w->rec->gap_tick, w->lost_tick),
			     -w->rec->gap_errno);

	w->gap_missing = r;
	if (r)
		DMERR("%s: log %s: cannot write a gap record, the log is cut off",
		      w->rec->data_name, w->rec->log_name);
}

/*
 * Recording has ended, and all that was passed down before has come back and is
 * on the log: then no log space is reserved but the last record's.
 */
static bool gap_is_due(const struct fluxlog_writer *w)
{
	struct fluxlog_recorder *rec = w->rec;

	if (w->mode == WRITER_CLOSED || w->in_flight || w->open)
		return false;
	/* pairs with the release in fluxlog_recorder_fail(): the reason is set */
	if (smp_load_acquire(&rec->state) <= FLUXLOG_RECORDING)
		return false;
	/* pairs with the full barrier of a reservation, see reserve() */
	smp_mb();
	return atomic64_read(&rec->space_used) == w->pos + 1;
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

/*
 * The target is going away: nothing is under way any more. A log device that
 * failed may be back, so a gap record that is missing gets another chance.
 */
static void writer_finish(struct fluxlog_writer *w)
{
	writer_take(w);
	writer_drain(w);
	if (w->rec->state == FLUXLOG_RECORDING)
		writer_close(w, FLUXLOG_END, fluxlog_tick(), 0);
	else if (gap_is_due(w) || w->gap_missing)
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
	struct fluxlog_sync sync = { .error = 0 };
	struct fluxlog_capture cap = { .sync = &sync };

	init_completion(&sync.done);
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
		fluxlog_unit_exit(&w->units[i]);
	kfree(w);
}

static int writer_alloc(struct fluxlog_writer *w)
{
	int i, r = 0;

	for (i = 0; i < NR_UNITS && !r; i++)
		r = fluxlog_unit_init(&w->units[i], w->rec);
	return r;
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

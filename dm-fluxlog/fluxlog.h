/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-fluxlog: what its files have in common.
 *
 *   bio -> capture -> record -> writer -> log device
 *
 * target.c speaks device-mapper, capture.c holds what a bio carried in pages from
 * pool.c, inject.c makes things go wrong on purpose, record.c says it in the words of
 * the log, writer.c puts it on the log device, and recorder.c owns the log that they
 * share. Prototypes stand under the file that has the function.
 */
#ifndef FLUXLOG_H
#define FLUXLOG_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/device-mapper.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "uapi/fluxlog_format.h"

#define DM_MSG_PREFIX "fluxlog"

#define FLUXLOG_MAX_BIO		SZ_1M	/* longest captured write, in bytes */
#define FLUXLOG_MEM_KB_DEFAULT	65536U
#define FLUXLOG_MEM_KB_MIN	1152U		/* a longest write with what goes with it */
#define FLUXLOG_MEM_KB_MAX	2097151U	/* in bytes it fits a long anywhere */
#define FLUXLOG_LOG_MIN_BYTES	SZ_2M	/* a super, a longest write, and some */
#define FLUXLOG_INLINE_PAGES	8
#define FLUXLOG_RULES_MAX	320	/* bytes of inject's words in a table line */

/**
 * enum fluxlog_state - of a recorder; once it has left FLUXLOG_RECORDING, it stays
 * @FLUXLOG_NEW: no table with it has been resumed, nothing is on the log device
 * @FLUXLOG_RECORDING: every write is recorded
 * @FLUXLOG_OVERFLOW: the log had no room for a record
 * @FLUXLOG_LOG_ERROR: the log device failed a write or a flush
 * @FLUXLOG_NO_MEMORY: no memory to hold a write
 */
enum fluxlog_state {
	FLUXLOG_NEW,
	FLUXLOG_RECORDING,
	FLUXLOG_OVERFLOW,
	FLUXLOG_LOG_ERROR,
	FLUXLOG_NO_MEMORY,
};

/**
 * struct fluxlog_options - the optional arguments of a table line
 * @mem_limit_kb: most memory that captures may hold
 * @stop_on_fail: true for on_log_fail stop, false for error
 */
struct fluxlog_options {
	unsigned int mem_limit_kb;
	bool stop_on_fail;
};

/**
 * struct fluxlog_capture - an event on its way to the log
 * @node: in the recorder's queue, then in a unit's list
 * @record: as it will stand in the log, but for payload_blk
 * @inl: inline data of a mark or promise, kmalloc'ed, or NULL
 * @pages: what holds the payload
 * @nr_pages: how many
 * @payload_bytes: without padding
 * @payload_crc: of the payload with its padding, seed 0
 * @blocks: log space that was reserved for it, in log blocks
 * @mem: memory that was reserved for it, in bytes
 * @sync: set if this is no event but a request to report that all before it is
 *	on the log; then nothing else counts
 * @inline_pages: @pages of a small write
 *
 * Owned by the bio until fluxlog_queue(), by the writer from then on.
 */
struct fluxlog_capture {
	struct llist_node node;
	struct fluxlog_record record;
	void *inl;
	struct page **pages;
	unsigned int nr_pages;
	unsigned int payload_bytes;
	u32 payload_crc;
	unsigned int blocks;
	unsigned int mem;
	struct fluxlog_sync *sync;
	struct page *inline_pages[FLUXLOG_INLINE_PAGES];
};

struct fluxlog_spare;
struct fluxlog_writer;

/**
 * struct fluxlog_pool - spare pages
 * @local: a CPU's own, used with preemption off
 * @lock: guards @bundles
 * @bundles: for any CPU to take
 * @filling: the bundle that the writer is tying, its own
 * @nr_filling: pages in it
 */
struct fluxlog_pool {
	struct fluxlog_spare * __percpu *local;
	raw_spinlock_t lock;		/* see @bundles */
	struct fluxlog_spare *bundles;
	struct fluxlog_spare *filling;
	unsigned int nr_filling;
};

/**
 * struct fluxlog_recorder - one log and everything that goes into it
 * @list: in the list of all recorders
 * @targets: targets attached to it, one a table; the last to leave ends it
 * @md: the mapped device that they belong to
 * @data_dev: device number of the recorded device
 * @log_bdev: open for as long as a target is attached
 * @data_name: the recorded device, for people
 * @log_name: the log device, for people
 * @data_sectors: size of the recorded device
 * @log_blocks: room for the log, super included, in log blocks
 * @block_size: log block in bytes
 * @block_shift: its logarithm
 * @uuid: of the log
 * @dev: number in the group, given out when recording begins
 * @state: enum fluxlog_state; read without a lock, left RECORDING under @fail_lock
 * @stop_on_fail: on_log_fail of the table that was resumed last
 * @fail_lock: guards the end of recording
 * @gap_tick: when recording ended
 * @gap_errno: why, negative
 * @mem_limit: bound for @mem_used, in bytes
 * @mem_used: bytes held by captures
 * @mem_highest: highest @mem_used so far
 * @mem_gate: held by the one writer-to-be that waits for memory; others queue here
 * @mem_wait: where it waits
 * @pool: pages for payloads
 * @space_used: log blocks taken or reserved; one is reserved for the last record
 * @queue: ended captures on their way to the writer, newest first
 * @writer_wait: where the writer waits
 * @urgent: somebody waits for the writer: gather nothing
 * @nr_records: records on the log
 * @nr_flushes: flush records among them
 * @blocks_written: log blocks given out to units, super included
 * @writer: the thread that writes the log
 */
struct fluxlog_recorder {
	struct list_head list;
	struct list_head targets;
	struct mapped_device *md;
	dev_t data_dev;
	struct block_device *log_bdev;
	char data_name[32];
	char log_name[32];
	sector_t data_sectors;
	u64 log_blocks;
	unsigned int block_size;
	unsigned int block_shift;
	__u8 uuid[16];
	u16 dev;

	enum fluxlog_state state;
	bool stop_on_fail;
	spinlock_t fail_lock;		/* see @gap_tick */
	u64 gap_tick;
	int gap_errno;

	unsigned long mem_limit;
	atomic_long_t mem_used ____cacheline_aligned_in_smp;
	atomic_long_t mem_highest;
	struct mutex mem_gate;		/* see above: a queue, it guards no data */
	wait_queue_head_t mem_wait;
	struct fluxlog_pool pool;

	atomic64_t space_used ____cacheline_aligned_in_smp;

	struct llist_head queue ____cacheline_aligned_in_smp;
	wait_queue_head_t writer_wait;
	bool urgent;

	atomic64_t nr_records;
	atomic64_t nr_flushes;
	atomic64_t blocks_written;
	struct fluxlog_writer *writer;
};

/**
 * struct fluxlog_unit_buf - a unit being filled or in flight
 * @rec: whose
 * @head: room for unit head, records and inline data
 * @bio_set: reserve of bios
 * @caps: its captures, in order
 * @last: the last of them
 * @head_bytes: of @head, so far
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
struct fluxlog_unit_buf {
	struct fluxlog_recorder *rec;
	void *head;
	struct bio_set bio_set;
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

/* What becomes of a bio. */
enum fluxlog_fate {
	FLUXLOG_PASS,		/* it is passed down */
	FLUXLOG_FAIL,		/* it is not, and fails with EIO */
	FLUXLOG_SWALLOW,	/* it is not, and succeeds */
};

/**
 * struct fluxlog_late - a bio whose end may be kept back
 * @node: in a list of its &struct fluxlog_inject
 * @bio: the bio
 * @how: whether it is to be kept back when it ends
 * @delay: for how long, in jiffies
 * @due: until when, in jiffies
 */
struct fluxlog_late {
	struct list_head node;
	struct bio *bio;
	enum { FLUXLOG_IN_TIME, FLUXLOG_DELAYED, FLUXLOG_HELD } how;
	unsigned long delay;
	unsigned long due;
};

/**
 * struct fluxlog_nth - a rule for each so-manieth of something
 * @every: hits each one of so many; 0: none
 * @first: among those from this number on, counted from 1
 * @last: up to this
 * @seen: how many there were since the rule was set
 */
struct fluxlog_nth {
	u64 every;
	u64 first;
	u64 last;
	u64 seen;
};

/**
 * struct fluxlog_inject - what is made to happen on purpose
 * @active: whether there is any rule; read without a lock
 * @lock: guards all else
 * @delay_ms: flush_delay_ms: how long ends of flushes are kept back
 * @jitter_ms: flush_jitter_ms: at random up to this longer
 * @seed: seed: where the random numbers begin
 * @random: they
 * @hold: flush_hold: so many of the next flushes are held until released
 * @fail: flush_fail: flushes that fail
 * @swallow: flush_swallow: flushes that succeed without being passed down
 * @fail_start: write_fail: first sector where writes fail
 * @fail_len: how many; 0: none
 * @held: ended bios that wait to be released
 * @delayed: ended bios that wait for their time
 * @work: ends those that are due
 * @letting_go: the device is being suspended: nothing is kept back
 * @nr_held: bios in @held
 * @nr_delayed: flushes delayed so far
 * @nr_failed: flushes failed so far
 * @nr_swallowed: flushes swallowed so far
 * @nr_failed_writes: writes failed so far
 */
struct fluxlog_inject {
	bool active;
	spinlock_t lock;		/* see above: all else */
	unsigned int delay_ms;
	unsigned int jitter_ms;
	u64 seed;
	struct rnd_state random;
	unsigned int hold;
	struct fluxlog_nth fail;
	struct fluxlog_nth swallow;
	u64 fail_start;
	u64 fail_len;
	struct list_head held;
	struct list_head delayed;
	struct delayed_work work;
	bool letting_go;
	unsigned int nr_held;
	u64 nr_delayed;
	u64 nr_failed;
	u64 nr_swallowed;
	u64 nr_failed_writes;
};

/**
 * struct fluxlog_target - one line of a table
 * @ti: the line
 * @data: first argument: the device that is recorded
 * @log: second argument: where the log goes
 * @opts: optional arguments
 * @inject: optional arguments that make something happen
 * @rec: the recorder, shared with other tables of the same mapped device
 * @list: in @rec's targets
 */
struct fluxlog_target {
	struct dm_target *ti;
	struct dm_dev *data;
	struct dm_dev *log;
	struct fluxlog_options opts;
	struct fluxlog_inject inject;
	struct fluxlog_recorder *rec;
	struct list_head list;
};

/* True once writes can no longer be recorded. Any context. */
static inline bool fluxlog_failed(const struct fluxlog_recorder *rec)
{
	return READ_ONCE(rec->state) != FLUXLOG_RECORDING;
}

/* --- recorder.c --------------------------------------------------------- */

/* The next tick, larger than any before it on this machine. Any context. */
u64 fluxlog_tick(void);

/*
 * Attach @ft, whose devices are open, to the recorder of its log device; make
 * one if there is none. 0, or -errno with a sentence in @error. May sleep.
 */
int fluxlog_recorder_attach(struct fluxlog_target *ft, char **error);

/*
 * Detach @ft; no bio of its may be under way. The last one ends the log: this
 * waits until all is on the log device. May sleep.
 */
void fluxlog_recorder_detach(struct fluxlog_target *ft);

/*
 * Apply @ft's options; at the first call write the super and begin to record.
 * Runs before the first bio of a table. 0 or -errno. May sleep, allocates
 * without I/O.
 */
int fluxlog_recorder_start(struct fluxlog_target *ft);

/*
 * Recording ends here, for reason @state, unless it has ended before. Nothing
 * that gets its issue tick after this need be recorded. Process context.
 */
void fluxlog_recorder_fail(struct fluxlog_recorder *rec, enum fluxlog_state state);

/* "recording" and so on, as the status line has it. */
const char *fluxlog_state_name(enum fluxlog_state state);

/* The module's own beginning: pick the epoch. */
void fluxlog_recorder_init(void);

/* --- capture.c ---------------------------------------------------------- */

/*
 * Copy @bio and reserve memory and log space for it; waits for memory. Returns
 * a capture whose issue tick has been taken, or an ERR_PTR if @rec cannot
 * record it any more. Process context; allocates without I/O.
 */
struct fluxlog_capture *fluxlog_capture_bio(struct fluxlog_recorder *rec,
					    struct bio *bio);

/*
 * The bio of @cap has ended: take the done tick, hand over to the writer. Must
 * run before the layer above learns of it. Any context.
 */
void fluxlog_capture_done(struct fluxlog_recorder *rec,
			  struct fluxlog_capture *cap, blk_status_t status);

/*
 * Queue a mark or a promise with @len bytes of inline data, which are copied.
 * 0 or -errno. May sleep.
 */
int fluxlog_capture_note(struct fluxlog_recorder *rec, enum fluxlog_kind kind,
			 const void *inl, unsigned int len);

/* Free @cap, its pages to the pool; reservations stay with the caller. For the
 * writer only.
 */
void fluxlog_capture_free(struct fluxlog_recorder *rec,
			  struct fluxlog_capture *cap);

/* Give back memory that was reserved. Process context. */
void fluxlog_mem_release(struct fluxlog_recorder *rec, unsigned long bytes);

/* Give back log space that was reserved. Any context. */
void fluxlog_space_release(struct fluxlog_recorder *rec, u64 blocks);

int fluxlog_capture_init(void);
void fluxlog_capture_exit(void);

/* --- inject.c ----------------------------------------------------------- */

/* Without any rule. Nothing may be kept back when it is destroyed. May sleep. */
void fluxlog_inject_create(struct fluxlog_inject *inj);
void fluxlog_inject_destroy(struct fluxlog_inject *inj);

/*
 * Set the rule @name. 0; -ENOENT if there is no such rule; -EINVAL or -ERANGE, with a
 * sentence in @error, if it does not take @value. Any context.
 */
int fluxlog_inject_set(struct fluxlog_inject *inj, const char *name,
		       const char *value, char **error);

/*
 * The rules in the words of a table line, each with a blank before it, into @buf of
 * FLUXLOG_RULES_MAX bytes. How many words. Any context.
 */
unsigned int fluxlog_inject_emit(struct fluxlog_inject *inj, char *buf, size_t size);

/*
 * What shall become of @bio, which is on its way down; @late, kept with it, remembers
 * whether its end shall be kept back. Any context.
 */
enum fluxlog_fate fluxlog_inject_pick(struct fluxlog_inject *inj, struct bio *bio,
				      struct fluxlog_late *late);

/*
 * The bio of @late has ended. True if the end is kept back: bio_endio() will be
 * called for it again, and then this is false. Any context.
 */
bool fluxlog_inject_keep_back(struct fluxlog_inject *inj, struct fluxlog_late *late);

/* End what is held; hold nothing more. Process context. */
void fluxlog_inject_release(struct fluxlog_inject *inj);

/* No rule any more; what is delayed stays so. Process context. */
void fluxlog_inject_off(struct fluxlog_inject *inj);

/* End all that is kept back, and while @on keep nothing back. Process context. */
void fluxlog_inject_let_go(struct fluxlog_inject *inj, bool on);

int fluxlog_inject_init(void);
void fluxlog_inject_exit(void);

/* --- pool.c ------------------------------------------------------------- */

int fluxlog_pool_init(struct fluxlog_pool *pool);
void fluxlog_pool_exit(struct fluxlog_pool *pool);	/* also of one never made */

/* A page with anything in it, or NULL. Process context; allocates without I/O. */
struct page *fluxlog_pool_get(struct fluxlog_pool *pool);

/* Put a page in; free all that nobody uses. For the writer only. */
void fluxlog_pool_put(struct fluxlog_pool *pool, struct page *page);
void fluxlog_pool_trim(struct fluxlog_pool *pool);

/* --- checksum.c --------------------------------------------------------- */

/*
 * The checksum of what has the checksum @crc, with a payload of @bytes bytes (a
 * multiple of 512) behind it that alone has @payload_crc. Any context.
 */
u32 fluxlog_checksum_append(u32 crc, u32 payload_crc, unsigned int bytes);

void fluxlog_checksum_init(void);

/* --- record.c ----------------------------------------------------------- */

/* Fill @r with what @bio says of itself; no ticks yet. Any context. */
void fluxlog_record_bio(struct fluxlog_record *r, const struct bio *bio);

/* Set one end of a record, tick and time, to now. Any context. */
void fluxlog_record_issue(struct fluxlog_record *r);
void fluxlog_record_done(struct fluxlog_record *r);

/* Both ends are the instant @tick. Any context. */
void fluxlog_record_instant(struct fluxlog_record *r, u64 tick);

/*
 * The words of a `mark` message, joined by one space, into @text, which has
 * room for FLUXLOG_INLINE_MAX bytes. Their length, or -EINVAL after a line in
 * the kernel log.
 */
int fluxlog_mark_parse(char *text, unsigned int argc, char **argv);

/*
 * The key=value words of a `promise` message into @out, which has room for
 * FLUXLOG_INLINE_MAX bytes. Length of the inline data, or -EINVAL after a line
 * in the kernel log that names the key.
 */
int fluxlog_promise_parse(struct fluxlog_promise *out,
			  const struct fluxlog_recorder *rec,
			  unsigned int argc, char **argv);

/* --- unit.c ------------------------------------------------------------- */

int fluxlog_unit_init(struct fluxlog_unit_buf *u, struct fluxlog_recorder *rec);
void fluxlog_unit_exit(struct fluxlog_unit_buf *u);	/* also of one half made */

/* Begin to fill @u. */
void fluxlog_unit_open(struct fluxlog_unit_buf *u);
bool fluxlog_unit_has_room(const struct fluxlog_unit_buf *u,
			   const struct fluxlog_capture *cap);
void fluxlog_unit_append(struct fluxlog_unit_buf *u, struct fluxlog_capture *cap);

/* Its length as it is now, in log blocks. */
unsigned int fluxlog_unit_blocks(const struct fluxlog_unit_buf *u);

/* Send @u to @pos as number @seq; its end wakes the writer. Does not fail. */
void fluxlog_unit_submit(struct fluxlog_unit_buf *u, u64 pos, u64 seq);

/* --- writer.c ----------------------------------------------------------- */

/* Start and stop the thread. Stopping writes all that is queued and the last
 * record; nothing may be queued from then on. May sleep.
 */
int fluxlog_writer_start(struct fluxlog_recorder *rec);
void fluxlog_writer_stop(struct fluxlog_recorder *rec);

/* Hand @cap to the writer. Any context. */
void fluxlog_queue(struct fluxlog_recorder *rec, struct fluxlog_capture *cap);

/* Let the writer look again, at once. Any context. */
void fluxlog_writer_kick(struct fluxlog_recorder *rec);

/*
 * Wait until all that was queued before is on the log device and that is
 * flushed. 0, or -EIO if recording has ended. May sleep.
 */
int fluxlog_writer_sync(struct fluxlog_recorder *rec);

#endif

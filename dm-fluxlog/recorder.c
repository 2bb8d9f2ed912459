// SPDX-License-Identifier: GPL-2.0
/*
 * recorder: one log, from its super to its last record.
 *
 * Takes   targets that come and go with the tables of a mapped device.
 * Gives   one recorder for each log device, the ticks that all of them share,
 *	   and the one place where recording ends early.
 * Relies  on device-mapper: a target's constructor and destructor run while no
 *	   bio of its is under way, and preresume runs before the first.
 *
 * A recorder belongs to a log device and lives as long as a table names it. A
 * reload therefore goes on with the same log: the new table's target attaches
 * before the old one's detaches. The log device is not written to before a
 * table is resumed, so a table that was only loaded destroys nothing.
 */
#include <linux/blkdev.h>
#include <linux/crc32c.h>
#include <linux/slab.h>
#include <linux/uuid.h>

#include "fluxlog.h"

static atomic64_t last_tick ____cacheline_aligned_in_smp;
static __u8 epoch[16];

/* Guards the list of recorders, their lists of targets, and next_dev. */
static DEFINE_MUTEX(recorders_lock);
static LIST_HEAD(recorders);
static unsigned int next_dev;

u64 fluxlog_tick(void)
{
	return atomic64_inc_return(&last_tick);
}

void fluxlog_recorder_init(void)
{
	generate_random_uuid(epoch);
}

const char *fluxlog_state_name(enum fluxlog_state state)
{
	static const char * const names[] = {
		[FLUXLOG_NEW] = "new",
		[FLUXLOG_RECORDING] = "recording",
		[FLUXLOG_OVERFLOW] = "overflow",
		[FLUXLOG_LOG_ERROR] = "log_error",
		[FLUXLOG_NO_MEMORY] = "no_memory",
	};

	return names[state];
}

/* --- the end ------------------------------------------------------------ */

static int state_errno(enum fluxlog_state state)
{
	switch (state) {
	case FLUXLOG_OVERFLOW:
		return -ENOSPC;
	case FLUXLOG_NO_MEMORY:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

void fluxlog_recorder_fail(struct fluxlog_recorder *rec, enum fluxlog_state state)
{
	bool first;

	spin_lock(&rec->fail_lock);
	first = rec->state == FLUXLOG_RECORDING;
	if (first) {
		rec->gap_errno = state_errno(state);
		rec->gap_tick = fluxlog_tick();
		/* pairs with gap_is_due(); what sees the state is issued later */
		smp_store_release(&rec->state, state);
	}
	spin_unlock(&rec->fail_lock);
	if (!first)
		return;
	fluxlog_writer_kick(rec);
	DMERR("%s: log %s: %s: recording has ended, writes %s", rec->data_name,
	      rec->log_name, fluxlog_state_name(state),
	      READ_ONCE(rec->stop_on_fail) ? "go on without it" : "fail from now on");
}

/* --- attach and detach -------------------------------------------------- */

static struct fluxlog_recorder *recorder_find(dev_t log_dev)
{
	struct fluxlog_recorder *rec;

	list_for_each_entry(rec, &recorders, list)
		if (rec->log_bdev->bd_dev == log_dev)
			return rec;
	return NULL;
}

static void recorder_free(struct fluxlog_recorder *rec)
{
	fluxlog_pool_exit(&rec->pool);
	kfree(rec);
}

static struct fluxlog_recorder *recorder_create(struct fluxlog_target *ft)
{
	struct block_device *log = ft->log->bdev;
	struct fluxlog_recorder *rec = kzalloc(sizeof(*rec), GFP_KERNEL);
	int r;

	if (!rec)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&rec->targets);
	rec->md = dm_table_get_md(ft->ti->table);
	rec->data_dev = ft->data->bdev->bd_dev;
	rec->log_bdev = log;
	strscpy(rec->data_name, ft->data->name, sizeof(rec->data_name));
	strscpy(rec->log_name, ft->log->name, sizeof(rec->log_name));
	rec->data_sectors = ft->ti->len;
	rec->block_size = bdev_logical_block_size(log);
	rec->block_shift = ilog2(rec->block_size);
	rec->log_blocks = (u64)bdev_nr_bytes(log) >> rec->block_shift;
	rec->state = FLUXLOG_NEW;
	spin_lock_init(&rec->fail_lock);
	rec->mem_limit = (unsigned long)ft->opts.mem_limit_kb << 10;
	mutex_init(&rec->mem_gate);
	init_waitqueue_head(&rec->mem_wait);
	init_llist_head(&rec->queue);
	init_waitqueue_head(&rec->writer_wait);
	atomic64_set(&rec->blocks_written, FLUXLOG_SUPER_BYTES >> rec->block_shift);
	/* one block is kept for the last record, whichever it will be */
	atomic64_set(&rec->space_used, atomic64_read(&rec->blocks_written) + 1);
	r = fluxlog_pool_init(&rec->pool);
	if (!r)
		r = fluxlog_writer_start(rec);
	if (r) {
		recorder_free(rec);
		return ERR_PTR(r);
	}
	list_add_tail(&rec->list, &recorders);
	return rec;
}

/* May @ft go on with the log that @rec has? NULL, or a sentence that says no. */
static char *recorder_objection(const struct fluxlog_recorder *rec,
				const struct fluxlog_target *ft)
{
	const struct fluxlog_target *other;

	if (rec->md != dm_table_get_md(ft->ti->table))
		return "Log device is in use by another fluxlog device";
	list_for_each_entry(other, &rec->targets, list)
		if (other->ti->table == ft->ti->table)
			return "Log device is used twice in one table";
	if (rec->data_dev != ft->data->bdev->bd_dev)
		return "A reload must not change the data device of a log";
	if (rec->data_sectors != ft->ti->len)
		return "A reload must not change the length of a target";
	return NULL;
}

int fluxlog_recorder_attach(struct fluxlog_target *ft, char **error)
{
	struct fluxlog_recorder *rec;
	char *objection;
	int r = 0;

	mutex_lock(&recorders_lock);
	rec = recorder_find(ft->log->bdev->bd_dev);
	if (rec) {
		objection = recorder_objection(rec, ft);
		if (objection) {
			*error = objection;
			r = -EBUSY;
		}
	} else {
		rec = recorder_create(ft);
		if (IS_ERR(rec)) {
			*error = "Cannot start a recorder";
			r = PTR_ERR(rec);
		}
	}
	if (!r) {
		list_add_tail(&ft->list, &rec->targets);
		ft->rec = rec;
	}
	mutex_unlock(&recorders_lock);
	return r;
}

/*
 * The lock is held until the log has ended, so that nobody takes the log device
 * while its last record is being written.
 */
void fluxlog_recorder_detach(struct fluxlog_target *ft)
{
	struct fluxlog_recorder *rec = ft->rec;

	mutex_lock(&recorders_lock);
	list_del(&ft->list);
	if (list_empty(&rec->targets)) {
		fluxlog_writer_stop(rec);
		list_del(&rec->list);
		recorder_free(rec);
	}
	mutex_unlock(&recorders_lock);
	ft->rec = NULL;
}

/* --- the beginning ------------------------------------------------------ */

static void super_fill(struct fluxlog_super *s, const struct fluxlog_recorder *rec,
		       struct fluxlog_target *ft)
{
	char rules[FLUXLOG_RULES_MAX];
	size_t n;
	u64 log_sectors = rec->log_blocks << (rec->block_shift - SECTOR_SHIFT);

	s->magic = cpu_to_le64(FLUXLOG_SUPER_MAGIC);
	s->version = cpu_to_le32(FLUXLOG_VERSION);
	s->block_size = cpu_to_le32(rec->block_size);
	memcpy(s->uuid, rec->uuid, sizeof(s->uuid));
	memcpy(s->epoch, epoch, sizeof(s->epoch));
	s->dev = cpu_to_le32(rec->dev);
	s->data_block_size =
		cpu_to_le32(bdev_logical_block_size(ft->data->bdev));
	s->data_sectors = cpu_to_le64(rec->data_sectors);
	s->log_sectors = cpu_to_le64(log_sectors);
	s->created_real_ns = cpu_to_le64(ktime_get_real_ns());
	s->created_mono_ns = cpu_to_le64(ktime_get_ns());
	s->start_tick = cpu_to_le64(fluxlog_tick());
	fluxlog_inject_emit(&ft->inject, rules, sizeof(rules));
	strscpy(s->data_name, rec->data_name, sizeof(s->data_name));
	n = scnprintf(s->args, sizeof(s->args), "mem_limit_kb %u on_log_fail %s",
		      ft->opts.mem_limit_kb, ft->opts.stop_on_fail ? "stop" : "error");
	/* of very long ones, what there is room for */
	strscpy(s->args + n, rules, sizeof(s->args) - n);
	s->crc32c = cpu_to_le32(crc32c(~0, s, sizeof(*s)));
}

static int super_write(struct fluxlog_recorder *rec, struct fluxlog_target *ft)
{
	struct page *page = alloc_page(GFP_NOIO | __GFP_ZERO);
	struct bio_vec bv;
	struct bio bio;
	int r;

	if (!page)
		return -ENOMEM;
	super_fill(page_address(page), rec, ft);
	bio_init(&bio, rec->log_bdev, &bv, 1,
		 REQ_OP_WRITE | REQ_SYNC | REQ_PREFLUSH | REQ_FUA);
	__bio_add_page(&bio, page, FLUXLOG_SUPER_BYTES, 0);
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	__free_page(page);
	return r;
}

static int recorder_begin(struct fluxlog_recorder *rec, struct fluxlog_target *ft)
{
	int r;

	if (next_dev > U16_MAX) {
		DMERR("%s: more than %u logs since the module was loaded",
		      rec->data_name, U16_MAX + 1);
		return -ENOSPC;
	}
	rec->dev = next_dev;
	generate_random_uuid(rec->uuid);
	r = super_write(rec, ft);
	if (r) {
		DMERR("%s: log %s: cannot write the super: error %d",
		      rec->data_name, rec->log_name, r);
		return r;
	}
	next_dev++;
	WRITE_ONCE(rec->state, FLUXLOG_RECORDING);
	return 0;
}

int fluxlog_recorder_start(struct fluxlog_target *ft)
{
	struct fluxlog_recorder *rec = ft->rec;
	int r = 0;

	mutex_lock(&recorders_lock);
	if (rec->state == FLUXLOG_NEW)
		r = recorder_begin(rec, ft);
	if (!r) {
		WRITE_ONCE(rec->mem_limit,
			   (unsigned long)ft->opts.mem_limit_kb << 10);
		WRITE_ONCE(rec->stop_on_fail, ft->opts.stop_on_fail);
		/* more memory may be what a writer waits for */
		wake_up(&rec->mem_wait);
	}
	mutex_unlock(&recorders_lock);
	return r;
}

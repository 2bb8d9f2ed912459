// SPDX-License-Identifier: GPL-2.0
/*
 * target: fluxlog as device-mapper sees it.
 *
 *   fluxlog <data dev> <log dev> [<#args> [mem_limit_kb N] [on_log_fail error|stop]
 *	     [<rule of inject.c> <value>]...]
 *
 * Takes   table lines, bios, messages.
 * Gives   each bio to the device below, as it came, and a capture of each that
 *	   changes the medium to the recorder.
 * Relies  on device-mapper to split off a preflush and to call end_io before the
 *	   layer above learns that a bio has ended.
 *
 * dm-fluxlog.rst is the guide for those who use it.
 */
#include <linux/blkdev.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "fluxlog.h"

/* What each bio carries through device-mapper. */
struct fluxlog_bio {
	struct fluxlog_capture *cap;
	struct fluxlog_late late;
};

/* --- constructor and destructor ----------------------------------------- */

/* One teardown for whole and half-built targets. */
static void target_free(struct fluxlog_target *ft)
{
	if (ft->rec)
		fluxlog_recorder_detach(ft);
	if (ft->log)
		dm_put_device(ft->ti, ft->log);
	if (ft->data)
		dm_put_device(ft->ti, ft->data);
	fluxlog_inject_destroy(&ft->inject);
	kfree(ft);
}

static int option_parse(struct fluxlog_target *ft, const char *name,
			const char *value, char **error)
{
	struct fluxlog_options *opts = &ft->opts;
	int r;

	if (!strcmp(name, "mem_limit_kb")) {
		if (!kstrtouint(value, 10, &opts->mem_limit_kb) &&
		    opts->mem_limit_kb >= FLUXLOG_MEM_KB_MIN &&
		    opts->mem_limit_kb <= FLUXLOG_MEM_KB_MAX)
			return 0;
		*error = "mem_limit_kb must be from 1152 to 2097151";
	} else if (!strcmp(name, "on_log_fail")) {
		opts->stop_on_fail = !strcmp(value, "stop");
		if (opts->stop_on_fail || !strcmp(value, "error"))
			return 0;
		*error = "on_log_fail must be error or stop";
	} else {
		r = fluxlog_inject_set(&ft->inject, name, value, error);
		if (r == -ENOENT)
			*error = "Optional arguments are mem_limit_kb, on_log_fail and rules";
		return r == -ENOENT ? -EINVAL : r;
	}
	return -EINVAL;
}

static int options_parse(struct fluxlog_target *ft, struct dm_arg_set *as,
			 char **error)
{
	static const struct dm_arg nr_arg = {
		0, 18, "Number of optional arguments must be even, up to 18",
	};
	const char *name;
	unsigned int nr;
	int r;

	ft->opts = (struct fluxlog_options) { .mem_limit_kb = FLUXLOG_MEM_KB_DEFAULT };
	if (!as->argc)
		return 0;
	r = dm_read_arg_group(&nr_arg, as, &nr, error);
	if (r)
		return r;
	if (nr % 2 || nr != as->argc) {
		*error = "Number of optional arguments is not what it says";
		return -EINVAL;
	}
	for (; nr; nr -= 2) {
		name = dm_shift_arg(as);
		r = option_parse(ft, name, dm_shift_arg(as), error);
		if (r)
			return r;
	}
	return 0;
}

static int device_get(struct fluxlog_target *ft, const char *path,
		      struct dm_dev **dev, char *error)
{
	int r = dm_get_device(ft->ti, path, dm_table_get_mode(ft->ti->table), dev);

	if (r) {
		*dev = NULL;
		ft->ti->error = error;
	}
	return r;
}

/* A sentence that says why these devices will not do, or NULL. */
static char *devices_objection(const struct fluxlog_target *ft)
{
	struct block_device *data = ft->data->bdev, *log = ft->log->bdev;
	unsigned int block_size = bdev_logical_block_size(log);

	if (data == log)
		return "Data device and log device are the same";
	if (bdev_is_zoned(data) || bdev_is_zoned(log))
		return "Zoned devices are not supported";
	if (block_size != 512 && block_size != 4096)
		return "Log device must have logical blocks of 512 or 4096 bytes";
	if (bdev_nr_bytes(log) < FLUXLOG_LOG_MIN_BYTES)
		return "Log device is too small, 2 MiB is the least";
	return NULL;
}

static int target_build(struct fluxlog_target *ft, unsigned int argc, char **argv)
{
	struct dm_arg_set as = { .argc = argc, .argv = argv };
	char **error = &ft->ti->error;
	int r;

	if (argc < 2) {
		*error = "Wrong arguments, wanted <data device> <log device> [<#args> <arg>...]";
		return -EINVAL;
	}
	r = device_get(ft, dm_shift_arg(&as), &ft->data, "Cannot open the data device");
	if (r)
		return r;
	r = device_get(ft, dm_shift_arg(&as), &ft->log, "Cannot open the log device");
	if (r)
		return r;
	r = options_parse(ft, &as, error);
	if (r)
		return r;
	*error = devices_objection(ft);
	if (*error)
		return -EINVAL;
	return fluxlog_recorder_attach(ft, error);
}

static int fluxlog_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	struct fluxlog_target *ft = kzalloc(sizeof(*ft), GFP_KERNEL);
	int r;

	if (!ft) {
		ti->error = "Cannot allocate a target";
		return -ENOMEM;
	}
	ft->ti = ti;
	fluxlog_inject_create(&ft->inject);
	r = target_build(ft, argc, argv);
	if (r) {
		target_free(ft);
		return r;
	}
	ti->num_flush_bios = 1;
	ti->flush_supported = true;
	ti->num_discard_bios = 1;
	ti->num_write_zeroes_bios = 1;
	ti->per_io_data_size = sizeof(struct fluxlog_bio);
	ti->private = ft;
	return 0;
}

static void fluxlog_dtr(struct dm_target *ti)
{
	target_free(ti->private);
}

/* --- bios --------------------------------------------------------------- */

/* Whether @bio changes what is on the medium, or is a flush. */
static bool is_event(const struct bio *bio)
{
	return op_is_write(bio_op(bio));
}

/*
 * Longer writes are taken in parts. That there is none that cannot be is
 * device-mapper's affair: it splits off a preflush, and it announces no atomic
 * writes for a target that does not ask for them.
 */
static bool accept_part(struct bio *bio)
{
	if (bio_op(bio) != REQ_OP_WRITE || bio->bi_iter.bi_size <= FLUXLOG_MAX_BIO)
		return true;
	if (bio->bi_opf & (REQ_PREFLUSH | REQ_ATOMIC))
		return false;
	dm_accept_partial_bio(bio, FLUXLOG_MAX_BIO >> SECTOR_SHIFT);
	return true;
}

/* What is not passed down ends here, through end_io as ever. */
static int inject(struct fluxlog_target *ft, struct bio *bio, struct fluxlog_bio *fb)
{
	enum fluxlog_fate fate = fluxlog_inject_pick(&ft->inject, bio, &fb->late);

	if (fate == FLUXLOG_PASS)
		return DM_MAPIO_REMAPPED;
	fb->cap->record.flags |= cpu_to_le16(FLUXLOG_F_INJECTED);
	bio->bi_status = fate == FLUXLOG_FAIL ? BLK_STS_IOERR : BLK_STS_OK;
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static int map_event(struct fluxlog_target *ft, struct bio *bio,
		     struct fluxlog_bio *fb)
{
	struct fluxlog_recorder *rec = ft->rec;
	struct fluxlog_capture *cap;

	if (likely(!fluxlog_failed(rec))) {
		if (!accept_part(bio)) {
			DMERR_LIMIT("%s: a write of %u bytes must not be split",
				    rec->data_name, bio->bi_iter.bi_size);
			return DM_MAPIO_KILL;
		}
		cap = fluxlog_capture_bio(rec, bio);
		if (!IS_ERR(cap)) {
			fb->cap = cap;
			if (likely(!READ_ONCE(ft->inject.active)))
				return DM_MAPIO_REMAPPED;
			return inject(ft, bio, fb);
		}
	}
	return READ_ONCE(rec->stop_on_fail) ? DM_MAPIO_REMAPPED : DM_MAPIO_KILL;
}

static int fluxlog_map(struct dm_target *ti, struct bio *bio)
{
	struct fluxlog_bio *fb = dm_per_bio_data(bio, sizeof(*fb));
	struct fluxlog_target *ft = ti->private;

	fb->cap = NULL;
	fb->late.how = FLUXLOG_IN_TIME;
	bio_set_dev(bio, ft->data->bdev);
	if (bio_sectors(bio))
		bio->bi_iter.bi_sector = dm_target_offset(ti, bio->bi_iter.bi_sector);
	return is_event(bio) ? map_event(ft, bio, fb) : DM_MAPIO_REMAPPED;
}

static int fluxlog_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *error)
{
	struct fluxlog_bio *fb = dm_per_bio_data(bio, sizeof(*fb));
	struct fluxlog_target *ft = ti->private;

	if (!fb->cap)
		return DM_ENDIO_DONE;
	if (unlikely(fb->late.how != FLUXLOG_IN_TIME)) {
		/* set first: once it is kept back, another may end it at any time */
		fb->cap->record.flags |= cpu_to_le16(FLUXLOG_F_DELAYED);
		if (fluxlog_inject_keep_back(&ft->inject, &fb->late))
			return DM_ENDIO_INCOMPLETE;
		fb->cap->record.flags &= ~cpu_to_le16(FLUXLOG_F_DELAYED);
	}
	fluxlog_capture_done(ft->rec, fb->cap, *error);
	return DM_ENDIO_DONE;
}

/* --- suspend and resume ------------------------------------------------- */

static int fluxlog_preresume(struct dm_target *ti)
{
	struct fluxlog_target *ft = ti->private;

	fluxlog_inject_let_go(&ft->inject, false);
	return fluxlog_recorder_start(ft);
}

/* A suspend waits for every bio: none may be kept back from now on. */
static void fluxlog_presuspend(struct dm_target *ti)
{
	struct fluxlog_target *ft = ti->private;

	fluxlog_inject_let_go(&ft->inject, true);
}

static void fluxlog_presuspend_undo(struct dm_target *ti)
{
	struct fluxlog_target *ft = ti->private;

	fluxlog_inject_let_go(&ft->inject, false);
}

/* What was recorded until here is on the log device. */
static void fluxlog_postsuspend(struct dm_target *ti)
{
	struct fluxlog_target *ft = ti->private;

	fluxlog_writer_sync(ft->rec);
}

/* --- status and messages ------------------------------------------------ */

static void status_info(struct fluxlog_target *ft, char *result,
			unsigned int maxlen)
{
	const struct fluxlog_recorder *rec = ft->rec;
	const struct fluxlog_inject *inj = &ft->inject;
	unsigned int shift = rec->block_shift - SECTOR_SHIFT;
	size_t sz = 0;

	DMEMIT("%s %llu %llu %llu %llu %ld %ld %llu %u %llu %llu %llu",
	       fluxlog_state_name(READ_ONCE(rec->state)),
	       (u64)atomic64_read(&rec->nr_records),
	       (u64)atomic64_read(&rec->nr_flushes),
	       (u64)atomic64_read(&rec->blocks_written) << shift,
	       rec->log_blocks << shift,
	       atomic_long_read(&rec->mem_used),
	       atomic_long_read(&rec->mem_highest),
	       READ_ONCE(inj->nr_delayed), READ_ONCE(inj->nr_held),
	       READ_ONCE(inj->nr_failed), READ_ONCE(inj->nr_swallowed),
	       READ_ONCE(inj->nr_failed_writes));
}

static void fluxlog_status(struct dm_target *ti, status_type_t type,
			   unsigned int status_flags, char *result,
			   unsigned int maxlen)
{
	struct fluxlog_target *ft = ti->private;
	const char *mode = ft->opts.stop_on_fail ? "stop" : "error";
	char rules[FLUXLOG_RULES_MAX];
	unsigned int words = fluxlog_inject_emit(&ft->inject, rules, sizeof(rules));
	size_t sz = 0;

	switch (type) {
	case STATUSTYPE_INFO:
		status_info(ft, result, maxlen);
		break;
	case STATUSTYPE_TABLE:
		DMEMIT("%s %s %u mem_limit_kb %u on_log_fail %s%s", ft->data->name,
		       ft->log->name, 4 + words, ft->opts.mem_limit_kb, mode, rules);
		break;
	case STATUSTYPE_IMA:
		DMEMIT_TARGET_NAME_VERSION(ti->type);
		DMEMIT(",data_device=%s,log_device=%s,mem_limit_kb=%u,on_log_fail=%s;",
		       ft->data->name, ft->log->name, ft->opts.mem_limit_kb, mode);
		break;
	}
}

/* Rules are set one after the other; the first that is refused ends it. */
static int message_rules(struct fluxlog_target *ft, unsigned int argc, char **argv)
{
	char *error = "no such rule, or a name without a value";
	int r = argc && argc % 2 == 0 ? 0 : -EINVAL;

	for (; !r && argc; argc -= 2, argv += 2)
		r = fluxlog_inject_set(&ft->inject, argv[0], argv[1], &error);
	if (r)
		DMWARN("%s: message inject: %s", ft->data->name, error);
	return r == -ENOENT ? -EINVAL : r;
}

static int message_inject(struct fluxlog_target *ft, unsigned int argc, char **argv)
{
	if (argc == 1 && !strcmp(argv[0], "release"))
		fluxlog_inject_release(&ft->inject);
	else if (argc == 1 && !strcmp(argv[0], "off"))
		fluxlog_inject_off(&ft->inject);
	else
		return message_rules(ft, argc, argv);
	return 0;
}

/* Parse into a buffer of the largest inline size, then queue. */
static int message_note(struct fluxlog_recorder *rec, enum fluxlog_kind kind,
			unsigned int argc, char **argv)
{
	void *inl = kmalloc(FLUXLOG_INLINE_MAX, GFP_NOIO);
	int len;

	if (!inl)
		return -ENOMEM;
	if (kind == FLUXLOG_MARK)
		len = fluxlog_mark_parse(inl, argc, argv);
	else
		len = fluxlog_promise_parse(inl, rec, argc, argv);
	if (len > 0)
		len = fluxlog_capture_note(rec, kind, inl, len);
	kfree(inl);
	return len;
}

static int fluxlog_message(struct dm_target *ti, unsigned int argc, char **argv,
			   char *result, unsigned int maxlen)
{
	struct fluxlog_target *ft = ti->private;

	if (!strcmp(argv[0], "mark"))
		return message_note(ft->rec, FLUXLOG_MARK, argc - 1, argv + 1);
	if (!strcmp(argv[0], "promise"))
		return message_note(ft->rec, FLUXLOG_PROMISE, argc - 1, argv + 1);
	if (!strcmp(argv[0], "sync") && argc == 1)
		return fluxlog_writer_sync(ft->rec);
	if (!strcmp(argv[0], "inject"))
		return message_inject(ft, argc - 1, argv + 1);
	DMWARN("%s: message %s: unknown, or with arguments that it does not take",
	       ft->data->name, argv[0]);
	return -EINVAL;
}

/* --- the target --------------------------------------------------------- */

/* The log device must not shape the recorded one: only the data device counts. */
static int fluxlog_iterate_devices(struct dm_target *ti,
				   iterate_devices_callout_fn fn, void *data)
{
	struct fluxlog_target *ft = ti->private;

	return fn(ti, ft->data, 0, ti->len, data);
}

static struct target_type fluxlog_target = {
	.name = "fluxlog",
	.version = {0, 1, 0},
	.module = THIS_MODULE,
	.features = DM_TARGET_ALWAYS_WRITEABLE,
	.ctr = fluxlog_ctr,
	.dtr = fluxlog_dtr,
	.map = fluxlog_map,
	.end_io = fluxlog_end_io,
	.preresume = fluxlog_preresume,
	.presuspend = fluxlog_presuspend,
	.presuspend_undo = fluxlog_presuspend_undo,
	.postsuspend = fluxlog_postsuspend,
	.status = fluxlog_status,
	.message = fluxlog_message,
	.iterate_devices = fluxlog_iterate_devices,
};

static int __init fluxlog_init(void)
{
	int r;

	fluxlog_recorder_init();
	fluxlog_checksum_init();
	r = fluxlog_inject_init();
	if (r)
		return r;
	r = fluxlog_capture_init();
	if (r)
		goto no_capture;
	r = dm_register_target(&fluxlog_target);
	if (r)
		goto no_target;
	return 0;

no_target:
	fluxlog_capture_exit();
no_capture:
	fluxlog_inject_exit();
	return r;
}

static void __exit fluxlog_exit(void)
{
	dm_unregister_target(&fluxlog_target);
	fluxlog_capture_exit();
	fluxlog_inject_exit();
}

module_init(fluxlog_init);
module_exit(fluxlog_exit);

MODULE_DESCRIPTION(DM_NAME " target that records writes and flushes in order");
MODULE_AUTHOR("The dm-fluxlog authors");
MODULE_LICENSE("GPL");

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_detect: which filesystem a group holds, on which device, and from when on.
 *
 * A filesystem is born at the tick at which a complete superblock of it has become
 * durable: mkfs writes that last. Earlier images need not mount. When the superblock is
 * overwritten by something incomplete (mkfs runs again), it is not born any more.
 */
#ifndef FS_DETECT_H
#define FS_DETECT_H

#include "crash_image.h"

/**
 * struct fl_fs_type - a filesystem that verify knows
 * @name: as mount(2) wants it
 * @super_off, @super_len: where its superblock is, in bytes
 * @complete: whether these bytes are a finished superblock; *@external: whether it has
 *	its log or journal on another device
 * @journal: whether these bytes are that other device's superblock; NULL: it has none
 * @mount_opts: always given
 * @log_opt: option that names the external log or journal, "logdev"
 * @can_ask: FIEMAP speaks of the device's own sectors
 * @cloned: exists where the kernel mounts two filesystems with the same uuid at once;
 *	NULL: every kernel does
 * @fsck: check-only fsck, for sh; the device follows
 * @fsck_log: option of it before an external log or journal, or NULL
 */
struct fl_fs_type {
	const char *name;
	uint32_t super_off, super_len;
	bool (*complete)(const uint8_t *super, bool *external);
	bool (*journal)(const uint8_t *super);
	const char *mount_opts, *log_opt;
	bool can_ask;
	const char *cloned, *fsck, *fsck_log;
};

/* @data, @log: places in the group; log is -1 without an external log or journal. */
struct fl_fs_where {
	const struct fl_fs_type *type;
	unsigned int data;
	int log;
	uint64_t birth;
};

/* @base[i]: a file for what log i never wrote, or -1. -ENOENT with @err: none found,
 * or its external log is not in the group. */
int fl_fs_detect(struct fl_fs_where *w, const struct fl_group *g, const int *base,
		 struct fl_err *err);

/* The command that checks @data (with @log, or NULL) and changes nothing. */
void fl_fs_fsck(char *out, size_t n, const struct fl_fs_type *t, const char *data,
		const char *log);

#endif

// SPDX-License-Identifier: GPL-2.0
/* See fs_detect.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fs_detect.h"
#include "fs_numbers.h"

#define SUPER_MAX 4096

/* ---- superblocks ------------------------------------------------------------- */

/* struct xfs_dsb: sb_logstart at 48, sb_inprogress at 126, big-endian */
static bool xfs_complete(const uint8_t *s, bool *external)
{
	*external = fl_be64(s + 48) == 0;
	return !memcmp(s, "XFSB", 4) && s[126] == 0;
}

/* The log's first record, or a log that mkfs zeroed and stamped. */
static bool xfs_journal(const uint8_t *s)
{
	return fl_be32(s) == 0xfeedbabe;
}

/* struct ext4_super_block: s_magic at 56, s_feature_compat at 92 (0x4: a journal),
 * s_feature_incompat at 96 (0x8: a journal device), s_journal_inum at 224 */
static bool ext_magic(const uint8_t *s)
{
	return s[56] == 0x53 && s[57] == 0xef;
}

static bool ext4_complete(const uint8_t *s, bool *external)
{
	*external = (fl_le32(s + 92) & 0x4) && !fl_le32(s + 224);
	return ext_magic(s) && !(fl_le32(s + 96) & 0x8);
}

static bool ext4_journal(const uint8_t *s)
{
	return ext_magic(s) && (fl_le32(s + 96) & 0x8);
}

/* mkfs.btrfs writes '!' for '_' until it is done */
static bool btrfs_complete(const uint8_t *s, bool *external)
{
	*external = false;
	return !memcmp(s + 64, "_BHRfS_M", 8);
}

static const struct fl_fs_type types[] = {
	{ .name = "xfs", .super_off = 0, .super_len = 512, .complete = xfs_complete,
	  .journal = xfs_journal, .mount_opts = "nouuid", .log_opt = "logdev",
	  .can_ask = true, .fsck = "xfs_repair -n", .fsck_log = "-l" },
	{ .name = "ext4", .super_off = 1024, .super_len = 1024, .complete = ext4_complete,
	  .journal = ext4_journal, .mount_opts = "", .log_opt = "journal_path",
	  .can_ask = true, .fsck = "e2fsck -fn", .fsck_log = "-j" },
	{ .name = "btrfs", .super_off = 65536, .super_len = 512, .complete = btrfs_complete,
	  .mount_opts = "", .cloned = "/sys/fs/btrfs/features/temp_fsid",
	  .fsck = "btrfs check --readonly" },
};

#define NR_TYPES (sizeof(types) / sizeof(types[0]))

/* ---- birth ------------------------------------------------------------------- */

/* Whether the superblock as @v leaves it is complete. */
static bool version_complete(const struct fl_fs_type *t, const struct fl_dev *dev,
			     const struct fl_ver *v, bool *external)
{
	uint64_t at = t->super_off / FL_SECTOR, end = v->rec->sector + v->rec->nr;
	uint8_t super[SUPER_MAX] = { 0 };
	struct fl_err err;

	if (v->rec->kind != FLUXLOG_WRITE || end < at + t->super_len / FL_SECTOR ||
	    fl_log_pread(dev->log, super, t->super_len,
			 v->rec->payload_off + (at - v->rec->sector) * FL_SECTOR, &err))
		return false;
	return t->complete(super, external);
}

static uint64_t birth_of(const struct fl_fs_type *t, const struct fl_dev *dev, uint64_t birth,
			 bool *external)
{
	struct fl_list list[FL_INDEX_LISTS];
	uint64_t at = t->super_off / FL_SECTOR;
	uint32_t place[FL_INDEX_LISTS] = { 0 };
	unsigned int n = fl_index_lists(&dev->index, fl_index_seg(&dev->index, at), list), i;

	for (;;) {	/* merge the lists by issue */
		unsigned int next = n;
		const struct fl_ver *v;
		bool ext;

		for (i = 0; i < n; i++)
			if (place[i] < list[i].n &&
			    (next == n ||
			     list[i].id[place[i]] < list[next].id[place[next]]))
				next = i;
		if (next == n)
			return birth;
		v = &dev->ver[list[next].id[place[next]++]];
		if (!version_complete(t, dev, v, &ext))
			birth = FL_NEVER;
		else if (birth == FL_NEVER)
			birth = v->dur;
		if (birth != FL_NEVER)
			*external = ext;
	}
}

static bool base_complete(const struct fl_fs_type *t, const struct fl_group *g,
			  unsigned int dev, int base, bool *external)
{
	struct fl_variant durable = { .kind = FL_DURABLE_ONLY };
	uint8_t super[SUPER_MAX];
	struct fl_image img;
	struct fl_err err;

	if (base < 0 || fl_image_open(&img, g, dev, 0, &durable, &err) ||
	    fl_image_read(&img, base, super, t->super_off / FL_SECTOR,
			  t->super_len / FL_SECTOR, &err))
		return false;
	return t->complete(super, external);
}

/* Whether @dev's last contents are the external log or journal of @t. */
static bool holds_journal(const struct fl_fs_type *t, const struct fl_group *g,
			  unsigned int dev, int base)
{
	struct fl_variant all = { .kind = FL_ALL };
	uint8_t super[SUPER_MAX];
	struct fl_image img;
	struct fl_err err;

	return t->journal && !fl_image_open(&img, g, dev, FL_NEVER - 1, &all, &err) &&
	       !fl_image_read(&img, base, super, t->super_off / FL_SECTOR,
			      t->super_len / FL_SECTOR, &err) && t->journal(super);
}

static int find_log(struct fl_fs_where *w, const struct fl_group *g, const int *base,
		    struct fl_err *err)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		if (i == w->data || !holds_journal(w->type, g, i, base[i]))
			continue;
		w->log = (int)i;
		return 0;
	}
	return fl_fail(err, ENOENT, "%s: its %s has an external log that no log of the group recorded",
		       g->log[w->data]->path, w->type->name);
}

int fl_fs_detect(struct fl_fs_where *w, const struct fl_group *g, const int *base,
		 struct fl_err *err)
{
	unsigned int i;
	size_t t;

	for (i = 0; i < g->nr; i++) {
		for (t = 0; t < NR_TYPES; t++) {
			bool external = false;
			uint64_t birth = base_complete(&types[t], g, i, base[i], &external)
				? 0 : FL_NEVER;

			birth = birth_of(&types[t], &g->dev[i], birth, &external);
			if (birth == FL_NEVER)
				continue;
			*w = (struct fl_fs_where){ &types[t], i, -1, birth };
			return external ? find_log(w, g, base, err) : 0;
		}
	}
	return fl_fail(err, ENOENT, "%s: no XFS, ext4 or btrfs on it", g->log[0]->path);
}

void fl_fs_fsck(char *out, size_t n, const struct fl_fs_type *t, const char *data,
		const char *log)
{
	if (log)
		snprintf(out, n, "%s %s %s %s", t->fsck, t->fsck_log, log, data);
	else
		snprintf(out, n, "%s %s", t->fsck, data);
}

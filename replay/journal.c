// SPDX-License-Identifier: GPL-2.0
/* See journal.h. */
#include <stdbool.h>
#include <string.h>

#include "fs_numbers.h"
#include "journal.h"

#define XFS_LOG_MAGIC	0xfeedbabeu
#define XFS_SB_MAGIC	0x58465342u
#define JBD2_MAGIC	0xc03b3998u
#define EXT4_SB_MAGIC	0xef53u
#define EXT4_EXT_MAGIC	0xf30au
#define EXT4_SB_SECTOR	2	/* the superblock is at byte 1024 */

/* ---- superblocks ----------------------------------------------------------------- */

static void add_extent(struct fl_journal *j, uint64_t block, uint64_t blocks, uint32_t bs)
{
	j->ext[j->nr].start = block * (bs / FL_SECTOR);
	j->ext[j->nr++].nr = blocks * (bs / FL_SECTOR);
}

/* An XFS block number is an AG's number and, in the low bits, the block in it. */
static void read_xfs(struct fl_journal *j, const uint8_t *sb)
{
	uint32_t bs = fl_be32(sb + 4), ag_blocks = fl_be32(sb + 84), blocks = fl_be32(sb + 96);
	uint64_t at = fl_be64(sb + 48);
	uint8_t ag_log = sb[124];

	j->nr = 0;
	if (!at || bs < FL_SECTOR || ag_log >= 32)
		return;	/* an external journal, or nonsense */
	add_extent(j, (at >> ag_log) * ag_blocks + (at & ((1ull << ag_log) - 1)), blocks, bs);
}

/* s_jnl_blocks is a copy of i_block of the journal's inode. */
static void read_ext4(struct fl_journal *j, const uint8_t *sb)
{
	const uint8_t *tree = sb + 0x10c, *e = tree + 12;
	uint32_t log_bs = fl_le32(sb + 0x18), i;

	j->nr = 0;
	if (log_bs > 6 || !fl_le32(sb + 0xe0) || fl_le16(tree) != EXT4_EXT_MAGIC || fl_le16(tree + 6))
		return;	/* none, an external one, or an extent tree with blocks of its own */
	for (i = 0; i < fl_le16(tree + 2) && i < FL_JOURNAL_EXTENTS; i++, e += 12)
		add_extent(j, (uint64_t)fl_le16(e + 6) << 32 | fl_le32(e + 8), fl_le16(e + 4),
			   1024u << log_bs);
}

static bool covers(const struct fl_rec *r, uint64_t sector)
{
	return r->kind == FLUXLOG_WRITE && r->payload_off && r->sector <= sector &&
	       sector - r->sector < r->nr;
}

static int read_sector(uint8_t *buf, const struct fl_log *log, const struct fl_rec *r,
		       uint64_t sector, struct fl_err *err)
{
	return fl_log_pread(log, buf, FL_SECTOR,
			    r->payload_off + (sector - r->sector) * FL_SECTOR, err);
}

int fl_journal_find(struct fl_journal *j, const struct fl_dev *dev, struct fl_err *err)
{
	uint8_t sb[FL_SECTOR];
	uint32_t i;
	int ret = 0;

	*j = (struct fl_journal){ 0 };
	for (i = 0; i < dev->nr_ver && !ret; i++) {
		const struct fl_rec *r = dev->ver[i].rec;

		if (covers(r, 0)) {
			ret = read_sector(sb, dev->log, r, 0, err);
			if (!ret && fl_be32(sb) == XFS_SB_MAGIC)
				read_xfs(j, sb);
		}
		if (!ret && covers(r, EXT4_SB_SECTOR)) {
			ret = read_sector(sb, dev->log, r, EXT4_SB_SECTOR, err);
			if (!ret && fl_le16(sb + 0x38) == EXT4_SB_MAGIC)
				read_ext4(j, sb);
		}
	}
	return ret;
}

/* ---- writes ---------------------------------------------------------------------- */

static bool within(const struct fl_journal *j, const struct fl_rec *r)
{
	unsigned int i;

	for (i = 0; i < j->nr; i++)
		if (r->sector >= j->ext[i].start &&
		    r->sector - j->ext[i].start < j->ext[i].nr)
			return true;
	return false;
}

static bool is_zero(const uint8_t *buf, size_t len)
{
	return !buf[0] && !memcmp(buf, buf + 1, len - 1);
}

/* 1: some byte is not zero, 0: all are, -errno */
static int has_data(const struct fl_log *log, const struct fl_rec *r, struct fl_err *err)
{
	uint8_t buf[8 * FL_SECTOR];
	uint64_t at, len = r->nr * FL_SECTOR;
	int ret;

	for (at = 0; at < len; at += sizeof(buf)) {
		size_t n = len - at < sizeof(buf) ? (size_t)(len - at) : sizeof(buf);

		ret = fl_log_pread(log, buf, n, r->payload_off + at, err);
		if (ret)
			return ret;
		if (!is_zero(buf, n))
			return 1;
	}
	return 0;
}

int fl_journal_has(const struct fl_journal *j, const struct fl_log *log,
		   const struct fl_rec *r, struct fl_err *err)
{
	uint8_t magic[4];
	int ret;

	if (r->kind != FLUXLOG_WRITE || !r->payload_off || !r->nr)
		return 0;
	if (within(j, r))
		return has_data(log, r, err);
	ret = fl_log_pread(log, magic, sizeof(magic), r->payload_off, err);
	if (ret)
		return ret;
	return fl_be32(magic) == XFS_LOG_MAGIC || fl_be32(magic) == JBD2_MAGIC;
}

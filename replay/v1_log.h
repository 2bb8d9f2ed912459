/* SPDX-License-Identifier: GPL-2.0 */
/*
 * v1_log: logs of dm-log-writes ("v1"), read and written.
 *
 * The log, all little-endian, in blocks of super.block bytes:
 *
 *   block 0    struct v1_super, then anything
 *   block 1    struct v1_entry, the text of a mark, zeros
 *   then       its data, nr blocks (none for a discard), and the next entry
 *
 * super.nr entries count; what lies behind them may be a later part of the log whose
 * super was never written, or an older log: v1 cannot tell, so nobody looks at it.
 *
 * What a v1 log cannot tell
 *   status      a write or flush that failed is logged as if it had not
 *   overlap     an entry has a place and no interval. When flushes overlapped, a flush
 *		 may have covered writes that are logged behind it
 *   in flight   what was issued and not done at a flush is logged later, or never
 *   clock       there is none
 *   size        of the device: taken as the end of the last range
 *   promises    marks are all there is
 *
 * Imported, each entry gets an issue and a done tick of its own, one after the other,
 * so that the durable image of flush-N is what replaying up to that flush gives. This
 * is how v1 reads its own log; it is a reading and no evidence. super.args says
 * FL_V1_ARGS, and no command passes a verdict on such a log but "cannot know".
 */
#ifndef V1_LOG_H
#define V1_LOG_H

#include "group.h"
#include "log_reader.h"

#define FL_V1_MAGIC	0x6a736677736872ULL
#define FL_V1_VERSION	1
#define FL_V1_BLOCK_MAX	65536u
#define FL_V1_ARGS	"imported from dm-log-writes v1"
#define FL_V1_END_MARK	"dm-log-writes-end"

#define FL_V1_FLUSH	0x1u
#define FL_V1_FUA	0x2u
#define FL_V1_DISCARD	0x4u
#define FL_V1_MARK	0x8u
#define FL_V1_META	0x10u
#define FL_V1_ALL	0x1fu

struct v1_super {
	__le64 magic;
	__le64 version;
	__le64 nr;
	__le32 block;
} __attribute__((packed));

struct v1_entry {
	__le64 sector;
	__le64 nr;
	__le64 flags;
	__le64 len;
} __attribute__((packed));

_Static_assert(sizeof(struct v1_super) == 28, "v1_super");
_Static_assert(sizeof(struct v1_entry) == 32, "v1_entry");

/**
 * struct fl_v1_entry - an entry in host byte order
 * @sector, @nr: its range on the device, in blocks of fl_v1.block
 * @off: byte offset in the log file of its data, 0 for zeros that are in no file; of a
 *	mark, offset of its text: in the v1 file, or of an export in fl_log.inl
 *	(FL_NEVER: it is FL_V1_END_MARK)
 * @next: block behind the entry and its data, as replay-log --find counts
 * @flags: FL_V1_*
 * @len: bytes of a mark's text, else 0
 */
struct fl_v1_entry {
	uint64_t sector, nr;
	uint64_t off, next;
	uint32_t flags, len;
};

/**
 * struct fl_v1 - the entries of a log
 * @block: block size in bytes
 * @counted: how many entries the super counts
 * @entry, @nr: those that are whole; fewer than @counted iff @why is not empty
 * @why: what is wrong with entry @nr, with its offset
 */
struct fl_v1 {
	uint32_t block;
	uint64_t counted;
	struct fl_v1_entry *entry;
	uint64_t nr;
	char why[256];
};

/*
 * Read super and entries of @log (path, fd and bytes are set). A log that is torn is no
 * error: @why tells. -errno with @err: no super, block size 0 or absurd, not readable.
 */
int fl_v1_scan(struct fl_v1 **out, const struct fl_log *log, struct fl_err *err);
void fl_v1_free(struct fl_v1 *v1);		/* NULL is fine */

/* For log_super and log_reader: what fl_log_open() and fl_log_load() do with a v1 log. */
int fl_v1_open(struct fl_log *log, struct fl_err *err);
int fl_v1_load(struct fl_log *log, const struct fl_visitor *v, struct fl_err *err);

/**
 * struct fl_v1_loss - what an export leaves out
 * @promises: v1 has no word for them
 * @failed: writes and flushes that failed; v1 would call them done
 * @replaced: writes of which nothing is left when they become durable
 * @early: the log ends before its run does
 */
struct fl_v1_loss {
	uint64_t promises, failed, replaced;
	bool early;
};

/*
 * The entries of device @dev, such that replaying them up to a flush or FUA entry gives
 * the durable image of that flush point (discards, which may keep old contents, come out
 * as v1 replays them, with the flush that follows them). Data stay in the log file.
 * -EINVAL with @err: a range that is not whole blocks, a mark that is too long for one.
 */
int fl_v1_export(struct fl_v1 **out, const struct fl_dev *dev, struct fl_v1_loss *loss,
		 struct fl_err *err);

/* The text of mark @e of @v1, the entries of @log or an export of it; @e->len bytes. */
int fl_v1_text(const struct fl_v1 *v1, const struct fl_log *log, const struct fl_v1_entry *e,
	       void *text, struct fl_err *err);

/* Write @v1, whose data and marks are in @log, to the empty file @fd. */
int fl_v1_write(const struct fl_v1 *v1, const struct fl_log *log, int fd, struct fl_err *err);

/* Why nothing is said about one. */
#define FL_IMPORTED_SAYS \
	"a log of dm-log-writes does not tell which flushes overlapped, what was in flight, and what failed; its order is a reading and no evidence."

/* Whether a log of @g was imported from v1, and so cannot be judged. */
bool fl_group_imported(const struct fl_group *g);

#endif

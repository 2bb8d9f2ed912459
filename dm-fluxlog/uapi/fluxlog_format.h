/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fluxlog log: what is on the log device, byte by byte.
 *
 * This header is the specification. The kernel module writes it, the programs
 * in replay/ and tools/ read and write it; nobody declares any of it again.
 * fluxlog-log(5) tells the same in prose and gives the text form.
 *
 * Conventions
 *   All integers are little-endian. A sector is 512 bytes, always. A tick is a
 *   position in one total order of events that all fluxlog targets of a machine
 *   share; tick 0 is never given out. Nanoseconds are CLOCK_MONOTONIC. The
 *   checksum is CRC32C (Castagnoli), seeded with ~0 and not inverted at the end,
 *   over the object with its own crc32c field taken as zero.
 *
 * Layout of the log
 *
 *   byte 0          struct fluxlog_super, FLUXLOG_SUPER_BYTES long
 *   byte 4096       unit 0
 *   then            unit 1, 2, ... each right behind the one before
 *
 *   All of it is counted in log blocks of super.block_size bytes (512 or 4096,
 *   the logical block size of the log device). A unit is what the recorder hands
 *   to the log device in one piece:
 *
 *     struct fluxlog_unit      64 bytes
 *     record 0                 struct fluxlog_record, 64 bytes, and inline_len
 *     record 1                 bytes of inline data padded with zeros to 8
 *     ...                      (unit.head_bytes ends here)
 *     zeros up to a log block
 *     payload, payload, ...    each starts on a log block, zero-padded to one;
 *                              in the order of their records, without gaps
 *                              (unit.nr_blocks ends here)
 *
 * Rules for a reader. A unit at byte offset P is valid iff
 *   R1  magic is FLUXLOG_UNIT_MAGIC and uuid is the super's;
 *   R2  seq is 0 for the first unit and one more than the unit before it;
 *   R3  nr_blocks * block_size <= FLUXLOG_UNIT_MAX_BYTES, and the unit ends at or
 *       before super.log_sectors * 512 and before the end of the file;
 *   R4  crc32c over all nr_blocks * block_size bytes is right;
 *   R5  its records fill head_bytes exactly, each keeps the rules of its kind
 *       (below), and the payloads follow as drawn, up to exactly nr_blocks;
 *   R6  every byte named zero or reserved is zero.
 * The log ends behind the last unit of the longest run of valid units from
 * byte 4096 on:
 *   complete     the last record is FLUXLOG_END
 *   stopped      the last record is FLUXLOG_GAP: recording ended before the
 *                workload did, record.status says why
 *   cut off      anything else: what comes behind is a torn unit, one of another
 *                log, or nothing; events after the last record are unknown
 * FLUXLOG_END and FLUXLOG_GAP are only ever the last record of a unit, and what
 * follows that unit is not part of the log, whatever it holds. A unit that fails
 * R5 or R6 while R1 to R4 hold was never written by a recorder: the log is corrupt.
 *
 * Order. Records come in the order in which their events became known to the
 * layer above: if that layer saw A done before it issued B, A's record stands
 * before B's. So every prefix of a log is causally closed, and a promise in a
 * cut-off log has all its reasons in front of it. Apart from that the order in
 * the file means nothing; ticks do.
 *
 * Ticks and clock. A tick and the clock cannot be read as one. The clock is read
 * before the tick at issue and after it at done, so that they never contradict each
 * other where it matters: if A.issue_tick < B.done_tick then A.issue_ns <=
 * B.done_ns. A promise has an instant on the clock only; this is what lets it be
 * placed among ticks. A log that breaks it (a clock that went backwards) cannot be
 * judged.
 */
#ifndef FLUXLOG_FORMAT_H
#define FLUXLOG_FORMAT_H

#include <linux/types.h>

#define FLUXLOG_SUPER_MAGIC	0x31474f4c58554c46ULL	/* "FLUXLOG1" */
#define FLUXLOG_UNIT_MAGIC	0x54494e5558554c46ULL	/* "FLUXUNIT" */
#define FLUXLOG_STAMP_MAGIC	0x504d545358554c46ULL	/* "FLUXSTMP" */
#define FLUXLOG_VERSION		1

#define FLUXLOG_SUPER_BYTES	4096
#define FLUXLOG_UNIT_MAX_BYTES	(16U << 20)	/* longest unit, in bytes */
#define FLUXLOG_INLINE_MAX	1024		/* longest inline data, in bytes */
#define FLUXLOG_PAYLOAD_NONE_BLK 0		/* record.payload_blk without payload */

/**
 * struct fluxlog_super - the first 4096 bytes of a log
 * @magic: FLUXLOG_SUPER_MAGIC
 * @version: FLUXLOG_VERSION; a reader refuses any other
 * @block_size: log block in bytes, 512 or 4096
 * @uuid: of this log; random, never zero
 * @epoch: names the tick counter (one for each time the module was loaded); logs
 *	with different epochs have no common order and cannot be judged as a group
 * @dev: number of the device in its group, counted by the recorder in the order
 *	of creation within an epoch, from 0
 * @data_block_size: logical block size of the data device in bytes
 * @data_sectors: size of the recorded device in sectors
 * @log_sectors: room for the log, super included, in sectors
 * @created_real_ns: CLOCK_REALTIME when recording began
 * @created_mono_ns: CLOCK_MONOTONIC when recording began
 * @start_tick: every record's ticks are larger than this
 * @data_name: what was recorded, for people ("253:0"); NUL-padded
 * @args: optional arguments of the table line, for people; NUL-padded. A log that was
 *	made of one of dm-log-writes says "imported from dm-log-writes v1": its ticks are
 *	the order of the entries and its times zero; nothing may be judged by them
 * @reserved: zero
 * @crc32c: over these 4096 bytes
 *
 * data_block_size is a power of two from 512 to 2^20, dev is less than 2^16,
 * data_sectors is at least 1, it and log_sectors are at most 2^54.
 */
struct fluxlog_super {
	__le64 magic;
	__le32 version;
	__le32 block_size;
	__u8 uuid[16];
	__u8 epoch[16];
	__le32 dev;
	__le32 data_block_size;
	__le64 data_sectors;
	__le64 log_sectors;
	__le64 created_real_ns;
	__le64 created_mono_ns;
	__le64 start_tick;
	char data_name[64];
	char args[256];
	__u8 reserved[3676];
	__le32 crc32c;
} __attribute__((packed));

/**
 * struct fluxlog_unit - head of a unit
 * @magic: FLUXLOG_UNIT_MAGIC
 * @uuid: the super's
 * @seq: number of the unit in its log, from 0
 * @nr_blocks: length of the whole unit in log blocks, at least 1
 * @head_bytes: unit head, records and inline data, in bytes, a multiple of 8
 * @nr_records: records in this unit, at least 1
 * @crc32c: over the whole unit
 * @written_ns: CLOCK_MONOTONIC when the unit was put together
 * @reserved: zero
 */
struct fluxlog_unit {
	__le64 magic;
	__u8 uuid[16];
	__le64 seq;
	__le32 nr_blocks;
	__le32 head_bytes;
	__le32 nr_records;
	__le32 crc32c;
	__le64 written_ns;
	__u8 reserved[8];
} __attribute__((packed));

/**
 * enum fluxlog_kind - what a record tells
 * @FLUXLOG_WRITE: data was written; nr_sectors >= 1; payload is what the layer
 *	above handed over, nr_sectors * 512 bytes
 * @FLUXLOG_FLUSH: an empty flush; sector and nr_sectors are 0
 * @FLUXLOG_DISCARD: nr_sectors >= 1; no payload; the range may hold its old
 *	contents or zeros afterwards
 * @FLUXLOG_ZEROES: write-zeroes; nr_sectors >= 1; no payload; a write whose
 *	contents are zeros
 * @FLUXLOG_MARK: inline text of 1 to FLUXLOG_INLINE_MAX printable bytes (UTF-8
 *	is let through; bytes below 0x20 and 0x7f are not); issue == done
 * @FLUXLOG_PROMISE: inline struct fluxlog_promise, then a path or nothing;
 *	issue == done: the instant at which the message came in, which is *not* the
 *	promise's instant (that is promise.at_ns)
 * @FLUXLOG_GAP: recording stopped; status is the reason as an errno (ENOSPC: log
 *	full, EIO: log device failed, ENOMEM: no memory); issue == done: nothing
 *	that was issued from that tick on is known
 * @FLUXLOG_END: the target was removed in good order; issue == done: the last tick
 *
 * Kinds WRITE to ZEROES have 0 < issue_tick < done_tick; ticks are unique within
 * an epoch. Kinds MARK to END have neither range nor flags, and of them only GAP
 * has a status, which is not 0; the tick of END is the largest in its log.
 */
enum fluxlog_kind {
	FLUXLOG_WRITE = 1,
	FLUXLOG_FLUSH = 2,
	FLUXLOG_DISCARD = 3,
	FLUXLOG_ZEROES = 4,
	FLUXLOG_MARK = 5,
	FLUXLOG_PROMISE = 6,
	FLUXLOG_GAP = 7,
	FLUXLOG_END = 8,
};

/* record.payload_mode: how much of a write's data the log holds */
enum fluxlog_payload_mode {
	FLUXLOG_PAYLOAD_NONE = 0,	/* nothing (every kind but a write) */
	FLUXLOG_PAYLOAD_FULL = 1,	/* all of it */
};

/*
 * record.flags. Those up to NOUNMAP are from the bio; PREFLUSH on a write: a flush of
 * its own before it. The others say what the target did to it on purpose:
 *   INJECTED	it was not passed down: its end, with status or success, is made up.
 *		It makes nothing durable and is not durable
 *   DELAYED	its end was kept back for some time; done is when the layer above was let
 *		know
 */
#define FLUXLOG_F_FUA		0x0001
#define FLUXLOG_F_PREFLUSH	0x0002
#define FLUXLOG_F_SYNC		0x0004
#define FLUXLOG_F_META		0x0008
#define FLUXLOG_F_PRIO		0x0010
#define FLUXLOG_F_ATOMIC	0x0020
#define FLUXLOG_F_NOUNMAP	0x0040
#define FLUXLOG_F_INJECTED	0x0080
#define FLUXLOG_F_DELAYED	0x0100
#define FLUXLOG_F_ALL		0x01ff

/**
 * struct fluxlog_record - one event
 * @kind: enum fluxlog_kind
 * @payload_mode: enum fluxlog_payload_mode
 * @flags: FLUXLOG_F_*
 * @status: 0, or the errno (positive) with which the event ended
 * @inline_len: bytes of inline data behind the record, before padding to 8
 * @sector: first sector on the recorded device
 * @nr_sectors: length in sectors; sector + nr_sectors <= super.data_sectors
 * @issue_tick: taken before the bio was passed to the device below
 * @done_tick: taken when it ended, before the layer above learned of it
 * @issue_ns: CLOCK_MONOTONIC with issue_tick
 * @done_ns: CLOCK_MONOTONIC with done_tick
 * @payload_blk: where its payload starts, in log blocks from the start of the
 *	unit; 0 if it has none. Its length is nr_sectors * 512 bytes.
 * @dev: the super's
 * @reserved: zero
 */
struct fluxlog_record {
	__u8 kind;
	__u8 payload_mode;
	__le16 flags;
	__le16 status;
	__le16 inline_len;
	__le64 sector;
	__le64 nr_sectors;
	__le64 issue_tick;
	__le64 done_tick;
	__le64 issue_ns;
	__le64 done_ns;
	__le32 payload_blk;
	__le16 dev;
	__le16 reserved;
} __attribute__((packed));

/* promise.kind */
enum fluxlog_promise_kind {
	FLUXLOG_PROMISE_FILE = 1,	/* bytes of a file whose blocks carry stamps */
	FLUXLOG_PROMISE_SECTORS = 2,	/* whatever these sectors held at that instant */
};

/* promise.call: what returned 0 */
enum fluxlog_call {
	FLUXLOG_CALL_OTHER = 0,
	FLUXLOG_CALL_FSYNC = 1,
	FLUXLOG_CALL_FDATASYNC = 2,
	FLUXLOG_CALL_DSYNC = 3,		/* a write to an O_DSYNC file, RWF_DSYNC */
	FLUXLOG_CALL_MSYNC = 4,
	FLUXLOG_CALL_SYNCFS = 5,
	FLUXLOG_CALL_NONE = 6,		/* nothing was called: a negative control */
};

/**
 * struct fluxlog_promise - what was acknowledged, and when
 * @kind: enum fluxlog_promise_kind
 * @call: enum fluxlog_call
 * @reserved: zero
 * @run: FILE: the run that stamped the blocks (stamp.run); SECTORS: zero
 * @file: FILE: the file (stamp.file); SECTORS: number of the device in its group
 * @start: FILE: first byte in the file, a multiple of 512; SECTORS: first sector
 * @len: FILE: bytes, a multiple of 512; SECTORS: sectors; at least one sector
 * @gen: FILE: every stamp in the range has at least this generation; SECTORS: zero
 * @at_ns: CLOCK_MONOTONIC, sampled by the caller right after the call returned
 *
 * A FILE promise may be followed, within the inline data, by the file's path
 * relative to the root of its filesystem (printable, no NUL, no space).
 */
struct fluxlog_promise {
	__le16 kind;
	__le16 call;
	__le32 reserved;
	__le64 run;
	__le64 file;
	__le64 start;
	__le64 len;
	__le64 gen;
	__le64 at_ns;
} __attribute__((packed));

/**
 * struct fluxlog_stamp - one sector of a file that describes itself
 * @magic: FLUXLOG_STAMP_MAGIC
 * @run: the run of the workload, so that an older run's leftovers are told apart
 * @file: number of the file in the run
 * @offset: where in the file this sector lies, in bytes, a multiple of 512
 * @gen: generation; of two stamps for the same place the newer one has the larger
 * @crc32c: over these 512 bytes
 * @reserved: zero
 * @body: filler that follows from the fields above: 58 little-endian 64-bit words
 *	of splitmix64, seeded with
 *	run ^ (file * 0x9e3779b97f4a7c15) ^ (offset * 0xbf58476d1ce4e5b9) ^
 *	(gen * 0x94d049bb133111eb)
 */
struct fluxlog_stamp {
	__le64 magic;
	__le64 run;
	__le64 file;
	__le64 offset;
	__le64 gen;
	__le32 crc32c;
	__le32 reserved;
	__u8 body[464];
} __attribute__((packed));

#ifdef __KERNEL__
#include <linux/build_bug.h>
#define FLUXLOG_SIZE(s, n)	static_assert(sizeof(struct s) == (n))
#else
#define FLUXLOG_SIZE(s, n)	_Static_assert(sizeof(struct s) == (n), #s)
#endif
FLUXLOG_SIZE(fluxlog_super, FLUXLOG_SUPER_BYTES);
FLUXLOG_SIZE(fluxlog_unit, 64);
FLUXLOG_SIZE(fluxlog_record, 64);
FLUXLOG_SIZE(fluxlog_promise, 56);
FLUXLOG_SIZE(fluxlog_stamp, 512);
#undef FLUXLOG_SIZE

#endif

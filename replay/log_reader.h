/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_reader: from a log file or block device to records in memory.
 *
 * Takes   the bytes of one log, whatever they are: torn, foreign, hostile.
 * Gives   its super, its records in file order in host byte order, where each
 *	   payload lies, and how the log ends, with offset and reason.
 * Relies  on nothing but uapi/fluxlog_format.h; every rule R1 to R6 is checked.
 *
 * Payloads stay in the file: struct fl_rec holds their offset. Whoever wants to
 * see all of them once (stamps, dump) passes a visitor and sees each while it
 * is in memory anyway.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "../dm-fluxlog/uapi/fluxlog_format.h"
#include "err.h"

#define FL_SECTOR 512u

/**
 * struct fl_rec - a record in host byte order
 * @issue, @done: ticks
 * @issue_ns, @done_ns: CLOCK_MONOTONIC
 * @sector, @nr: range on the recorded device, in sectors
 * @payload_off: byte offset of the payload in the log file, 0 without payload;
 *	the payload is nr * 512 bytes
 * @inl: offset of the inline data in fl_log.inl
 * @inl_len: its length in bytes
 * @status: 0 or positive errno
 * @flags: FLUXLOG_F_*
 * @dev: number of the device in the group
 * @kind: enum fluxlog_kind
 * @payload_mode: enum fluxlog_payload_mode
 */
struct fl_rec {
	uint64_t issue, done, issue_ns, done_ns;
	uint64_t sector, nr;
	uint64_t payload_off;
	uint32_t inl;
	uint16_t inl_len;
	uint16_t status;
	uint16_t flags;
	uint16_t dev;
	uint8_t kind;
	uint8_t payload_mode;
};

enum fl_end {
	FL_END_COMPLETE,	/* an END record: the target was removed in good order */
	FL_END_STOPPED,		/* a GAP record: recording ended before the workload */
	FL_END_CUT_OFF,		/* neither: what came after is unknown */
	FL_END_CORRUPT,		/* a unit with a right checksum that breaks the format */
};

/* The super in host byte order; strings are NUL-terminated. */
struct fl_super {
	uint8_t uuid[16], epoch[16];
	uint32_t block_size, dev, data_block_size;
	uint64_t data_sectors, log_sectors;
	uint64_t created_real_ns, created_mono_ns, start_tick;
	char data_name[65];
	char args[257];
};

/**
 * struct fl_log - one log in memory
 * @path: as given
 * @fd: open for reading as long as the log is
 * @bytes: size of the file or block device
 * @sup: its super
 * @rec, @nr_rec: records in file order
 * @inl, @inl_bytes: inline data of all records
 * @units: number of valid units
 * @end: how the log ends
 * @end_off: byte offset behind the last valid unit
 * @end_why: the reason in words; empty for FL_END_COMPLETE
 * @v1: the entries of a dm-log-writes log that is read as it is (v1_log.h), else NULL
 */
struct fl_log {
	char *path;
	int fd;
	uint64_t bytes;
	struct fl_super sup;
	struct fl_rec *rec;
	uint64_t nr_rec;
	uint8_t *inl;
	uint64_t inl_bytes;
	uint64_t units;
	enum fl_end end;
	uint64_t end_off;
	char end_why[256];
	struct fl_v1 *v1;
};

/* A unit as it is met, before its records. */
struct fl_unit {
	uint64_t seq, off, written_ns;
	uint32_t nr_blocks, nr_records;
};

/**
 * struct fl_visitor - sees a log go by, in file order
 * @unit: called for each valid unit before its records; may be NULL
 * @record: called for each record; @idx is its place in fl_log.rec, @payload is
 *	NULL or rec->nr * 512 bytes valid during the call; may be NULL
 * @progress: called now and then with bytes read so far; may be NULL
 * @arg: handed to each
 *
 * A negative return value ends the reading and is returned by fl_log_load().
 */
struct fl_visitor {
	int (*unit)(void *arg, const struct fl_unit *u);
	int (*record)(void *arg, const struct fl_log *log, uint64_t idx,
		      const uint8_t *payload);
	void (*progress)(void *arg, uint64_t bytes);
	void *arg;
};

/*
 * Open @path and check its super. Returns 0 and *@out, or -errno with @err:
 * not readable, empty, too short, not a fluxlog log (foreign magic), a version
 * of the future, a super whose checksum or fields are wrong.
 */
int fl_log_open(struct fl_log **out, const char *path, struct fl_err *err);

/* Its first half, for who knows from elsewhere what is in it: only path, fd and bytes. */
int fl_log_open_file(struct fl_log **out, const char *path, struct fl_err *err);

/*
 * Read all units. A log that is cut off, stopped or corrupt is *not* an error
 * here: it loads up to there and fl_log.end says so. -errno: reading failed (EIO
 * with the offset), or a visitor said stop (then @err is the visitor's affair).
 */
int fl_log_load(struct fl_log *log, const struct fl_visitor *v, struct fl_err *err);

/* Read @len bytes of a payload into @buf; @off is a byte offset in the log file. */
int fl_log_pread(const struct fl_log *log, void *buf, uint64_t len, uint64_t off,
		 struct fl_err *err);

void fl_log_close(struct fl_log *log);		/* NULL is fine */

const char *fl_kind_name(unsigned int kind);	/* "write", ..., NULL if unknown */
const char *fl_call_name(unsigned int call);	/* "fsync", ..., NULL if unknown */
const char *fl_end_name(enum fl_end end);	/* "complete", "stopped", ... */

/* The inline data of a promise, decoded; path is "" if there is none. */
struct fl_promise {
	uint16_t kind, call;
	uint64_t run, file, start, len, gen, at_ns;
	char path[FLUXLOG_INLINE_MAX + 1];
};

/* @rec must be a PROMISE of @log (the reader has checked its form). */
void fl_promise_get(const struct fl_log *log, const struct fl_rec *rec,
		    struct fl_promise *out);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * log_names: the words for what a log holds, and promises in host byte order.
 *
 * Takes   numbers of the format.
 * Gives   the words that messages, reports and the text form use for them.
 * Relies  on the reader having checked a promise before it is decoded.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "log_names.h"
#include "log_reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *fl_kind_name(unsigned int kind)
{
	static const char * const name[] = {
		[FLUXLOG_WRITE] = "write",
		[FLUXLOG_FLUSH] = "flush",
		[FLUXLOG_DISCARD] = "discard",
		[FLUXLOG_ZEROES] = "zeroes",
		[FLUXLOG_MARK] = "mark",
		[FLUXLOG_PROMISE] = "promise",
		[FLUXLOG_GAP] = "gap",
		[FLUXLOG_END] = "end",
	};

	return kind < COUNT(name) ? name[kind] : NULL;
}

const char *fl_call_name(unsigned int call)
{
	static const char * const name[] = {
		[FLUXLOG_CALL_OTHER] = "other",
		[FLUXLOG_CALL_FSYNC] = "fsync",
		[FLUXLOG_CALL_FDATASYNC] = "fdatasync",
		[FLUXLOG_CALL_DSYNC] = "dsync",
		[FLUXLOG_CALL_MSYNC] = "msync",
		[FLUXLOG_CALL_SYNCFS] = "syncfs",
		[FLUXLOG_CALL_NONE] = "none",
	};

	return call < COUNT(name) ? name[call] : NULL;
}

const char *fl_flag_name(unsigned int bit)
{
	static const char * const name[] = {
		"fua", "preflush", "sync", "meta", "prio", "atomic", "nounmap",
		"injected", "delayed",
	};

	_Static_assert(FLUXLOG_F_ALL == (1u << COUNT(name)) - 1, "a name for each flag");
	return bit < COUNT(name) ? name[bit] : NULL;
}

const char *fl_end_name(enum fl_end end)
{
	switch (end) {
	case FL_END_COMPLETE:
		return "complete";
	case FL_END_STOPPED:
		return "stopped";
	case FL_END_CUT_OFF:
		return "cut off";
	case FL_END_CORRUPT:
		return "corrupt";
	}
	return NULL;
}

const char *fl_gap_reason(unsigned int status)
{
	switch (status) {
	case ENOSPC:
		return "the log device is full";
	case EIO:
		return "the log device failed";
	case ENOMEM:
		return "there was no memory";
	}
	return "for another reason";
}

void fl_promise_get(const struct fl_log *log, const struct fl_rec *rec, struct fl_promise *out)
{
	struct fluxlog_promise d;
	size_t path_len = rec->inl_len - sizeof(d);

	memcpy(&d, log->inl + rec->inl, sizeof(d));
	*out = (struct fl_promise){
		.kind = le16toh(d.kind),
		.call = le16toh(d.call),
		.run = le64toh(d.run),
		.file = le64toh(d.file),
		.start = le64toh(d.start),
		.len = le64toh(d.len),
		.gen = le64toh(d.gen),
		.at_ns = le64toh(d.at_ns),
	};
	memcpy(out->path, log->inl + rec->inl + sizeof(d), path_len);
	out->path[path_len] = '\0';
}

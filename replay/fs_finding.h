/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_finding: what can be wrong with a filesystem on a crash image, one ordered table.
 *
 * Codes are stable for ever and share their numbers with nobody (finding.h: FL0xx).
 */
#ifndef FS_FINDING_H
#define FS_FINDING_H

#include <stdbool.h>
#include <stdint.h>

enum fl_fs_code {
	FL_FS_LOST,
	FL_FS_STALE,
	FL_FS_TORN,
	FL_FS_MISPLACED,
	FL_FS_SHORT,
	FL_FS_MISSING,
	FL_FS_UNREADABLE,
	FL_FS_DISAGREE,
	FL_FS_MOUNT_FAILED,
	FL_FS_HUNG,
	FL_FS_UMOUNT_FAILED,
	FL_FS_FSCK_FOUND,
	FL_FS_FSCK_KILLED,
	FL_FS_SPLAT,
	FL_FS_DIED,
	FL_FS_NR_CODES,
};

/* @id: "FL101"; @name: in words joined by dashes; @text: one sentence. */
struct fl_fs_problem {
	const char *id, *name, *text;
};

extern const struct fl_fs_problem fl_fs_problem[FL_FS_NR_CODES];

/**
 * struct fl_fs_finding - one finding on one image
 * @code: what is wrong
 * @path: the file, or "" if it is about the whole image; owned by the list
 * @start, @len: bytes of the file
 * @gen: generation that is promised there
 * @detail: more in words: an error, what fsck said, what is there instead
 */
struct fl_fs_finding {
	enum fl_fs_code code;
	char *path;
	uint64_t start, len, gen;
	char detail[256];
};

struct fl_fs_findings {
	struct fl_fs_finding *f;
	uint32_t nr, room;
};

/* Append; a range that goes on where the last one ends, with the same code, file and
 * generation, lengthens it. */
void fl_fs_add(struct fl_fs_findings *fs, enum fl_fs_code code, const char *path,
	       uint64_t start, uint64_t len, uint64_t gen, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
void fl_fs_free(struct fl_fs_findings *fs);

/* True iff both hold the same codes, files and ranges in the same order. */
bool fl_fs_same(const struct fl_fs_findings *a, const struct fl_fs_findings *b);

#endif

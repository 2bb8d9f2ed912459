// SPDX-License-Identifier: GPL-2.0
/* See fs_finding.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "fs_finding.h"

const struct fl_fs_problem fl_fs_problem[FL_FS_NR_CODES] = {
	[FL_FS_LOST] = { "FL101", "lost",
		"promised bytes are gone: zeros or foreign data in their place" },
	[FL_FS_STALE] = { "FL102", "stale", "an older generation than the promised one" },
	[FL_FS_TORN] = { "FL103", "torn", "a promised sector is damaged" },
	[FL_FS_MISPLACED] = { "FL104", "misplaced",
		"bytes of another file or place are where promised ones should be" },
	[FL_FS_SHORT] = { "FL105", "short-file", "the file ends before its promised bytes do" },
	[FL_FS_MISSING] = { "FL106", "missing-file", "the promised file is not there" },
	[FL_FS_UNREADABLE] = { "FL107", "unreadable", "reading promised bytes gives an error" },
	[FL_FS_DISAGREE] = { "FL108", "methods-disagree",
		"reading the file and asking where its blocks lie do not give the same" },
	[FL_FS_MOUNT_FAILED] = { "FL111", "mount-failed",
		"the filesystem cannot be mounted: recovery failed" },
	[FL_FS_HUNG] = { "FL112", "hung", "mounting or checking did not end in time" },
	[FL_FS_UMOUNT_FAILED] = { "FL113", "umount-failed",
		"the recovered filesystem cannot be unmounted" },
	[FL_FS_FSCK_FOUND] = { "FL114", "fsck-found",
		"the check-only fsck finds damage after recovery" },
	[FL_FS_FSCK_KILLED] = { "FL115", "fsck-killed", "the fsck did not end by itself" },
	[FL_FS_SPLAT] = { "FL116", "kernel-splat",
		"the kernel complained while the image was recovered" },
	[FL_FS_DIED] = { "FL117", "worker-died", "the process that judged the image died" },
};

static bool goes_on(const struct fl_fs_finding *a, enum fl_fs_code code, const char *path,
		    uint64_t start, uint64_t gen)
{
	return a->code == code && a->len && a->start + a->len == start && a->gen == gen &&
	       !strcmp(a->path, path);
}

void fl_fs_add(struct fl_fs_findings *fs, enum fl_fs_code code, const char *path,
	       uint64_t start, uint64_t len, uint64_t gen, const char *fmt, ...)
{
	struct fl_fs_finding *f;
	va_list ap;

	if (fs->nr && goes_on(&fs->f[fs->nr - 1], code, path, start, gen)) {
		fs->f[fs->nr - 1].len += len;
		return;
	}
	if (fs->nr == fs->room) {
		fs->room = fs->room ? 2 * fs->room : 8;
		fs->f = fl_realloc(fs->f, fs->room, sizeof(*fs->f));
	}
	f = &fs->f[fs->nr++];
	*f = (struct fl_fs_finding){ .code = code, .path = fl_strdup(path), .start = start,
				     .len = len, .gen = gen };
	va_start(ap, fmt);
	vsnprintf(f->detail, sizeof(f->detail), fmt, ap);
	va_end(ap);
}

void fl_fs_free(struct fl_fs_findings *fs)
{
	uint32_t i;

	for (i = 0; i < fs->nr; i++)
		free(fs->f[i].path);
	free(fs->f);
	*fs = (struct fl_fs_findings){ 0 };
}

bool fl_fs_same(const struct fl_fs_findings *a, const struct fl_fs_findings *b)
{
	uint32_t i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (a->f[i].code != b->f[i].code || strcmp(a->f[i].path, b->f[i].path) ||
		    a->f[i].start != b->f[i].start || a->f[i].len != b->f[i].len)
			return false;
	return true;
}

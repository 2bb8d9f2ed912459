/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fs_require: what the promises in force at a cut ask of the files.
 *
 * Takes   the FILE promises of a group.
 * Gives   for each file and cut, which sectors must carry at least which generation.
 *
 * A promise is in force at a cut if its message had come in by then: that its call had
 * returned before is certain, and what was promised a moment earlier is asked for at
 * the next cut (the block-level judge asks for it at the very instant).
 *
 * Immutable after the build.
 */
#ifndef FS_REQUIRE_H
#define FS_REQUIRE_H

#include "group.h"

/* A promised file. @path: below the root of its filesystem; "" if no promise told. */
struct fl_req_file {
	uint64_t run, file, base, sectors;
	char *path;
};

/**
 * struct fl_require - built by fl_require_build()
 * @file, @nr_file: sorted by run and file
 * @message: message tick of each FILE promise, rising
 * @nr: how many
 * @index: over the space of all files; ids are places in @message
 * @max_gen: beside index.entry: the largest generation up to this entry of its node
 */
struct fl_require {
	struct fl_req_file *file;
	uint32_t nr_file;
	uint64_t *message;
	uint32_t nr;
	struct fl_index index;
	uint64_t *max_gen;
};

int fl_require_build(struct fl_require *rq, const struct fl_group *g, struct fl_err *err);
void fl_require_free(struct fl_require *rq);

/* How many FILE promises are in force at tick @cut. */
uint32_t fl_require_count(const struct fl_require *rq, uint64_t cut);

/* Sectors @off to @off + @nr - 1 of a file must carry generation @gen or later. */
typedef int (*fl_require_fn)(void *arg, uint64_t off, uint64_t nr, uint64_t gen);

/* Call @fn for each range of @file with a promise in force, by rising offset. Returns
 * what @fn ended the walk with, else 0. */
int fl_require_each(const struct fl_require *rq, const struct fl_req_file *file,
		    uint64_t cut, fl_require_fn fn, void *arg);

#endif

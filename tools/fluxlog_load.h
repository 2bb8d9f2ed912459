/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fluxlog-load: a workload whose blocks describe themselves and whose syncs are
 * handed over as promises.
 *
 *   load_opts      command line -> struct load_opts
 *   load_promise   struct load_range + instant -> dm message, or a line in a file
 *   load_worker    one thread: write, sync, sample the clock, promise
 *   load           main: directory and files, threads, progress, summary
 */
#ifndef FLUXLOG_LOAD_H
#define FLUXLOG_LOAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../replay/err.h"

enum load_mode { LOAD_APPEND, LOAD_OVERWRITE };
enum load_sync { LOAD_FSYNC, LOAD_FDATASYNC, LOAD_DSYNC, LOAD_MIXED };
enum load_io { LOAD_BUFFERED, LOAD_DIRECT, LOAD_DONTCACHE };
enum load_sink { LOAD_SINK_NONE, LOAD_SINK_DM, LOAD_SINK_FILE };

/**
 * struct load_opts - the command line
 * @dir: where the files are made
 * @sink: where promises go
 * @sink_name: dm device, or path of the file
 * @mark: sent to the log before the first write, after LOAD_OVERWRITE has filled the
 *	files; or NULL
 * @threads: writers
 * @ops: writes of each thread
 * @sync_every: writes before each sync; 1 with LOAD_DSYNC
 * @file_blocks: blocks of each thread, for LOAD_OVERWRITE
 * @bs: bytes of a write, a multiple of 512
 * @seed: chooses the blocks of LOAD_OVERWRITE
 * @give_up: so many failures in a row, and a thread takes the filesystem to be down; 0:
 *	never
 * @run: number of the run, in each stamp, promise and file name
 * @progress: seconds between progress lines, 0 for none
 * @think_ms: pause before each write
 * @io: the page cache, O_DIRECT, or RWF_DONTCACHE
 * @shared: one file for all threads
 * @no_sync: promise without having synced: the negative control
 */
struct load_opts {
	const char *dir;
	enum load_sink sink;
	const char *sink_name;
	const char *mark;
	enum load_mode mode;
	enum load_sync sync;
	enum load_io io;
	uint64_t threads, ops, sync_every, file_blocks, bs, seed, run, progress, give_up;
	uint64_t think_ms;
	bool shared, no_sync;
};

/* 0, or -EINVAL with @err; prints the help and exits 0 on --help. */
int load_opts_parse(struct load_opts *o, int argc, char **argv, struct fl_err *err);

/* What writer @id calls: with LOAD_MIXED they take turns. */
enum load_sync load_sync_of(const struct load_opts *o, uint64_t id);

/* "fsync", ... as a promise of writer @id says it */
const char *load_call_name(const struct load_opts *o, uint64_t id);

/* Bytes of a file that one thread has written since its last sync, and their gen. */
struct load_range {
	uint64_t start, len, gen;
};

/* Where promises go; load_promise_send() may be called by every thread at once. */
struct load_promise;

/* Open what @o names. 0 and *@out, or -errno with @err. */
int load_promise_open(struct load_promise **out, const struct load_opts *o,
		      struct fl_err *err);

/*
 * Promise @r of file number @file, acknowledged at @at_ns by @call. @path is its path from
 * the root of the filesystem, or "". 0 or -errno; nothing is printed.
 */
int load_promise_send(struct load_promise *p, uint64_t file, const char *path,
		      const struct load_range *r, const char *call, uint64_t at_ns);

/* Send a mark to the target. 0, or -errno with @err. */
int load_promise_mark(struct load_promise *p, const char *text, struct fl_err *err);

/* Flush and close; 0, or -errno with @err if promises may be missing in the file. */
int load_promise_close(struct load_promise *p, struct fl_err *err);

/* What failed, for the counts */
enum load_step { LOAD_STEP_WRITE, LOAD_STEP_SYNC, LOAD_STEP_PROMISE, LOAD_STEPS };

#define LOAD_ERRNO_MAX 256

/**
 * struct load_count - what one thread did
 * @ops, @syncs, @promises: those that succeeded; @ops and @promises are read by
 *	the progress lines while the thread runs
 * @failed: attempts that failed, by step and errno
 * @gave_up: the thread ended early, nothing succeeded any more
 */
struct load_count {
	_Atomic uint64_t ops, syncs, promises, errors;
	uint64_t failed[LOAD_STEPS][LOAD_ERRNO_MAX];
	bool gave_up;
};

/**
 * struct load_worker - one thread
 * @o: the command line
 * @promise: where its promises go
 * @id: from 0
 * @file: number of its file
 * @path: its file from the root of the filesystem, or ""
 * @fd: of its own also for a shared file, so that each thread is told of each
 *	write-back error once
 * @buf: @o->bs bytes, aligned for O_DIRECT
 * @pending: ranges since the last sync, @o->sync_every long
 * @nr_pending: how many
 * @rnd: state of the random numbers
 * @count: what it did
 */
struct load_worker {
	const struct load_opts *o;
	struct load_promise *promise;
	pthread_t thread;
	uint64_t id, file;
	const char *path;
	int fd;
	uint8_t *buf;
	struct load_range *pending;
	uint64_t nr_pending;
	uint64_t rnd;
	struct load_count count;
};

/* Set up @w, whose @id, @file, @path and @fd are filled in. 0, or -ENOMEM. */
int load_worker_init(struct load_worker *w, const struct load_opts *o,
		     struct load_promise *promise, struct fl_err *err);

/* Write the blocks of @w once, generation 1, and sync and promise them: a start
 * for LOAD_OVERWRITE. */
void load_worker_fill(struct load_worker *w);

/* The work of @w: all ops, generations from 2. */
void load_worker_run(struct load_worker *w);

void load_worker_free(struct load_worker *w);

/* CLOCK_MONOTONIC, the clock of the log */
uint64_t load_now_ns(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * replay_log: what dm-log-writes' users know as replay-log, for both kinds of logs.
 *
 * replay_log.c	   options; which log
 * replay_log_walk.c  which entries: start, stop, find, replay, fsck
 * replay_log_target.c  one entry onto the replay device
 * replay_log_index.c  entries kept from one run to the next
 *
 * A fluxlog log is seen as the entries that fluxlog convert would make of it.
 */
#ifndef REPLAY_LOG_H
#define REPLAY_LOG_H

#include "../replay/v1_log.h"

enum rl_check { RL_CHECK_NEVER, RL_CHECK_NUMBER, RL_CHECK_FUA, RL_CHECK_FLUSH, RL_CHECK_DISCARD };

/**
 * struct rl_options - the command line
 * @stop: FL_V1_FLUSH, FL_V1_FUA: stop behind the next entry with one of these
 * @start_entry, @limit: as given, 0 without
 * @start_sector, @end_sector: window in blocks of the log; both ends are in it
 * @check, @check_every: when to run @fsck
 */
struct rl_options {
	const char *log, *replay, *fsck, *start_mark, *end_mark;
	uint32_t stop;
	uint64_t start_entry, limit, start_sector, end_sector, check_every;
	enum rl_check check;
	bool find, count, no_discard;
	unsigned int verbose;
};

#define FL_RL_ID 16

/**
 * struct rl - a run
 * @log: the log; @v1: its entries
 * @id: tells whether the log is as it was, if @has_id
 * @indexed: they are those of an index, @map, of @map_bytes
 * @fd: the replay device, -1 without
 * @is_block: it is a block device; @no_discard: it has refused a discard
 */
struct rl {
	struct rl_options o;
	struct fl_log *log;
	const struct fl_v1 *v1;
	bool has_id;
	uint64_t id[FL_RL_ID];
	struct fl_v1 indexed;
	void *map;
	size_t map_bytes;
	int fd;
	bool is_block, no_discard;
	uint8_t *buf;
	struct fl_err err;
};

/* Each returns an exit code: 0; 1 not found, or fsck failed; 2 could not, with rl->err. */
int rl_find(struct rl *rl);
int rl_replay(struct rl *rl);

/*
 * Scripts that step through a log run once for each step, so the entries of a long log are
 * kept in a file: in $REPLAY_LOG_INDEX (a folder; empty: nowhere), else /run/fluxlog for
 * root or $XDG_RUNTIME_DIR/fluxlog. The file counts only as long as nobody can have written
 * to the log since.
 *
 * rl_index_load() sets rl->log and rl->v1, whose entries go with rl_index_drop(), and
 * returns true; or false. rl_index_save() is silent if it cannot.
 */
bool rl_index_load(struct rl *rl);
void rl_index_save(const struct rl *rl);
void rl_index_drop(struct rl *rl);

/* Open the replay device. 0, or -errno with rl->err. */
int rl_target_open(struct rl *rl);

/* Replay entry @i: data, or a discard; nothing outside of the window. */
int rl_target_apply(struct rl *rl, uint64_t i);

/* Whether the window leaves @e out. */
bool rl_skips(const struct rl *rl, const struct fl_v1_entry *e);

#endif

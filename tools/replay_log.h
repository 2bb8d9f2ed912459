/* SPDX-License-Identifier: GPL-2.0 */
/*
 * replay_log: what dm-log-writes' users know as replay-log, for both kinds of logs.
 *
 * replay_log.c	   options; which log
 * replay_log_walk.c  which entries: start, stop, find, replay, fsck
 * replay_log_target.c  one entry onto the replay device
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

/**
 * struct rl - a run
 * @log: the log; @v1: its entries
 * @fd: the replay device, -1 without
 * @is_block: it is a block device; @no_discard: it has refused a discard
 */
struct rl {
	struct rl_options o;
	struct fl_log *log;
	const struct fl_v1 *v1;
	int fd;
	bool is_block, no_discard;
	uint8_t *buf;
	struct fl_err err;
};

/* Each returns an exit code: 0; 1 not found, or fsck failed; 2 could not, with rl->err. */
int rl_find(struct rl *rl);
int rl_replay(struct rl *rl);

/* Open the replay device. 0, or -errno with rl->err. */
int rl_target_open(struct rl *rl);

/* Replay entry @i: data, or a discard; nothing outside of the window. */
int rl_target_apply(struct rl *rl, uint64_t i);

/* Whether the window leaves @e out. */
bool rl_skips(const struct rl *rl, const struct fl_v1_entry *e);

#endif

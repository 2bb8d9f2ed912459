// SPDX-License-Identifier: GPL-2.0
/*
 * replay_log_walk: from where to where, and what to do on the way. See replay_log.h.
 *
 * Nothing is replayed before it is known that the walk can reach its mark and that the
 * log is whole up to there.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "replay_log.h"

static int cannot(struct rl *rl, const char *what, const char *name)
{
	fl_fail(&rl->err, ENOENT, "%s: %s%s%s%s", rl->log->path, what, name ? " \"" : "",
		name ? name : "", name ? "\"" : "");
	return FL_EXIT_CANNOT;
}

/* ---- what an entry is -------------------------------------------------------------- */

static bool is_mark(const struct rl *rl, const struct fl_v1_entry *e, const char *mark)
{
	char text[FL_V1_BLOCK_MAX];
	struct fl_err ignored;

	return e->flags & FL_V1_MARK && e->len == strlen(mark) &&
	       !fl_v1_text(rl->v1, rl->log, e, text, &ignored) && !memcmp(text, mark, e->len);
}

/* Whether the walk ends with entry @i, the @n-th. */
static bool stops(const struct rl *rl, uint64_t i, uint64_t n)
{
	const struct fl_v1_entry *e = &rl->v1->entry[i];

	return (rl->o.limit && n == rl->o.limit) || e->flags & rl->o.stop ||
	       (rl->o.end_mark && is_mark(rl, e, rl->o.end_mark));
}

static uint64_t data_blocks(const struct fl_v1_entry *e)
{
	return e->flags & FL_V1_DISCARD ? 0 : e->nr;
}

static void print_flags(uint32_t flags)
{
	static const char *const name[] = { "FLUSH", "FUA", "DISCARD", "MARK", "METADATA" };
	const char *before = "";
	unsigned int bit;

	for (bit = 0; bit < 5; bit++) {
		if (!(flags >> bit & 1))
			continue;
		printf("%s%s", before, name[bit]);
		before = "|";
	}
	if (!flags)
		printf("NONE");
}

static void say_seek(const struct rl *rl, uint64_t i, uint64_t block)
{
	const struct fl_v1_entry *e = &rl->v1->entry[i];

	if (rl->o.verbose > 1)
		printf("seek entry %" PRIu64 "@%" PRIu64 ": %" PRIu64 ", size %" PRIu64
		       ", flags 0x%x\n", i, block, e->sector, e->nr * rl->v1->block, e->flags);
}

static void say_replay(const struct rl *rl, uint64_t i)
{
	const struct fl_v1_entry *e = &rl->v1->entry[i];
	bool skip = rl_skips(rl, e);

	if (rl->o.verbose < (skip ? 2u : 1u))
		return;
	printf("%s %" PRIu64 "@%" PRIu64 ": sector %" PRIu64 ", size %" PRIu64 ", flags 0x%x(",
	       skip ? "skipping" : "replaying", i, e->next - data_blocks(e), e->sector,
	       e->nr * rl->v1->block, e->flags);
	print_flags(e->flags);
	printf(")\n");
}

/* ---- where to start ----------------------------------------------------------------- */

static int start_at_mark(struct rl *rl, uint64_t *start)
{
	uint64_t i;

	for (i = 0; i < rl->v1->nr; i++) {
		say_seek(rl, i, rl->v1->entry[i].next - data_blocks(&rl->v1->entry[i]));
		if (is_mark(rl, &rl->v1->entry[i], rl->o.start_mark)) {
			*start = i + 1;
			return FL_EXIT_FINE;
		}
	}
	return rl->v1->why[0] ? cannot(rl, rl->v1->why, NULL)
			      : cannot(rl, "no mark", rl->o.start_mark);
}

static int find_start(struct rl *rl, uint64_t *start)
{
	uint64_t i;

	if (rl->o.start_mark)
		return start_at_mark(rl, start);
	*start = rl->o.start_entry;
	if (rl->o.start_entry > rl->v1->nr && rl->v1->why[0])
		return cannot(rl, rl->v1->why, NULL);
	if (rl->o.start_entry > rl->v1->nr) {
		fl_fail(&rl->err, EINVAL, "%s: no entry %" PRIu64 ", it has %" PRIu64,
			rl->log->path, rl->o.start_entry, rl->v1->nr);
		return FL_EXIT_CANNOT;
	}
	for (i = 0; i < *start && rl->o.verbose > 1; i++)
		say_seek(rl, i, rl->v1->entry[i].next - data_blocks(&rl->v1->entry[i]) - 1);
	return FL_EXIT_FINE;
}

/* The entry behind the last one of the walk from @start, and whether something stopped it. */
static uint64_t find_end(const struct rl *rl, uint64_t start, bool *stopped, bool say)
{
	uint64_t i, n = 0;

	*stopped = false;
	for (i = start; i < rl->v1->nr && !*stopped; i++) {
		if (say)
			say_seek(rl, i, rl->v1->entry[i].next - data_blocks(&rl->v1->entry[i]));
		*stopped = stops(rl, i, ++n);
	}
	return i;
}

int rl_find(struct rl *rl)
{
	uint64_t start, end;
	bool stopped;
	int rc = find_start(rl, &start);

	if (rc)
		return rc;
	end = find_end(rl, start, &stopped, true);
	if (stopped) {
		printf("%" PRIu64 "@%" PRIu64 "\n", end - 1, rl->v1->entry[end - 1].next);
		return FL_EXIT_FINE;
	}
	if (rl->v1->why[0])
		return cannot(rl, rl->v1->why, NULL);
	cannot(rl, "no such entry", NULL);
	return FL_EXIT_FINDINGS;
}

/* ---- replay -------------------------------------------------------------------------- */

static int run_fsck(struct rl *rl, uint64_t i)
{
	int status;

	if (fsync(rl->fd)) {
		fl_fail(&rl->err, errno, "%s: %s", rl->o.replay, strerror(errno));
		return FL_EXIT_CANNOT;
	}
	fflush(stdout);
	status = system(rl->o.fsck);
	if (!status)
		return FL_EXIT_FINE;
	if (status == -1)
		fl_fail(&rl->err, errno, "fsck could not be run: %s", strerror(errno));
	else if (WIFSIGNALED(status))
		fl_fail(&rl->err, EIO, "fsck was killed by signal %d (%s) at entry %" PRIu64,
			WTERMSIG(status), strsignal(WTERMSIG(status)), i);
	else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) < 128 + 65)
		fl_fail(&rl->err, EIO, "fsck was killed by signal %d (%s) at entry %" PRIu64
			", says its shell", WEXITSTATUS(status) - 128,
			strsignal(WEXITSTATUS(status) - 128), i);
	else
		fl_fail(&rl->err, EIO, "fsck ended with %d at entry %" PRIu64,
			WEXITSTATUS(status), i);
	return status == -1 || WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127
		? FL_EXIT_CANNOT : FL_EXIT_FINDINGS;
}

/* Entry @i is the @n-th of the walk. */
static bool check_is_due(const struct rl *rl, uint64_t i, uint64_t n)
{
	uint32_t flags = rl->v1->entry[i].flags;

	switch (rl->o.check) {
	case RL_CHECK_NUMBER:
		return !(n % rl->o.check_every);
	case RL_CHECK_FUA:
		return flags & FL_V1_FUA;
	case RL_CHECK_FLUSH:
		return flags & FL_V1_FLUSH;
	case RL_CHECK_DISCARD:
		return flags & FL_V1_DISCARD;
	case RL_CHECK_NEVER:
		break;
	}
	return false;
}

/* A walk that runs out of entries where the log is torn never gets as far as replaying. */
static int check_walk(struct rl *rl, uint64_t start, uint64_t *end)
{
	bool stopped;
	uint64_t i;

	*end = find_end(rl, start, &stopped, false);
	if (!stopped && rl->v1->why[0])
		return cannot(rl, rl->v1->why, NULL);
	for (i = start; rl->o.end_mark && i < rl->v1->nr; i++)
		if (is_mark(rl, &rl->v1->entry[i], rl->o.end_mark))
			return FL_EXIT_FINE;
	return rl->o.end_mark ? cannot(rl, "no mark", rl->o.end_mark) : FL_EXIT_FINE;
}

int rl_replay(struct rl *rl)
{
	uint64_t start, end, i;
	int rc = find_start(rl, &start);

	if (!rc)
		rc = check_walk(rl, start, &end);
	for (i = start; !rc && i < end; i++) {
		say_replay(rl, i);
		if (rl_target_apply(rl, i))
			rc = FL_EXIT_CANNOT;
		else if (check_is_due(rl, i, i - start + 1))
			rc = run_fsck(rl, i);
	}
	if (fsync(rl->fd) && !rc) {
		fl_fail(&rl->err, errno, "%s: %s", rl->o.replay, strerror(errno));
		rc = FL_EXIT_CANNOT;
	}
	return rc;
}

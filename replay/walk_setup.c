// SPDX-License-Identifier: GPL-2.0
/* See walk_setup.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "uuid.h"
#include "v1_log.h"
#include "walk_setup.h"

/* Needs no quotes in a shell. */
#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=:@%+-"

static int check_machine(struct fl_err *err)
{
	static const char *const needed[] = { "/dev/loop-control", "/dev/fuse" };
	size_t i;

	if (geteuid())
		return fl_fail(err, EPERM,
			       "mounting crash images needs root; fluxlog-lab verify walks in a guest");
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (access(needed[i], R_OK | W_OK))
			return fl_fail(err, errno,
				       "%s: %s; fluxlog-lab verify walks in a guest with a kernel that has it",
				       needed[i], strerror(errno));
	return 0;
}

static int open_base(struct fl_setup *s, const char *base, struct fl_err *err)
{
	unsigned int i;

	for (i = 0; i < FL_GROUP_MAX; i++)
		s->base[i] = -1;
	if (!base)
		return 0;
	s->based = true;
	s->base[0] = open(base, O_RDONLY | O_CLOEXEC);
	return s->base[0] < 0 ? fl_fail(err, errno, "%s: %s", base, strerror(errno)) : 0;
}

static void count_unnamed(struct fl_setup *s)
{
	uint32_t i;

	for (i = 0; i < s->rq.nr_file; i++)
		s->unnamed += !s->rq.file[i].path[0];
}

int fl_setup_open(struct fl_setup *s, char *const *log, int nr, const char *base,
		  struct fl_err *err)
{
	int ret;

	*s = (struct fl_setup){ 0 };
	ret = open_base(s, base, err);
	if (!ret)
		ret = check_machine(err);
	if (!ret)
		ret = fl_group_open(&s->g, log, nr, FL_GROUP_STAMPS, err);
	if (ret)
		return ret;
	fl_cuts_build(&s->cuts, s->g);
	ret = fl_require_build(&s->rq, s->g, err);
	if (!ret)
		ret = fl_check_run(&s->ck, s->g, err);
	if (!ret)
		ret = fl_fs_detect(&s->where, s->g, s->base, err);
	count_unnamed(s);
	if (ret)
		fl_setup_close(s);
	return ret;
}

void fl_setup_close(struct fl_setup *s)
{
	fl_check_free(&s->ck);
	fl_require_free(&s->rq);
	fl_cuts_free(&s->cuts);
	fl_group_close(s->g);
	if (s->base[0] >= 0)
		close(s->base[0]);
	*s = (struct fl_setup){ .base = { -1 } };
}

void fl_setup_judge(const struct fl_setup *s, struct fl_judge_opts *o)
{
	o->g = s->g;
	o->cuts = &s->cuts;
	o->rq = &s->rq;
	o->where = &s->where;
	o->base = s->base;
}

/* As a shell takes it. */
static size_t put_quoted(char *out, size_t n, const char *word)
{
	size_t at = 0, i;
	bool safe = word[0] && !word[strspn(word, SAFE)];

	if (safe)
		return (size_t)snprintf(out, n, "%s", word);
	if (n > at)
		out[at] = '\'';
	at++;
	for (i = 0; word[i]; i++)
		at += (size_t)snprintf(out + (at < n ? at : n), at < n ? n - at : 0,
				       word[i] == '\'' ? "'\\''" : "%c", word[i]);
	return at + (size_t)snprintf(out + (at < n ? at : n), at < n ? n - at : 0, "'");
}

void fl_head_again(struct fl_walk_head *h, const char *option, const char *value)
{
	size_t n = sizeof(h->again), at = strlen(h->again);

	at += (size_t)snprintf(h->again + at, n - at, "%s%s%s", at ? " " : "", option,
			       option[0] && value ? " " : "");
	if (value && at < n)
		put_quoted(h->again + at, n - at, value);
}

void fl_setup_head(const struct fl_setup *s, struct fl_walk_head *h, char *const *log,
		   int nr, const char *how)
{
	size_t w = 0;
	char uuid[FL_UUID_LEN + 1];
	int i;

	*h = (struct fl_walk_head){ .shard = 1, .shards = 1,
				    .complete = fl_group_complete(s->g),
				    .imported = fl_group_imported(s->g),
				    .unnamed = s->unnamed };
	for (i = 0; i < nr; i++) {
		w += (size_t)snprintf(h->what + w, sizeof(h->what) - w, "%s ",
				      fl_uuid_str(uuid, s->g->log[i]->sup.uuid));
		w = w < sizeof(h->what) ? w : sizeof(h->what) - 1;
		fl_head_again(h, "", log[i]);
	}
	snprintf(h->what + w, sizeof(h->what) - w, "%s", how);
	snprintf(h->fs, sizeof(h->fs), "%s", s->where.type->name);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * load_promise: hands promises over.
 *
 * Takes   a range, its generation and the instant of the acknowledgement.
 * Gives   the message "promise run=... file=..." to a fluxlog target, or the same
 *	   text as a line of a file.
 * Relies  on the caller to have sampled the clock *before*: what happens in here,
 *	   waiting for the lock too, is later than the promise.
 */
#include <errno.h>
#include <inttypes.h>
#include <libdevmapper.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fluxlog_load.h"

/* Longest message: nine keys, six of them 64-bit numbers, and the longest path
 * that the log takes. */
#define MESSAGE_BYTES 1536

/**
 * struct load_promise - the sink
 * @o: the command line
 * @lock: libdevmapper is not safe to be called by two threads at once
 * @file: with LOAD_SINK_FILE
 */
struct load_promise {
	const struct load_opts *o;
	pthread_mutex_t lock;
	FILE *file;
};

/* libdevmapper prints each failure; here they are counted instead. */
static void dm_silent(int level, const char *file, int line, int dm_errno,
		      const char *fmt, ...)
{
	(void)level;
	(void)file;
	(void)line;
	(void)dm_errno;
	(void)fmt;
}

static int dm_message(const char *name, const char *text)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_TARGET_MSG);
	int ret = 0;

	if (!task)
		return -ENOMEM;
	if (!dm_task_set_name(task, name) || !dm_task_set_sector(task, 0) ||
	    !dm_task_set_message(task, text))
		ret = -ENOMEM;
	else if (!dm_task_run(task))
		ret = dm_task_get_errno(task) ? -dm_task_get_errno(task) : -EIO;
	dm_task_destroy(task);
	return ret;
}

/* Is there a device @name whose first target is a fluxlog? */
static int dm_probe(const char *name, struct fl_err *err)
{
	struct dm_task *task = dm_task_create(DM_DEVICE_STATUS);
	uint64_t start, len;
	char *type = NULL, *params;
	int ret = 0;

	if (!task || !dm_task_set_name(task, name))
		ret = fl_fail(err, ENODEV, "device %s: this kernel's device-mapper does not answer",
			      name);
	else if (!dm_task_run(task))
		ret = fl_fail(err, ENODEV, "device %s: no such device-mapper device, or no right to ask for it",
			      name);
	else
		dm_get_next_target(task, NULL, &start, &len, &type, &params);
	if (!ret && (!type || strcmp(type, "fluxlog")))
		ret = fl_fail(err, ENODEV, "device %s: its target is %s, not fluxlog", name,
			      type ? type : "missing");
	if (task)
		dm_task_destroy(task);
	return ret;
}

int load_promise_open(struct load_promise **out, const struct load_opts *o,
		      struct fl_err *err)
{
	struct load_promise *p = fl_alloc(1, sizeof(*p));
	int ret = 0;

	p->o = o;
	pthread_mutex_init(&p->lock, NULL);
	if (o->sink == LOAD_SINK_DM) {
		dm_log_with_errno_init(dm_silent);
		ret = dm_probe(o->sink_name, err);
	} else if (o->sink == LOAD_SINK_FILE) {
		p->file = fopen(o->sink_name, "ae");
		if (!p->file)
			ret = fl_fail(err, errno, "%s: cannot be opened to append: %s",
				      o->sink_name, strerror(errno));
	}
	if (ret) {
		free(p);
		return ret;
	}
	*out = p;
	return 0;
}

static int put_line(struct load_promise *p, const char *text)
{
	return fprintf(p->file, "%s\n", text) < 0 ? -EIO : 0;
}

int load_promise_send(struct load_promise *p, uint64_t file, const char *path,
		      const struct load_range *r, const char *call, uint64_t at_ns)
{
	char text[MESSAGE_BYTES];
	int ret;

	if (p->o->sink == LOAD_SINK_NONE)
		return 0;
	ret = snprintf(text, sizeof(text),
		       "promise run=%" PRIu64 " file=%" PRIu64 " start=%" PRIu64
		       " len=%" PRIu64 " gen=%" PRIu64 " at=%" PRIu64 " call=%s%s%s",
		       p->o->run, file, r->start, r->len, r->gen, at_ns,
		       call, *path ? " path=" : "", path);
	if (ret < 0 || (size_t)ret >= sizeof(text))
		return -ENAMETOOLONG;
	pthread_mutex_lock(&p->lock);
	ret = p->file ? put_line(p, text) : dm_message(p->o->sink_name, text);
	pthread_mutex_unlock(&p->lock);
	return ret;
}

int load_promise_mark(struct load_promise *p, const char *text, struct fl_err *err)
{
	char message[MESSAGE_BYTES];
	int ret;

	snprintf(message, sizeof(message), "mark %s", text);
	pthread_mutex_lock(&p->lock);
	ret = dm_message(p->o->sink_name, message);
	pthread_mutex_unlock(&p->lock);
	return ret ? fl_fail(err, -ret, "device %s: mark \"%s\" refused: %s", p->o->sink_name,
			     text, strerror(-ret)) : 0;
}

int load_promise_close(struct load_promise *p, struct fl_err *err)
{
	int ret = 0;

	if (p->file && fclose(p->file))
		ret = fl_fail(err, errno, "%s: promises are missing in it: %s",
			      p->o->sink_name, strerror(errno));
	pthread_mutex_destroy(&p->lock);
	free(p);
	return ret;
}

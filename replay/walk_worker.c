// SPDX-License-Identifier: GPL-2.0
/* See walk_worker.h. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "walk_worker.h"

#define GONE_TRIES 500	/* hundredths of a second to wait for a killed worker */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool write_all(int fd, const void *buf, size_t len)
{
	const char *p = buf;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* ---- in the worker ------------------------------------------------------------- */

static char *judge(struct fl_judge *j, const struct fl_judge_opts *o, const struct fl_point *p)
{
	char name[FL_POINT_NAME], *line;
	struct fl_err err = { "" };
	struct fl_result r = { .point = (char *)(uintptr_t)fl_point_name(name, p),
			       .tick = p->cut,
			       .promises = fl_require_count(o->rq, p->cut) };
	uint64_t start = now_ns();
	int ret = fl_judge_point(j, p, &r.findings, &r.bytes, &err);

	r.ms = (now_ns() - start) / 1000000;
	r.verdict = r.findings.nr ? FL_POINT_BAD : ret ? FL_POINT_ERROR : FL_POINT_GOOD;
	snprintf(r.text, sizeof(r.text), "%s", err.msg);
	line = fl_line_make(&r);
	fl_fs_free(&r.findings);
	return line;
}

/* The first answer: "ready", or an error. */
static bool say_ready(int fd, const char *error)
{
	char text[700];

	snprintf(text, sizeof(text), "%s%s\n", error ? "error " : "ready", error ? error : "");
	return write_all(fd, text, strlen(text));
}

static void work(int fd, const struct fl_judge_opts *o, const struct fl_plan *plan,
		 const char *dir)
{
	struct fl_err err = { "" };
	struct fl_judge *j;
	uint32_t point;

	if (fl_judge_open(&j, o, dir, &err)) {
		say_ready(fd, err.msg);
		return;
	}
	say_ready(fd, NULL);
	while (recv(fd, &point, sizeof(point), MSG_WAITALL) == sizeof(point)) {
		char *line = judge(j, o, &plan->point[point]);
		bool ok = write_all(fd, line, strlen(line)) && write_all(fd, "\n", 1);

		free(line);
		if (!ok)
			break;
	}
	fl_judge_close(j);
}

/* If the walk died before prctl(), the socket says so. */
static void be_worker(int fd, const struct fl_judge_opts *o, const struct fl_plan *plan,
		      const char *dir)
{
	/* a terminal's signals are for the walk */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	work(fd, o, plan, dir);
	_exit(0);
}

/* ---- in the walk --------------------------------------------------------------- */

static int await_ready(struct fl_worker *w, struct fl_err *err)
{
	char *line = NULL;
	int ret;

	do
		ret = fl_worker_read(w, &line);
	while (!ret);
	if (ret < 0)
		return fl_fail(err, -ret, "a worker died while it started");
	ret = 0;
	if (strcmp(line, "ready"))
		ret = fl_fail(err, EIO, "%s", strncmp(line, "error ", 6) ? line : line + 6);
	free(line);
	return ret;
}

/* A child that is the first process of a pid namespace: whatever it runs (fsck, a mount
 * command) dies with it, however it ends. */
static pid_t fork_apart(struct fl_err *err)
{
	int own = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	pid_t pid = -1;

	if (own < 0 || unshare(CLONE_NEWPID)) {
		fl_fail(err, errno, "a pid namespace for a worker: %s", strerror(errno));
	} else {
		pid = fork();
		if (pid < 0)
			fl_fail(err, errno, "a process for a worker: %s", strerror(errno));
		if (pid && setns(own, CLONE_NEWPID))
			fl_fail(err, errno, "back to this pid namespace: %s", strerror(errno));
	}
	if (own >= 0)
		close(own);
	return pid;
}

int fl_worker_start(struct fl_worker *w, const struct fl_judge_opts *o,
		    const struct fl_plan *plan, const char *dir, struct fl_err *err)
{
	int fds[2], ret;

	*w = (struct fl_worker){ .fd = -1, .point = FL_NO_POINT };
	if (mkdir(dir, 0700) && errno != EEXIST)
		return fl_fail(err, errno, "%s: %s", dir, strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return fl_fail(err, errno, "a socket for a worker: %s", strerror(errno));
	w->pid = fork_apart(err);
	if (!w->pid) {
		close(fds[0]);
		be_worker(fds[1], o, plan, dir);
	}
	close(fds[1]);
	if (w->pid < 0) {
		close(fds[0]);
		w->pid = 0;
		return -EIO;
	}
	setpgid(w->pid, w->pid);
	w->fd = fds[0];
	ret = await_ready(w, err);
	if (ret)
		fl_worker_stop(w);
	return ret;
}

int fl_worker_give(struct fl_worker *w, uint32_t point)
{
	w->point = point;
	w->since_ns = now_ns();
	w->splat[0] = '\0';
	return write_all(w->fd, &point, sizeof(point)) ? 0 : -EPIPE;
}

int fl_worker_read(struct fl_worker *w, char **line)
{
	char *end;
	ssize_t n;

	if (w->room - w->have < 4096) {
		w->room = w->room ? 2 * w->room : 16384;
		w->buf = fl_realloc(w->buf, w->room, 1);
	}
	n = recv(w->fd, w->buf + w->have, w->room - w->have - 1, 0);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return n ? -errno : -EPIPE;
	w->have += (size_t)n;
	w->buf[w->have] = '\0';
	end = memchr(w->buf, '\n', w->have);
	if (!end)
		return 0;
	*end = '\0';
	*line = fl_strdup(w->buf);
	w->have = 0;
	return 1;
}

void fl_worker_stop(struct fl_worker *w)
{
	const struct timespec wait = { .tv_nsec = 10000000 };
	int i;

	if (!w->pid)
		return;
	if (w->fd >= 0)
		close(w->fd);
	/* also an idle one: all that it has goes with it */
	kill(-w->pid, SIGKILL);
	for (i = 0; i < GONE_TRIES && waitpid(w->pid, NULL, WNOHANG) == 0; i++)
		nanosleep(&wait, NULL);
	free(w->buf);
	*w = (struct fl_worker){ .fd = -1, .point = FL_NO_POINT };
}

// SPDX-License-Identifier: GPL-2.0
/*
 * See image_fuse.h.
 *
 * Threads take turns at receiving: one waits for a request, hands the turn on and then
 * answers, so any number answer at once. A close is answered before the turn is handed
 * on: the kernel sends it before whatever the closer asks next, and so it must count
 * before that, else an image opened again could show what was written to it before.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "image_fuse.h"
#include "image_fuse_ops.h"

#define MAX_THREADS 16

/**
 * struct fl_fs - a mount and who serves it
 * @served: what the operations know
 * @se: libfuse's session
 * @thread, @nr_thread: who serves
 * @turn: held while waiting for a request
 * @stop: eventfd: the threads shall end
 * @ended: eventfd: the mount is gone
 */
struct fl_fs {
	struct fl_served served;
	struct fuse_session *se;
	pthread_t thread[MAX_THREADS];
	unsigned int nr_thread;
	pthread_mutex_t turn;
	int stop, ended;
};

/* ---- threads ----------------------------------------------------------------- */

static void signal_event(int fd)
{
	eventfd_write(fd, 1);
}

static bool is_release(const struct fuse_buf *buf)
{
	const struct fuse_in_header *in = buf->mem;

	return buf->size >= sizeof(*in) && in->opcode == FUSE_RELEASE;
}

/* Wait for a request. False: the threads shall end, or the mount is gone. */
static bool wait_request(struct fl_fs *fs, struct fuse_buf *buf)
{
	struct pollfd p[2] = {
		{ .fd = fuse_session_fd(fs->se), .events = POLLIN },
		{ .fd = fs->stop, .events = POLLIN },
	};
	int res;

	for (;;) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents)
			return false;
		res = fuse_session_receive_buf(fs->se, buf);
		if (res > 0)
			return true;
		if (res != -EINTR && res != -EAGAIN) {
			signal_event(fs->ended);
			return false;
		}
	}
}

/* The next request that may be answered beside others. */
static bool receive(struct fl_fs *fs, struct fuse_buf *buf)
{
	bool go_on;

	pthread_mutex_lock(&fs->turn);
	while ((go_on = wait_request(fs, buf)) && is_release(buf))
		fuse_session_process_buf(fs->se, buf);
	pthread_mutex_unlock(&fs->turn);
	return go_on;
}

static void *serve(void *arg)
{
	struct fl_fs *fs = arg;
	struct fuse_buf buf = { .mem = NULL };
	uint8_t *lent = fl_alloc(1, FL_FS_LENT);

	fl_fs_lend(lent);
	while (receive(fs, &buf))
		fuse_session_process_buf(fs->se, &buf);
	free(buf.mem);
	free(lent);
	return NULL;
}

/* As many as keep every core busy while some of them wait for a disk. */
static unsigned int nr_threads(unsigned int wanted)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	long n = wanted ? wanted : 2 * cores + 2;

	return n < MAX_THREADS ? (unsigned int)n : MAX_THREADS;
}

/* Signals are for the threads that the program itself has made. */
static int start_threads(struct fl_fs *fs, unsigned int want, struct fl_err *err)
{
	sigset_t all, old;
	int ret = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	while (fs->nr_thread < want && !ret) {
		ret = pthread_create(&fs->thread[fs->nr_thread], NULL, serve, fs);
		if (!ret)
			fs->nr_thread++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret ? fl_fail(err, ret, "starting a thread: %s", strerror(ret)) : 0;
}

/* ---- starting and stopping ---------------------------------------------------- */

/* What libfuse has to say while it mounts is the cause in our own message. */
static _Thread_local char *said;

#define SAID_BYTES 256

static void hear(enum fuse_log_level level, const char *fmt, va_list ap)
{
	char line[SAID_BYTES];

	if (level > FUSE_LOG_WARNING)
		return;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	if (said)
		memcpy(said, line, sizeof(line));
	else
		fprintf(stderr, "fluxlog: %s\n", line);
}

static int mount_session(struct fl_fs *fs, const char *dir, struct fl_err *err)
{
	char why[SAID_BYTES] = "", opts[160];
	char *argv[] = { "fluxlog", "-o", opts, NULL };
	struct fuse_args args = FUSE_ARGS_INIT(3, argv);
	int failed;

	snprintf(opts, sizeof(opts), "fsname=fluxlog,subtype=fluxlog,default_permissions,"
		 "max_read=%u%s%s", FL_FS_REQUEST, geteuid() ? "" : ",allow_other",
		 fs->served.read_only ? ",ro" : "");
	said = why;
	fuse_set_log_func(hear);
	fs->se = fuse_session_new(&args, &fl_fs_ops, sizeof(fl_fs_ops), &fs->served);
	failed = !fs->se || fuse_session_mount(fs->se, dir);
	said = NULL;
	fuse_opt_free_args(&args);
	if (failed)
		return fl_fail(err, EIO, "%s: cannot be mounted on: %s", dir,
			       *why ? why : "libfuse does not say why");
	/* a request can be taken back between poll() and read() */
	if (fcntl(fuse_session_fd(fs->se), F_SETFL, O_NONBLOCK))
		return fl_fail(err, errno, "%s: %s", dir, strerror(errno));
	return 0;
}

/* The kernel reads ahead 128 KiB by itself; more saves requests. A hint, no more. */
static void widen_readahead(const char *dir)
{
	char path[80];
	struct stat st;
	FILE *f;

	if (stat(dir, &st))
		return;
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/read_ahead_kb", major(st.st_dev),
		 minor(st.st_dev));
	f = fopen(path, "we");
	if (!f)
		return;
	fprintf(f, "%u\n", FL_FS_REQUEST / 1024);
	fclose(f);
}

static int check_dir(const char *dir, struct fl_err *err)
{
	struct stat st;

	if (stat(dir, &st))
		return fl_fail(err, errno, "%s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fl_fail(err, ENOTDIR, "%s: %s", dir, strerror(ENOTDIR));
	return 0;
}

static struct fl_fs *new_fs(const struct fl_group *g, const struct fl_cuts *cuts,
			    const struct fl_fs_opts *o)
{
	struct fl_fs *fs = fl_alloc(1, sizeof(*fs));
	uint64_t ns = g->log[0]->sup.created_real_ns;

	fs->served = (struct fl_served){
		.tree = fl_tree_new(g, cuts, o->base, o->keep),
		.read_only = o->read_only,
		.born = { .tv_sec = (time_t)(ns / 1000000000),
			  .tv_nsec = (long)(ns % 1000000000) },
	};
	fs->stop = eventfd(0, EFD_CLOEXEC);
	fs->ended = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&fs->turn, NULL);
	return fs;
}

int fl_fs_start(struct fl_fs **out, const struct fl_group *g, const struct fl_cuts *cuts,
		const struct fl_fs_opts *o, const char *dir, struct fl_err *err)
{
	struct fl_fs *fs;
	int ret = check_dir(dir, err);

	if (ret)
		return ret;
	fs = new_fs(g, cuts, o);
	if (fs->stop < 0 || fs->ended < 0)
		ret = fl_fail(err, EMFILE, "%s: no event descriptor", dir);
	if (!ret)
		ret = mount_session(fs, dir, err);
	if (!ret)
		ret = start_threads(fs, nr_threads(o->threads), err);
	if (ret) {
		fl_fs_stop(fs);
		return ret;
	}
	widen_readahead(dir);
	*out = fs;
	return 0;
}

int fl_fs_ended(const struct fl_fs *fs)
{
	return fs->ended;
}

/* The threads end first, then the mount, then the connection: users get an error, and
 * nobody waits. */
void fl_fs_stop(struct fl_fs *fs)
{
	unsigned int i;

	if (!fs)
		return;
	signal_event(fs->stop);
	for (i = 0; i < fs->nr_thread; i++)
		pthread_join(fs->thread[i], NULL);
	if (fs->se) {
		fuse_session_unmount(fs->se);
		fuse_session_destroy(fs->se);
	}
	fl_tree_free(fs->served.tree);
	if (fs->stop >= 0)
		close(fs->stop);
	if (fs->ended >= 0)
		close(fs->ended);
	pthread_mutex_destroy(&fs->turn);
	free(fs);
}

bool fl_fs_written(struct fl_fs *fs, const char *id, uint64_t sector, uint64_t nr)
{
	return fl_tree_written(fs->served.tree, id, sector, nr);
}

unsigned int fl_fs_users(struct fl_fs *fs, const char *id)
{
	return fl_tree_users(fs->served.tree, id);
}

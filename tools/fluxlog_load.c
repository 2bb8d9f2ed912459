// SPDX-License-Identifier: GPL-2.0
/*
 * load: main of fluxlog-load.
 *
 * Takes   the command line.
 * Gives   files under --dir, promises, progress on stderr, a summary on stdout.
 * Relies  on files being new: a file that an earlier run left would hold stamps of
 *	   the same run and place, so it is refused.
 *
 * The directory is synced once before the first write, so that the names of the
 * files are promised as well, not only their bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fluxlog_load.h"

/**
 * struct load - a run
 * @o: the command line
 * @dir: resolved directory
 * @rel: @dir from the root of its filesystem, "" or "a/b/"; in @dir
 * @path: path of each file from there, "" if a promise cannot carry it
 * @lock, @ended, @running: tell the progress lines of the end
 */
struct load {
	struct load_opts o;
	char *dir;
	const char *rel;
	char **path;
	struct load_promise *promise;
	struct load_worker *w;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	uint64_t running;
};

static uint64_t nr_files(const struct load *l)
{
	return l->o.shared ? 1 : l->o.threads;
}

/* Where in @dir the path below the root of its filesystem begins: go up as long
 * as the device stays the same. */
static const char *below_mount(const char *dir)
{
	char up[PATH_MAX];
	size_t root = strlen(dir);
	struct stat here, above;

	if (stat(dir, &here) || root >= sizeof(up))
		return dir + root;
	memcpy(up, dir, root + 1);
	for (char *slash = strrchr(up, '/'); slash; slash = strrchr(up, '/')) {
		slash[slash == up] = '\0';
		if (stat(up, &above) || above.st_dev != here.st_dev)
			break;
		root = (size_t)(slash - up);
		if (slash == up)
			break;
	}
	return dir[root] == '/' ? dir + root + 1 : dir + root;
}

/* A promise carries a path only if the message leaves it as it is: dm splits
 * arguments at spaces and takes backslashes for itself. */
static bool path_is_plain(const char *path)
{
	for (; *path; path++)
		if (*path <= ' ' || *path > '~' || *path == '\\')
			return false;
	return true;
}

static char *file_path(const struct load *l, uint64_t file)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%srun%" PRIu64 ".file%" PRIu64, l->rel,
			 *l->rel ? "/" : "", l->o.run, file);

	if (n < 0 || n > 900 || !path_is_plain(path))
		return fl_strdup("");
	return fl_strdup(path);
}

static int open_file(const struct load *l, uint64_t file, int flags, struct fl_err *err)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/run%" PRIu64 ".file%" PRIu64, l->dir, l->o.run, file);
	flags |= O_RDWR | O_CLOEXEC;
	flags |= l->o.io == LOAD_DIRECT ? O_DIRECT : 0;
	flags |= l->o.sync == LOAD_DSYNC && !l->o.no_sync ? O_DSYNC : 0;
	fd = open(path, flags, 0644);
	if (fd < 0 && errno == EEXIST)
		return fl_fail(err, EEXIST, "%s: exists already: choose another --run", path);
	if (fd < 0)
		return fl_fail(err, errno, "%s: cannot be opened: %s", path, strerror(errno));
	return fd;
}

static int sync_dir(const struct load *l, struct fl_err *err)
{
	int fd = open(l->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0 || fsync(fd))
		ret = fl_fail(err, errno, "%s: directory cannot be synced: %s", l->dir,
			      strerror(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

static int resolve_dir(struct load *l, struct fl_err *err)
{
	l->dir = realpath(l->o.dir, NULL);
	if (!l->dir)
		return fl_fail(err, errno, "--dir %s: %s", l->o.dir, strerror(errno));
	l->rel = below_mount(l->dir);
	return 0;
}

static int make_workers(struct load *l, struct fl_err *err)
{
	l->path = fl_alloc(nr_files(l), sizeof(*l->path));
	l->w = fl_alloc(l->o.threads, sizeof(*l->w));
	for (uint64_t i = 0; i < l->o.threads; i++) {
		struct load_worker *w = &l->w[i];
		bool first = i < nr_files(l);
		int ret;

		w->id = i;
		w->file = l->o.shared ? 0 : i;
		if (first)
			l->path[w->file] = file_path(l, w->file);
		w->path = l->path[w->file];
		w->fd = open_file(l, w->file, first ? O_CREAT | O_EXCL : 0, err);
		if (w->fd < 0)
			return w->fd;
		ret = load_worker_init(w, &l->o, l->promise, err);
		if (ret)
			return ret;
	}
	return l->o.no_sync ? 0 : sync_dir(l, err);
}

static uint64_t sum(const struct load *l, size_t field)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < l->o.threads; i++)
		n += *(const _Atomic uint64_t *)((const char *)&l->w[i].count + field);
	return n;
}

#define SUM(l, field) sum(l, offsetof(struct load_count, field))

static uint64_t total_ops(const struct load_opts *o)
{
	return o->threads * (o->ops + (o->mode == LOAD_OVERWRITE ? o->file_blocks : 0));
}

static void print_progress(const struct load *l, uint64_t begin_ns)
{
	double sec = (double)(load_now_ns() - begin_ns) / 1e9;
	uint64_t ops = SUM(l, ops);

	fprintf(stderr, "fluxlog-load: %" PRIu64 " of %" PRIu64 " writes, %" PRIu64
		" syncs, %" PRIu64 " promises, %" PRIu64 " errors, %.0f writes/s\n",
		ops, total_ops(&l->o), SUM(l, syncs), SUM(l, promises),
		SUM(l, errors), sec > 0 ? (double)ops / sec : 0);
}

/* Print a line now and then until no thread runs any more. */
static void watch(struct load *l, uint64_t begin_ns)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	pthread_mutex_lock(&l->lock);
	while (l->running) {
		int ret = 0;

		ts.tv_sec += (time_t)l->o.progress;
		while (l->running && !ret)
			ret = l->o.progress ?
			      pthread_cond_timedwait(&l->ended, &l->lock, &ts) :
			      pthread_cond_wait(&l->ended, &l->lock);
		if (l->running)
			print_progress(l, begin_ns);
	}
	pthread_mutex_unlock(&l->lock);
}

struct start {
	struct load *l;
	struct load_worker *w;
};

static void *thread_main(void *arg)
{
	struct start *s = arg;

	load_worker_run(s->w);
	pthread_mutex_lock(&s->l->lock);
	s->l->running--;
	pthread_cond_signal(&s->l->ended);
	pthread_mutex_unlock(&s->l->lock);
	free(s);
	return NULL;
}

static int start_worker(struct load *l, struct load_worker *w, struct fl_err *err)
{
	struct start *s = fl_alloc(1, sizeof(*s));
	int ret;

	*s = (struct start){ .l = l, .w = w };
	pthread_mutex_lock(&l->lock);
	ret = pthread_create(&w->thread, NULL, thread_main, s);
	l->running += !ret;
	pthread_mutex_unlock(&l->lock);
	if (!ret)
		return 0;
	free(s);
	return fl_fail(err, ret, "writer %" PRIu64 " cannot be started: %s", w->id,
		       strerror(ret));
}

static int run_workers(struct load *l, uint64_t begin_ns, struct fl_err *err)
{
	uint64_t n;
	int ret = 0;

	for (n = 0; n < l->o.threads && !ret; n++)
		ret = start_worker(l, &l->w[n], err);
	watch(l, begin_ns);
	for (uint64_t i = 0; i < n - !!ret; i++)
		pthread_join(l->w[i].thread, NULL);
	return ret;
}

static void print_failures(const struct load *l)
{
	static const char *const step[] = { "write", "sync", "promise" };

	for (unsigned int s = 0; s < LOAD_STEPS; s++)
		for (unsigned int e = 0; e < LOAD_ERRNO_MAX; e++) {
			uint64_t n = 0;

			for (uint64_t i = 0; i < l->o.threads; i++)
				n += l->w[i].count.failed[s][e];
			if (n)
				printf("failed %s %s %" PRIu64 "\n", step[s],
				       strerrorname_np((int)e) ?: "other", n);
		}
}

static void print_summary(const struct load *l, uint64_t begin_ns)
{
	double sec = (double)(load_now_ns() - begin_ns) / 1e9;
	uint64_t ops = SUM(l, ops), gave_up = 0;

	for (uint64_t i = 0; i < l->o.threads; i++)
		gave_up += l->w[i].count.gave_up;
	print_failures(l);
	if (gave_up)
		printf("gave up %" PRIu64 " of %" PRIu64 " writers: nothing succeeded any more\n",
		       gave_up, l->o.threads);
	printf("run %" PRIu64 " writes %" PRIu64 " syncs %" PRIu64 " promises %" PRIu64
	       " errors %" PRIu64 " seconds %.2f rate %.0f/s\n",
	       l->o.run, ops, SUM(l, syncs), SUM(l, promises), SUM(l, errors), sec,
	       sec > 0 ? (double)ops / sec : 0);
}

/* 0 or -errno; what single calls did is in the counts */
static int run(struct load *l, struct fl_err *err)
{
	uint64_t begin_ns;
	int ret = resolve_dir(l, err);

	if (!ret)
		ret = load_promise_open(&l->promise, &l->o, err);
	if (!ret)
		ret = make_workers(l, err);
	if (ret)
		return ret;
	begin_ns = load_now_ns();
	for (uint64_t i = 0; l->o.mode == LOAD_OVERWRITE && i < l->o.threads; i++)
		load_worker_fill(&l->w[i]);
	if (l->o.mark)
		ret = load_promise_mark(l->promise, l->o.mark, err);
	if (!ret)
		ret = run_workers(l, begin_ns, err);
	if (!ret)
		print_summary(l, begin_ns);
	return ret;
}

static int finish(struct load *l, struct fl_err *err)
{
	for (uint64_t i = 0; l->w && i < l->o.threads; i++)
		load_worker_free(&l->w[i]);
	for (uint64_t i = 0; l->path && i < nr_files(l); i++)
		free(l->path[i]);
	free(l->path);
	free(l->dir);
	return l->promise ? load_promise_close(l->promise, err) : 0;
}

int main(int argc, char **argv)
{
	struct load l = {
		.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER,
	};
	struct fl_err err = { "" }, late = { "" };
	int ret = load_opts_parse(&l.o, argc, argv, &err);
	bool failed;

	if (!ret)
		ret = run(&l, &err);
	failed = !ret && SUM(&l, errors);
	if (finish(&l, &late) && !ret) {
		ret = -EIO;
		err = late;
	}
	free(l.w);
	if (ret) {
		fprintf(stderr, "fluxlog-load: %s\n", err.msg);
		return FL_EXIT_CANNOT;
	}
	return failed ? FL_EXIT_FINDINGS : FL_EXIT_FINE;
}

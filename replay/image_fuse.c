// SPDX-License-Identifier: GPL-2.0
/*
 * See image_fuse.h.
 *
 * Threads take turns at receiving: one waits for a request, hands the turn on and then
 * answers, so any number answer at once. A close is answered before the turn is handed
 * on: the kernel sends it before whatever the closer asks next, and so it must count
 * before that, else an image opened again could show what was written to it before.
 *
 * There is no flush operation: a process that dies while it serves itself would wait in
 * the close of its files for an answer that it can no longer give.
 */
#define FUSE_USE_VERSION 312
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse_lowlevel.h>
#include <linux/falloc.h>
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
#include "image_tree.h"

#define REQUEST_BYTES (1u << 20)	/* the most that a kernel asks for at once */
#define KNOWN_FOR 86400.0		/* names and sizes never change */
#define MAX_THREADS 16
#define UNKNOWN_INO 0xffffffffu

/**
 * struct fl_fs - a mount and who serves it
 * @se: libfuse's session
 * @tree: what is there
 * @thread, @nr_thread: who serves
 * @turn: held while waiting for a request
 * @stop: eventfd: the threads shall end
 * @ended: eventfd: the mount is gone
 * @born: time stamp of all files
 */
struct fl_fs {
	const struct fl_group *g;
	struct fl_fs_opts o;
	struct fuse_session *se;
	struct fl_tree *tree;
	pthread_t thread[MAX_THREADS];
	unsigned int nr_thread;
	pthread_mutex_t turn;
	int stop, ended;
	struct timespec born;
};

/* Where a thread puts what is read: room for whole sectors around a request. */
static _Thread_local uint8_t *bounce;

/* ---- nodes and attributes ---------------------------------------------------- */

static struct fl_fs *fs_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* The kernel's number of a node is where it is; the root's is fixed. */
static struct fl_node *node_of(fuse_req_t req, fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? fl_tree_root(fs_of(req)->tree) : (struct fl_node *)ino;
}

static void fill_stat(const struct fl_fs *fs, const struct fl_node *n, struct stat *st)
{
	mode_t write = fs->o.read_only ? 0 : 0200;

	*st = (struct stat){
		.st_ino = n->ino, .st_uid = getuid(), .st_gid = getgid(),
		.st_nlink = n->file ? 1 : 2,
		.st_mode = n->file ? S_IFREG | 0444 | write : S_IFDIR | 0555,
		.st_size = (off_t)fl_node_bytes(n),
		.st_blocks = (blkcnt_t)(fl_node_bytes(n) / FL_SECTOR),
		.st_blksize = REQUEST_BYTES,
		.st_atim = fs->born, .st_mtim = fs->born, .st_ctim = fs->born,
	};
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = KNOWN_FOR, .entry_timeout = KNOWN_FOR };
	struct fl_fs *fs = fs_of(req);
	struct fl_node *n = fl_tree_lookup(fs->tree, node_of(req, parent), name);

	if (!n) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	e.ino = (fuse_ino_t)n;
	fill_stat(fs, n, &e.attr);
	if (fuse_reply_entry(req, &e) == -ENOENT)	/* interrupted: it never got there */
		fl_tree_forget(fs->tree, n, 1);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	if (ino != FUSE_ROOT_ID)
		fl_tree_forget(fs_of(req)->tree, node_of(req, ino), nlookup);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *f)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (f[i].ino != FUSE_ROOT_ID)
			fl_tree_forget(fs_of(req)->tree, node_of(req, f[i].ino), f[i].nlookup);
	fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_stat(fs_of(req), node_of(req, ino), &st);
	fuse_reply_attr(req, &st, KNOWN_FOR);
}

/* An image keeps its size, owner, mode and times: a tool that sets times is let be. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *fi)
{
	uint64_t bytes = fl_node_bytes(node_of(req, ino));

	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else if ((to_set & FUSE_SET_ATTR_SIZE) && (uint64_t)attr->st_size != bytes)
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

/* ---- folders ----------------------------------------------------------------- */

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	fuse_reply_open(req, fi);
}

/* The name at place @i, "." and ".." first. */
static const char *dir_entry(const struct fl_fs *fs, const struct fl_node *dir, uint64_t i,
			     char buf[FL_IMAGE_NAME])
{
	if (i < 2)
		return i ? ".." : ".";
	return fl_tree_list(fs->tree, dir, i - 2, buf);
}

/* An offset is the place of the next entry, so reading on costs no search. */
static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	struct fl_node *dir = node_of(req, ino);
	struct stat st = { .st_ino = UNKNOWN_INO };
	char name[FL_IMAGE_NAME], *buf = (char *)bounce;
	const char *entry;
	uint64_t i = (uint64_t)off;
	size_t used = 0, n;

	(void)fi;
	if (size > REQUEST_BYTES)
		size = REQUEST_BYTES;
	while ((entry = dir_entry(fs_of(req), dir, i, name))) {
		st.st_mode = i >= 2 && dir->parent ? S_IFREG : S_IFDIR;
		n = fuse_add_direntry(req, buf + used, size - used, entry, &st,
				      (off_t)(i + 1));
		if (n > size - used)
			break;
		used += n;
		i++;
	}
	fuse_reply_buf(req, buf, used);
}

/* ---- files ------------------------------------------------------------------- */

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct fl_fs *fs = fs_of(req);
	struct fl_node *n = node_of(req, ino);
	bool cache;

	if (fs->o.read_only && (fi->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EROFS);
		return;
	}
	if (fl_tree_open(fs->tree, n, &cache)) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	fi->keep_cache = cache;
	fi->noflush = 1;
	if (fuse_reply_open(req, fi) == -ENOENT)	/* interrupted: not open */
		fl_tree_close(fs->tree, n);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	fl_tree_close(fs_of(req)->tree, node_of(req, ino));
	fuse_reply_err(req, 0);
}

/* The bytes of the mount are the verdict's ground: what could not be read is said. */
static void reply_failed(fuse_req_t req, const struct fl_node *n, int ret,
			 const struct fl_err *err)
{
	fprintf(stderr, "fluxlog: %s/%s: %s\n", n->parent->name, n->name, err->msg);
	fuse_reply_err(req, -ret);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off, first = at / FL_SECTOR;
	struct fl_err err;
	int ret;

	(void)fi;
	if (size > REQUEST_BYTES)
		size = REQUEST_BYTES;
	if (at >= bytes)
		size = 0;
	else if (size > bytes - at)
		size = bytes - at;
	ret = fl_cow_read(n->file->cow, bounce, first,
			  size ? (at + size - 1) / FL_SECTOR + 1 - first : 0, &err);
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_buf(req, (char *)bounce + at % FL_SECTOR, size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off;
	struct fl_err err;
	int ret;

	(void)fi;
	if (at >= bytes) {
		fuse_reply_err(req, ENOSPC);
		return;
	}
	if (size > bytes - at)
		size = bytes - at;
	fl_tree_will_write(fs_of(req)->tree, n);
	ret = fl_cow_write(n->file->cow, buf, size, at, &err);
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_write(req, size);
}

static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t length,
			 struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off, len = (uint64_t)length;
	struct fl_err err;
	int ret = 0;

	(void)fi;
	if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
		fuse_reply_err(req, EOPNOTSUPP);
		return;
	}
	if (at > bytes || len > bytes - at) {
		if (!(mode & FALLOC_FL_KEEP_SIZE)) {
			fuse_reply_err(req, ENOSPC);
			return;
		}
		len = at > bytes ? 0 : bytes - at;
	}
	if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
		fl_tree_will_write(fs_of(req)->tree, n);
		ret = fl_cow_zero(n->file->cow, len, at, &err);
	}
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_err(req, 0);
}

static void op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
		     struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off;

	(void)fi;
	if (whence != SEEK_DATA && whence != SEEK_HOLE) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	if (at < bytes)
		at = fl_cow_seek(n->file->cow, at, bytes, whence == SEEK_DATA);
	else
		at = UINT64_MAX;
	/* there is always a hole at the end, and no data */
	if (at > bytes || (at == bytes && whence == SEEK_DATA))
		fuse_reply_err(req, ENXIO);
	else
		fuse_reply_lseek(req, (off_t)at);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_read = REQUEST_BYTES;
	conn->max_write = REQUEST_BYTES;
	conn->max_readahead = REQUEST_BYTES;
	/* a close is sent in the background and must not queue behind reads */
	conn->max_background = UINT16_MAX;
	conn->congestion_threshold = UINT16_MAX;
	/* requests must come in memory, see receive(); bytes change by nobody else's hand */
	conn->want &= ~(unsigned int)(FUSE_CAP_SPLICE_READ | FUSE_CAP_AUTO_INVAL_DATA);
}

static const struct fuse_lowlevel_ops ops = {
	.init = op_init,
	.lookup = op_lookup, .forget = op_forget, .forget_multi = op_forget_multi,
	.getattr = op_getattr, .setattr = op_setattr,
	.opendir = op_opendir, .readdir = op_readdir,
	.open = op_open, .release = op_release,
	.read = op_read, .write = op_write, .fallocate = op_fallocate, .lseek = op_lseek,
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

	bounce = fl_alloc(1, REQUEST_BYTES + 2 * FL_SECTOR);
	while (receive(fs, &buf))
		fuse_session_process_buf(fs->se, &buf);
	free(buf.mem);
	free(bounce);
	return NULL;
}

/* As many as keep every core busy while some of them wait for a disk. */
static unsigned int nr_threads(const struct fl_fs *fs)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	long n = fs->o.threads ? fs->o.threads : 2 * cores + 2;

	return n < MAX_THREADS ? (unsigned int)n : MAX_THREADS;
}

/* Signals are for the threads that the program itself has made. */
static int start_threads(struct fl_fs *fs, struct fl_err *err)
{
	unsigned int want = nr_threads(fs);
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
		 "max_read=%u%s%s", REQUEST_BYTES, geteuid() ? "" : ",allow_other",
		 fs->o.read_only ? ",ro" : "");
	said = why;
	fuse_set_log_func(hear);
	fs->se = fuse_session_new(&args, &ops, sizeof(ops), fs);
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
	fprintf(f, "%u\n", REQUEST_BYTES / 1024);
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

	fs->g = g;
	fs->o = *o;
	fs->born = (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				      .tv_nsec = (long)(ns % 1000000000) };
	fs->tree = fl_tree_new(g, cuts, o->base, o->keep);
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
		ret = start_threads(fs, err);
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
	fl_tree_free(fs->tree);
	if (fs->stop >= 0)
		close(fs->stop);
	if (fs->ended >= 0)
		close(fs->ended);
	pthread_mutex_destroy(&fs->turn);
	free(fs);
}

bool fl_fs_written(struct fl_fs *fs, const char *id, uint64_t sector, uint64_t nr)
{
	return fl_tree_written(fs->tree, id, sector, nr);
}

unsigned int fl_fs_users(struct fl_fs *fs, const char *id)
{
	return fl_tree_users(fs->tree, id);
}

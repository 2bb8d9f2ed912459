// SPDX-License-Identifier: GPL-2.0
/* See walk_point.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs_mount.h"
#include "image_fuse.h"
#include "image_name.h"
#include "walk_point.h"

#define PATH (128 + FL_CUT_NAME + FL_IMAGE_NAME)

/* @server: socket to the process that serves the images */
struct fl_judge {
	const struct fl_judge_opts *o;
	int server;
	char images[128], mnt[128];
};

/* One device of the image while it is in use. */
struct part {
	char id[FL_CUT_NAME + FL_IMAGE_NAME];
	int file;		/* keeps what recovery writes until the end */
	struct fl_loop loop;
};

/* ---- the server of the images --------------------------------------------------- */

/*
 * Who waits for I/O on an image cannot be killed before the I/O ends, and it ends when
 * the last descriptor of the server is closed. So the server must not be the process that
 * mounts: one killed in the midst of a recovery would wait for itself for ever.
 */

/* Its first word: fl_fs_start()'s answer. */
struct hello {
	int ret;
	struct fl_err err;
};

/* A question: were any of these sectors written to? The answer is a bool. */
struct question {
	char id[FL_CUT_NAME + FL_IMAGE_NAME];
	uint64_t sector, nr;
};

static bool get(int fd, void *buf, size_t n)
{
	return recv(fd, buf, n, MSG_WAITALL) == (ssize_t)n;
}

static bool put(int fd, const void *buf, size_t n)
{
	return send(fd, buf, n, MSG_NOSIGNAL) == (ssize_t)n;
}

/* Serve until the other end is closed. */
static void serve(const struct fl_judge *j, int fd)
{
	struct fl_fs_opts fo = { .base = j->o->base, .threads = 2 };
	struct hello hello = { 0 };
	struct fl_fs *fs = NULL;
	struct question q;

	hello.ret = fl_fs_start(&fs, j->o->g, j->o->cuts, &fo, j->images, &hello.err);
	if (put(fd, &hello, sizeof(hello)) && !hello.ret) {
		while (get(fd, &q, sizeof(q))) {
			bool written = fl_fs_written(fs, q.id, q.sector, q.nr);

			if (!put(fd, &written, sizeof(written)))
				break;
		}
	}
	fl_fs_stop(fs);
	_exit(0);
}

/* The caller goes on in a child; the process itself becomes the server, so that in a pid
 * namespace of which it is the first the child dies with it. */
static int fork_off(struct fl_judge *j, struct fl_err *err)
{
	struct hello hello;
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return fl_fail(err, errno, "a socket for images: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return fl_fail(err, errno, "a process for images: %s", strerror(errno));
	if (pid) {
		close(fds[1]);
		serve(j, fds[0]);
	}
	close(fds[0]);
	j->server = fds[1];
	if (!get(j->server, &hello, sizeof(hello)))
		return fl_fail(err, EIO, "the process that serves images died");
	*err = hello.err;
	/* what is mounted from here on is not the server's: a server that is killed must not
	 * unmount a filesystem whose I/O it serves, it would wait for itself */
	return hello.ret ? hello.ret : fl_ns_private(err);
}

/* ---- once a process ----------------------------------------------------------- */

int fl_judge_open(struct fl_judge **out, const struct fl_judge_opts *o, const char *dir,
		  struct fl_err *err)
{
	struct fl_judge *j = fl_alloc(1, sizeof(*j));
	int ret = fl_ns_private(err);

	*j = (struct fl_judge){ .o = o, .server = -1 };
	snprintf(j->images, sizeof(j->images), "%s/images", dir);
	snprintf(j->mnt, sizeof(j->mnt), "%s/mnt", dir);
	/* a tmpfs that only this process sees: nothing is left behind, however it ends */
	if (!ret && (mount("none", dir, "tmpfs", 0, "size=1m") || mkdir(j->images, 0700) ||
		     mkdir(j->mnt, 0700)))
		ret = fl_fail(err, errno, "%s: a place for mounts: %s", dir, strerror(errno));
	if (!ret)
		ret = fork_off(j, err);
	if (ret) {
		fl_judge_close(j);
		return ret;
	}
	*out = j;
	return 0;
}

void fl_judge_close(struct fl_judge *j)
{
	if (j->server >= 0)
		close(j->server);
	free(j);
}

/* ---- devices ------------------------------------------------------------------ */

static void part_close(struct part *pt)
{
	fl_loop_detach(&pt->loop);
	if (pt->file >= 0)
		close(pt->file);
	pt->file = -1;
}

static int part_open(struct fl_judge *j, const struct fl_point *p, unsigned int dev,
		     struct part *pt, struct fl_err *err)
{
	const struct fl_judge_opts *o = j->o;
	char name[FL_IMAGE_NAME], path[PATH];
	int ret;

	pt->loop.fd = -1;
	snprintf(pt->id, sizeof(pt->id), "%s/%s", p->cut_name,
		 fl_image_name(name, o->g, dev, p->var));
	snprintf(path, sizeof(path), "%s/%s", j->images, pt->id);
	pt->file = open(path, O_RDWR | O_CLOEXEC);
	if (pt->file < 0)
		return fl_fail(err, errno, "image %s: %s", pt->id, strerror(errno));
	ret = fl_loop_attach(&pt->loop, path, o->g->log[dev]->sup.data_block_size, err);
	if (ret)
		part_close(pt);
	return ret;
}

/* ---- mounting ------------------------------------------------------------------ */

/* @text with %d and %m replaced. */
static void expand(char *out, size_t n, const char *text, const char *dev, const char *mnt)
{
	size_t at = 0;

	for (; *text && at + 1 < n; text++) {
		const char *what = text[0] != '%' ? NULL
			: text[1] == 'd' ? dev : text[1] == 'm' ? mnt : NULL;

		if (!what) {
			out[at++] = *text;
			continue;
		}
		at += (size_t)snprintf(out + at, n - at, "%s", what);
		text++;
	}
	out[at < n ? at : n - 1] = '\0';
}

static int mount_by_command(struct fl_judge *j, const struct part *data,
			    struct fl_fs_findings *out, struct fl_err *err)
{
	char command[1024];
	struct fl_ran ran;
	int ret;

	expand(command, sizeof(command), j->o->mount_cmd, data->loop.path, j->mnt);
	ret = fl_run(command, &ran, err);
	if (!ret && (ran.exit || ran.signal)) {
		fl_fs_add(out, FL_FS_MOUNT_FAILED, "", 0, 0, 0, "exit %d, signal %d: %s",
			  ran.exit, ran.signal, ran.out);
		ret = 1;
	}
	return ret;
}

/* 0: mounted, 1: a finding, -errno. */
static int mount_image(struct fl_judge *j, const struct part *data, const struct part *log,
		       struct fl_fs_findings *out, struct fl_err *err)
{
	const struct fl_fs_type *t = j->o->where->type;
	char opts[512];
	int n;

	if (fl_fs_alone(t))
		fl_fs_forget();
	if (j->o->mount_cmd)
		return mount_by_command(j, data, out, err);
	n = snprintf(opts, sizeof(opts), "%s", t->mount_opts);
	if (log)
		n += snprintf(opts + n, sizeof(opts) - (size_t)n, "%s%s=%s", n ? "," : "",
			      t->log_opt, log->loop.path);
	if (j->o->mount_opts[0])
		snprintf(opts + n, sizeof(opts) - (size_t)n, "%s%.200s", n ? "," : "",
			 j->o->mount_opts);
	if (!mount(data->loop.path, j->mnt, t->name, MS_NOATIME, opts))
		return 0;
	if (errno == ENODEV)
		return fl_fail(err, ENODEV, "this kernel has no %s", t->name);
	if (errno == ENOMEM || errno == EPERM)	/* of this machine, not of the image */
		return fl_fail(err, errno, "mount -t %s: %s", t->name, strerror(errno));
	fl_fs_add(out, FL_FS_MOUNT_FAILED, "", 0, 0, 0, "mount -t %s -o %s: %s", t->name, opts,
		  strerror(errno));
	return 1;
}

static void unmount_image(struct fl_judge *j, struct fl_fs_findings *out)
{
	if (!umount2(j->mnt, 0))
		return;
	fl_fs_add(out, FL_FS_UMOUNT_FAILED, "", 0, 0, 0, "%s", strerror(errno));
	umount2(j->mnt, MNT_DETACH);
}

/* ---- comparing and checking ----------------------------------------------------- */

struct written {
	struct fl_judge *j;
	const struct part *data;
};

/* Without an answer the server is gone, and this process about to be. */
static bool was_written(void *arg, uint64_t sector, uint64_t nr)
{
	struct written *w = arg;
	struct question q = { .sector = sector, .nr = nr };
	bool written = true;

	snprintf(q.id, sizeof(q.id), "%s", w->data->id);
	if (!put(w->j->server, &q, sizeof(q)) ||
	    !get(w->j->server, &written, sizeof(written)))
		_exit(1);
	return written;
}

static int compare(struct fl_judge *j, const struct fl_point *p, const struct part *data,
		   struct fl_fs_findings *out, uint64_t *bytes, struct fl_err *err)
{
	const struct fl_judge_opts *o = j->o;
	struct written w = { j, data };
	struct fl_image img;
	struct fl_compare c = { .g = o->g, .rq = o->rq, .cut = p->cut, .img = &img,
				.written = was_written, .written_arg = &w, .out = out };
	int ret = fl_image_open(&img, o->g, o->where->data, p->cut, p->var, err);

	if (ret)
		return ret;
	c.root = open(j->mnt, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c.root < 0)
		return fl_fail(err, errno, "%s: %s", j->mnt, strerror(errno));
	*bytes = fl_compare_all(&c, o->where->type->can_ask ? o->how : FL_COMPARE_READ);
	close(c.root);
	return 0;
}

static int check(struct fl_judge *j, const struct part *data, const struct part *log,
		 struct fl_fs_findings *out, struct fl_err *err)
{
	const struct fl_fs_type *t = j->o->where->type;
	char command[1024];
	struct fl_ran ran;
	int ret;

	if (j->o->fsck_cmd)
		expand(command, sizeof(command), j->o->fsck_cmd, data->loop.path, j->mnt);
	else
		fl_fs_fsck(command, sizeof(command), t, data->loop.path,
			   log ? log->loop.path : NULL);
	ret = fl_run(command, &ran, err);
	if (ret)
		return ret;
	if (ran.exit == 127)
		return fl_fail(err, ENOENT, "fsck: %s: %s", command, ran.out);
	if (ran.signal)
		fl_fs_add(out, FL_FS_FSCK_KILLED, "", 0, 0, 0, "signal %d (%s): %s", ran.signal,
			  strsignal(ran.signal), ran.out);
	else if (ran.exit)
		fl_fs_add(out, FL_FS_FSCK_FOUND, "", 0, 0, 0, "exit %d: %s", ran.exit, ran.out);
	return 0;
}

static int judge_parts(struct fl_judge *j, const struct fl_point *p, const struct part *data,
		       const struct part *log, struct fl_fs_findings *out, uint64_t *bytes,
		       struct fl_err *err)
{
	int ret = mount_image(j, data, log, out, err);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = compare(j, p, data, out, bytes, err);
	unmount_image(j, out);
	if (!ret && (j->o->fsck || j->o->fsck_cmd))
		ret = check(j, data, log, out, err);
	return ret;
}

int fl_judge_point(struct fl_judge *j, const struct fl_point *p, struct fl_fs_findings *out,
		   uint64_t *bytes, struct fl_err *err)
{
	const struct fl_fs_where *w = j->o->where;
	struct part data, log;
	int ret;

	*bytes = 0;
	ret = part_open(j, p, w->data, &data, err);
	if (ret)
		return ret;
	if (w->log < 0) {
		ret = judge_parts(j, p, &data, NULL, out, bytes, err);
	} else {
		ret = part_open(j, p, (unsigned int)w->log, &log, err);
		if (!ret) {
			ret = judge_parts(j, p, &data, &log, out, bytes, err);
			part_close(&log);
		}
	}
	part_close(&data);
	return ret;
}

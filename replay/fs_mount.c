// SPDX-License-Identifier: GPL-2.0
/* See fs_mount.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/loop.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs_mount.h"

#define LOOP_TRIES 64

int fl_ns_private(struct fl_err *err)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return fl_fail(err, errno, "a mount namespace of its own: %s", strerror(errno));
	return 0;
}

/* Opening the node loads the module, without which there are no features to see. */
static int open_control(void)
{
	return open("/dev/btrfs-control", O_RDWR | O_CLOEXEC);
}

bool fl_fs_alone(const struct fl_fs_type *t)
{
	int fd = t->cloned ? open_control() : -1;

	if (fd >= 0)
		close(fd);
	return t->cloned && access(t->cloned, F_OK);
}

void fl_fs_forget(void)
{
	struct btrfs_ioctl_vol_args all = { 0 };
	int fd = open_control();

	/* fails if there is nothing to forget */
	if (fd < 0)
		return;
	ioctl(fd, BTRFS_IOC_FORGET_DEV, &all);
	close(fd);
}

/* Configure a free loop device; -EBUSY if somebody else was faster. */
static int attach_free(struct fl_loop *lo, int ctl, int file, uint32_t block_size)
{
	struct loop_config cfg = { .fd = (uint32_t)file, .block_size = block_size,
				   .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	int nr = ioctl(ctl, LOOP_CTL_GET_FREE), err;

	if (nr < 0)
		return -errno;
	snprintf(lo->path, sizeof(lo->path), "/dev/loop%d", nr);
	lo->fd = open(lo->path, O_RDWR | O_CLOEXEC);
	if (lo->fd < 0)
		return -errno;
	if (!ioctl(lo->fd, LOOP_CONFIGURE, &cfg))
		return 0;
	err = errno;
	close(lo->fd);
	lo->fd = -1;
	return -err;
}

int fl_loop_attach(struct fl_loop *lo, const char *path, uint32_t block_size,
		   struct fl_err *err)
{
	int ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file, ret = -EBUSY, i;

	lo->fd = -1;
	if (ctl < 0)
		return fl_fail(err, errno, "/dev/loop-control: %s", strerror(errno));
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		ret = -errno;
	for (i = 0; file >= 0 && ret == -EBUSY && i < LOOP_TRIES; i++)
		ret = attach_free(lo, ctl, file, block_size);
	if (file >= 0)
		close(file);
	close(ctl);
	return ret ? fl_fail(err, -ret, "a loop device on %s: %s", path, strerror(-ret)) : 0;
}

void fl_loop_detach(struct fl_loop *lo)
{
	if (lo->fd >= 0)
		close(lo->fd);
	lo->fd = -1;
}

/* Keep the end of what comes: the last lines say most. */
static void keep_end(struct fl_ran *ran, const char *buf, size_t n)
{
	size_t room = sizeof(ran->out) - 1, have = strlen(ran->out);

	if (n > room) {
		buf += n - room;
		n = room;
	}
	if (have + n > room) {
		size_t drop = have + n - room;

		memmove(ran->out, ran->out + drop, have - drop);
		have -= drop;
	}
	memcpy(ran->out + have, buf, n);
	ran->out[have + n] = '\0';
}

static void drain(int fd, struct fl_ran *ran)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			keep_end(ran, buf, (size_t)n);
}

static void run_child(const char *command, int out)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

int fl_run(const char *command, struct fl_ran *ran, struct fl_err *err)
{
	int fds[2], status;
	pid_t pid;

	*ran = (struct fl_ran){ 0 };
	if (pipe2(fds, O_CLOEXEC))
		return fl_fail(err, errno, "%s: %s", command, strerror(errno));
	pid = fork();
	if (!pid)
		run_child(command, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return fl_fail(err, errno, "%s: %s", command, strerror(errno));
	}
	drain(fds[0], ran);
	close(fds[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fl_fail(err, errno, "%s: %s", command, strerror(errno));
	ran->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	ran->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	/* a shell reports a signal of its child as 128 + signal */
	if (!ran->signal && ran->exit > 128)
		ran->signal = ran->exit - 128;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* See walk_dir.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "walk_dir.h"

#define PREFIX "fluxlog-verify."
#define TRIES 100

static const char *tmp_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

static void remove_dir(const char *path, int fd)
{
	char name[16];
	unsigned int i;

	for (i = 0; i < FL_WALK_DIRS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		unlinkat(fd, name, AT_REMOVEDIR);
	}
	rmdir(path);
}

static void sweep(void)
{
	DIR *d = opendir(tmp_dir());
	struct dirent *e;
	char path[4096];

	while (d && (e = readdir(d))) {
		int fd;

		if (strncmp(e->d_name, PREFIX, strlen(PREFIX)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", tmp_dir(), e->d_name);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!flock(fd, LOCK_EX | LOCK_NB))
			remove_dir(path, fd);
		close(fd);
	}
	if (d)
		closedir(d);
}

/* 1: made and locked; 0: another walk's sweep took it away before it was locked. */
static int make_locked(struct fl_walk_dir *d)
{
	struct stat st;

	if (!mkdtemp(d->path))
		return -errno;
	d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd >= 0 && !flock(d->fd, LOCK_EX) && !stat(d->path, &st))
		return 1;
	if (d->fd >= 0)
		close(d->fd);
	return 0;
}

int fl_walk_dir_make(struct fl_walk_dir *d, struct fl_err *err)
{
	int ret = 0, i;

	sweep();
	for (i = 0; i < TRIES && !ret; i++) {
		if ((size_t)snprintf(d->path, sizeof(d->path), "%s/" PREFIX "XXXXXX",
				     tmp_dir()) >= sizeof(d->path))
			return fl_fail(err, ENAMETOOLONG, "TMPDIR %s: too long", tmp_dir());
		ret = make_locked(d);
	}
	if (ret <= 0)
		return fl_fail(err, ret ? -ret : EAGAIN, "a folder for mounts in %s: %s",
			       tmp_dir(), strerror(ret ? -ret : EAGAIN));
	return 0;
}

void fl_walk_dir_remove(struct fl_walk_dir *d)
{
	remove_dir(d->path, d->fd);
	close(d->fd);
}

const char *fl_walk_dir_path(char buf[FL_WALK_PATH], const struct fl_walk_dir *d,
			     unsigned int i)
{
	snprintf(buf, FL_WALK_PATH, "%s/%u", d->path, i);
	return buf;
}

// SPDX-License-Identifier: GPL-2.0
/* See new_file.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"

int fl_new_begin(struct fl_new_file *f, const char *path, struct fl_err *err)
{
	struct stat st;

	*f = (struct fl_new_file){ .path = path, .fd = -1 };
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return fl_fail(err, EINVAL, "%s: exists and is not a file", path);
	if (asprintf(&f->temp, "%s.XXXXXX", path) < 0) {
		f->temp = NULL;
		return fl_fail(err, ENOMEM, "%s: no memory for a name", path);
	}
	f->fd = mkostemp(f->temp, O_CLOEXEC);
	if (f->fd < 0) {
		free(f->temp);
		f->temp = NULL;
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	}
	return 0;
}

/* mkostemp() lets the owner alone read it: give it the mode that open() would. */
static int usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

int fl_new_commit(struct fl_new_file *f, struct fl_err *err)
{
	int fd = f->fd;

	f->fd = -1;
	if (usual_mode(fd) || close(fd) || rename(f->temp, f->path))
		return fl_fail(err, errno, "%s: %s", f->path, strerror(errno));
	free(f->temp);
	f->temp = NULL;
	return 0;
}

void fl_new_end(struct fl_new_file *f)
{
	if (f->temp)
		unlink(f->temp);
	if (f->fd >= 0)
		close(f->fd);
	free(f->temp);
	*f = (struct fl_new_file){ .fd = -1 };
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * new_file: a file that appears under its name as a whole or not at all.
 */
#ifndef NEW_FILE_H
#define NEW_FILE_H

#include "err.h"

/**
 * struct fl_new_file - a file in the making
 * @path: the name that it will have
 * @temp: its name until then, in the same folder
 * @fd: open for reading and writing, empty at first
 */
struct fl_new_file {
	const char *path;
	char *temp;
	int fd;
};

/* -EINVAL with @err if @path is there and no file (a device, a folder). fl_new_end()
 * must be called in any case. */
int fl_new_begin(struct fl_new_file *f, const char *path, struct fl_err *err);

/* Give it its name and the usual mode. */
int fl_new_commit(struct fl_new_file *f, struct fl_err *err);

/* Close it; without a commit nothing of it is left. */
void fl_new_end(struct fl_new_file *f);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk_kmsg: what the kernel complains of from now on.
 */
#ifndef WALK_KMSG_H
#define WALK_KMSG_H

#include <stdbool.h>
#include <stddef.h>

/* @fd: /dev/kmsg, or -1 where it cannot be read: then no splat is ever seen. */
struct fl_kmsg {
	int fd;
};

void fl_kmsg_open(struct fl_kmsg *k);
void fl_kmsg_close(struct fl_kmsg *k);

/* The next complaint since the last call; false: none. Never waits. */
bool fl_kmsg_splat(struct fl_kmsg *k, char *text, size_t n);

/* Whether @line of the kernel's log is a complaint. */
bool fl_is_splat(const char *line);

#endif

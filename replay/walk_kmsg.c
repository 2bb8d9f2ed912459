// SPDX-License-Identifier: GPL-2.0
/* See walk_kmsg.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "walk_kmsg.h"

void fl_kmsg_open(struct fl_kmsg *k)
{
	k->fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (k->fd >= 0)
		lseek(k->fd, 0, SEEK_END);
}

void fl_kmsg_close(struct fl_kmsg *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

bool fl_is_splat(const char *line)
{
	static const char *const words[] = {
		"BUG:", "WARNING:", "Oops", "kernel BUG", "general protection fault",
		"INFO: task", "INFO: rcu", "Internal error: ", "possible recursive locking",
		"circular locking dependency", "inconsistent lock state", "lock inversion",
		"suspicious RCU usage", "UBSAN:", "KASAN:", "KCSAN:", "Assertion failed",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(line, words[i]))
			return true;
	return false;
}

bool fl_kmsg_splat(struct fl_kmsg *k, char *text, size_t n)
{
	char record[2048], *msg, *end;
	ssize_t got;

	while (k->fd >= 0) {
		got = read(k->fd, record, sizeof(record) - 1);
		/* EPIPE: messages were overwritten before they were read; go on */
		if (got < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (got <= 0)
			return false;
		record[got] = '\0';
		/* "PRIORITY,SEQUENCE,TIME,FLAGS;TEXT"; facility 0 is the kernel, others
		 * are programs that write to /dev/kmsg */
		msg = strchr(record, ';');
		if (!msg++ || strtoul(record, NULL, 10) >> 3)
			continue;
		end = strchr(msg, '\n');
		if (end)
			*end = '\0';
		if (!fl_is_splat(msg))
			continue;
		snprintf(text, n, "%s", msg);
		return true;
	}
	return false;
}

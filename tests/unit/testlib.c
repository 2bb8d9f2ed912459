// SPDX-License-Identifier: GPL-2.0
/*
 * testlib: what several unit tests share.
 *
 * Takes   texts, bytes, file descriptors.
 * Gives   logs in memory files (memfd_create).
 * Relies  on Check: whatever goes wrong in here fails the test at hand.
 */
#include "testlib.h"

#include <check.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crc.h"
#include "text_form.h"

uint64_t t_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t t_below(uint64_t *state, uint64_t n)
{
	return t_random(state) % n;
}

int t_file(const void *bytes, size_t n)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	if (n)
		ck_assert_int_eq(pwrite(fd, bytes, n, 0), (ssize_t)n);
	return fd;
}

const char *t_path(int fd)
{
	static char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

uint8_t *t_slurp(int fd, size_t *n)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint8_t *p;

	ck_assert_int_ge(end, 0);
	*n = (size_t)end;
	p = fl_alloc(*n + 1, 1);
	ck_assert_int_eq(pread(fd, p, *n, 0), end);
	return p;
}

int t_asm(const char *text)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int fd = t_file(NULL, 0);
	struct fl_err err;

	ck_assert_ptr_nonnull(in);
	if (fl_text_asm(in, "text", fd, &err))
		ck_abort_msg("%s", err.msg);
	fclose(in);
	return fd;
}

struct fl_log *t_load(int fd)
{
	struct fl_log *log = NULL;
	struct fl_err err;

	if (fl_log_open(&log, t_path(fd), &err) || fl_log_load(log, NULL, &err))
		ck_abort_msg("%s", err.msg);
	return log;
}

char *t_dump(int fd)
{
	struct fl_log *log = NULL;
	struct fl_err err;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (fl_log_open(&log, t_path(fd), &err) || fl_text_dump(log, out, NULL, NULL, &err))
		ck_abort_msg("%s", err.msg);
	fclose(out);
	fl_log_close(log);
	return text;
}

void t_seal_unit(uint8_t *bytes, uint32_t block_size, size_t off)
{
	struct fluxlog_unit *u = (void *)(bytes + off);

	u->crc32c = htole32(fl_crc_object(u, le32toh(u->nr_blocks) * (size_t)block_size,
					  offsetof(struct fluxlog_unit, crc32c)));
}

void t_seal_super(uint8_t *bytes)
{
	struct fluxlog_super *s = (void *)bytes;

	s->crc32c = htole32(fl_crc_object(s, sizeof(*s), offsetof(struct fluxlog_super, crc32c)));
}

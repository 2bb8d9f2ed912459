// SPDX-License-Identifier: GPL-2.0
/*
 * big_log: a log that is large, for measuring.
 *
 * usage: big_log LOG RECORDS KIB-EACH
 *
 * Takes   how many records and how many KiB of payload each write has (at least 4).
 * Gives   a log of random writes of 4 KiB up to twice that size less 4 over a device
 *	   that all of them would fill twice, eight in flight, a flush after each 64.
 *	   The same arguments give the same log.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../replay/log_build.h"

#define IN_FLIGHT 8u
#define FLUSH_EACH 64u

static uint64_t state;

/* splitmix64 */
static uint64_t random_below(uint64_t n)
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % n;
}

/* Record number @i. Eight events are issued in a row, then all of them are done. */
static void make_record(struct fl_rec *r, uint64_t i, uint64_t blocks, uint64_t pages)
{
	uint64_t first = i / IN_FLIGHT * 2 * IN_FLIGHT + 1 + i % IN_FLIGHT;

	*r = (struct fl_rec){
		.kind = i % FLUSH_EACH == FLUSH_EACH - 1 ? FLUXLOG_FLUSH : FLUXLOG_WRITE,
		.issue = first, .done = first + IN_FLIGHT,
	};
	r->issue_ns = r->issue * 1000;
	r->done_ns = r->done * 1000;
	if (r->kind == FLUXLOG_FLUSH)
		return;
	r->payload_mode = FLUXLOG_PAYLOAD_FULL;
	r->nr = 8 * (1 + random_below(2 * pages - 1));
	r->sector = 8 * random_below(blocks - r->nr / 8);
}

/* No two sectors alike, and nowhere zeros. */
static void make_payload(uint64_t *payload, const struct fl_rec *r)
{
	uint64_t i, n = r->nr * FL_SECTOR / sizeof(*payload);

	for (i = 0; i < n; i++)
		payload[i] = ~(r->issue << 32 | i);
}

static int write_log(int fd, uint64_t records, uint64_t pages, struct fl_err *err)
{
	uint64_t blocks = records * pages / 2 + 2 * pages, i;
	struct fl_super sup = {
		.uuid = { 1 }, .epoch = { 1 }, .block_size = 4096, .data_block_size = 512,
		.data_sectors = blocks * 8,
	};
	uint64_t *payload = fl_alloc(2 * pages, 4096);
	struct fl_build *b = NULL;
	struct fl_rec r;
	int ret = fl_build_begin(&b, fd, &sup, err);

	for (i = 0; i < records && !ret; i++) {
		make_record(&r, i, blocks, pages);
		make_payload(payload, &r);
		ret = fl_build_add(b, &r, NULL, payload, err);
	}
	if (!ret) {
		r = (struct fl_rec){ .kind = FLUXLOG_END, .issue = 2 * records + 16 };
		r.done = r.issue;
		r.issue_ns = r.done_ns = r.issue * 1000;
		ret = fl_build_add(b, &r, NULL, NULL, err);
	}
	free(payload);
	if (!ret)
		return fl_build_finish(b, 0, err);
	fl_build_abort(b);
	return ret;
}

int main(int argc, char **argv)
{
	uint64_t records = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t pages = argc > 3 ? strtoull(argv[3], NULL, 10) / 4 : 0;
	struct fl_err err;
	int fd;

	if (argc != 4 || !records || !pages) {
		fputs("usage: big_log LOG RECORDS KIB-EACH\n", stderr);
		return FL_EXIT_CANNOT;
	}
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		perror(argv[1]);
		return FL_EXIT_CANNOT;
	}
	if (write_log(fd, records, pages, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	return close(fd) ? FL_EXIT_CANNOT : FL_EXIT_FINE;
}

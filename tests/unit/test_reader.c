// SPDX-License-Identifier: GPL-2.0
/*
 * The reader against broken logs: cut off at each byte, each bit of each head
 * flipped, every rule of the format broken by itself under a right checksum.
 */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crc.h"
#include "testlib.h"

/* Three units; every kind of record is in it. */
static const char small[] =
	"fluxlog 1\n"
	"super name=\"253:0\" block=%s\n"
	"unit ns=1\n"
	"write s=8 n=3 i=1 d=2 flags=fua data=zero,stamp:1:2:0:3,hex:01\n"
	"flush i=3 d=4\n"
	"unit ns=2\n"
	"discard s=1 n=5 i=5 d=6\n"
	"zeroes s=1 n=5 i=7 d=8\n"
	"mark i=9 text=\"hello\"\n"
	"promise i=10 file=2 run=1 len=512 gen=3 path=\"a/b\"\n"
	"promise i=11 sector=8 n=1\n"
	"unit ns=3\n"
	"end i=12\n";

#define UNIT0 FLUXLOG_SUPER_BYTES

/* The bytes of that log. */
static uint8_t *small_log(const char *block, size_t *n)
{
	char text[sizeof(small) + 8];
	uint8_t *p;
	int fd;

	snprintf(text, sizeof(text), small, block);
	fd = t_asm(text);
	p = t_slurp(fd, n);
	close(fd);
	return p;
}

static void expect_has(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "\"%s\" does not say \"%s\"", text, part);
}

/* What became of a log of these bytes: the error or the reason of the end. */
struct outcome {
	bool opened;
	enum fl_end end;
	uint64_t units, nr_rec, end_off;
	char why[512];
};

static struct outcome read_bytes(const uint8_t *p, size_t n)
{
	int fd = t_file(p, n);
	struct outcome o = { .opened = false };
	struct fl_log *log = NULL;
	struct fl_err err = { "" };
	uint64_t inl = 0;

	if (fl_log_open(&log, t_path(fd), &err)) {
		strcpy(o.why, err.msg);
		close(fd);
		return o;
	}
	ck_assert_int_eq(fl_log_load(log, NULL, &err), 0);
	o = (struct outcome){ .opened = true, .end = log->end, .units = log->units,
			      .nr_rec = log->nr_rec, .end_off = log->end_off };
	strcpy(o.why, log->end_why);
	for (uint64_t i = 0; i < log->nr_rec; i++)
		inl += log->rec[i].inl_len;
	ck_assert_uint_eq(inl, log->inl_bytes);
	fl_log_close(log);
	close(fd);
	return o;
}

START_TEST(whole_log)
{
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct outcome o = read_bytes(p, n);

	ck_assert(o.opened && o.end == FL_END_COMPLETE);
	ck_assert_uint_eq(o.units, 3);
	ck_assert_uint_eq(o.nr_rec, 8);
	ck_assert_uint_eq(o.end_off, n);
	ck_assert_str_eq(o.why, "");
	free(p);
}
END_TEST

START_TEST(fields_arrive)
{
	size_t n;
	uint8_t *p = small_log("4096", &n);
	int fd = t_file(p, n);
	struct fl_log *log = t_load(fd);
	const struct fl_rec *r = log->rec;
	struct fl_promise pr;

	ck_assert_str_eq(log->sup.data_name, "253:0");
	ck_assert_uint_eq(log->sup.block_size, 4096);
	ck_assert_uint_eq(r[0].kind, FLUXLOG_WRITE);
	ck_assert_uint_eq(r[0].sector, 8);
	ck_assert_uint_eq(r[0].nr, 3);
	ck_assert_uint_eq(r[0].issue, 1);
	ck_assert_uint_eq(r[0].done_ns, 2000);
	ck_assert_uint_eq(r[0].flags, FLUXLOG_F_FUA);
	ck_assert_uint_eq(r[0].payload_off, UNIT0 + 4096);
	ck_assert_uint_eq(r[1].payload_off, 0);
	ck_assert_mem_eq(log->inl + r[4].inl, "hello", 5);
	fl_promise_get(log, &r[5], &pr);
	ck_assert_uint_eq(pr.file, 2);
	ck_assert_uint_eq(pr.gen, 3);
	ck_assert_str_eq(pr.path, "a/b");
	fl_promise_get(log, &r[6], &pr);
	ck_assert_uint_eq(pr.kind, FLUXLOG_PROMISE_SECTORS);
	ck_assert_uint_eq(pr.start, 8);
	ck_assert_str_eq(pr.path, "");
	fl_log_close(log);
	close(fd);
	free(p);
}
END_TEST

/* A log that ends anywhere but behind its last byte is never complete, and what
 * was whole before the cut is still there. */
START_TEST(cut_off_at_each_byte)
{
	size_t n, ends[] = { UNIT0, UNIT0 + 2048, UNIT0 + 2560, UNIT0 + 3072 };
	uint8_t *p = small_log("512", &n);

	ck_assert_uint_eq(n, ends[3]);
	for (size_t len = 0; len < n; len++) {
		struct outcome o = read_bytes(p, len);
		unsigned int whole = 0;

		if (len < UNIT0) {
			ck_assert_msg(!o.opened, "%zu bytes", len);
			ck_assert(len ? strstr(o.why, "offset") : strstr(o.why, "is empty"));
			continue;
		}
		while (len >= ends[whole + 1])
			whole++;
		ck_assert_msg(o.end == FL_END_CUT_OFF, "%zu bytes", len);
		ck_assert_uint_eq(o.units, whole);
		ck_assert_uint_eq(o.end_off, ends[whole]);
		expect_has(o.why, "at offset");
		expect_has(o.why, "the file ends");
	}
	free(p);
}
END_TEST

/* No flipped bit of a log goes unseen. */
START_TEST(each_bit_flipped)
{
	size_t n;
	uint8_t *p = small_log("512", &n);

	for (size_t bit = 0; bit < n * 8; bit++) {
		struct outcome o;

		p[bit / 8] ^= (uint8_t)(1 << bit % 8);
		o = read_bytes(p, n);
		ck_assert_msg(!o.opened || o.end == FL_END_CUT_OFF, "bit %zu: %s", bit, o.why);
		ck_assert_msg(o.opened == (bit / 8 >= UNIT0), "bit %zu: %s", bit, o.why);
		expect_has(o.why, "offset");
		p[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(p);
}
END_TEST

/* The same under a right checksum: the reader may take it for another log of the
 * same form, but never crashes, and a unit that it refuses leaves no records. */
START_TEST(each_bit_flipped_and_sealed)
{
	size_t n, starts[] = { UNIT0, UNIT0 + 2048, UNIT0 + 2560 };
	uint64_t records[] = { 0, 2, 7, 8 };	/* in front of each unit, and in all */
	uint8_t *p = small_log("512", &n);

	for (unsigned int u = 0; u < 3; u++) {
		for (size_t bit = 0; bit < 512 * 8; bit++) {
			uint8_t *at = p + starts[u] + bit / 8;
			uint8_t keep[64];
			struct outcome o;

			/* a length that leaves the file cannot be sealed */
			if (bit / 8 >= 32 && bit / 8 < 36)
				continue;
			memcpy(keep, p + starts[u], 64);
			*at ^= (uint8_t)(1 << bit % 8);
			t_seal_unit(p, 512, starts[u]);
			o = read_bytes(p, n);
			ck_assert(o.opened);
			ck_assert_uint_eq(o.nr_rec, records[o.units]);
			*at ^= (uint8_t)(1 << bit % 8);
			memcpy(p + starts[u], keep, 64);
		}
	}
	free(p);
}
END_TEST

/* One change to the small log, its checksums put right, and what must be said. */
struct breach {
	size_t off;
	uint8_t bytes[8];
	size_t n;
	const char *says;
};

#define U(f) (UNIT0 + offsetof(struct fluxlog_unit, f))
#define R0(f) (UNIT0 + 64 + offsetof(struct fluxlog_record, f))
#define R1(f) (UNIT0 + 128 + offsetof(struct fluxlog_record, f))
#define V1 (UNIT0 + 2048)			/* unit 1: discard zeroes mark promises */
#define MARK(f) (V1 + 64 + 128 + offsetof(struct fluxlog_record, f))
#define MARK_TEXT (V1 + 64 + 192)
#define PROM (MARK_TEXT + 8)
#define PROM_INL(f) (PROM + 64 + offsetof(struct fluxlog_promise, f))
#define PROM2 (PROM + 64 + 64)
#define PROM2_INL(f) (PROM2 + 64 + offsetof(struct fluxlog_promise, f))
#define END_UNIT (UNIT0 + 2560)
#define ENDR(f) (END_UNIT + 64 + offsetof(struct fluxlog_record, f))
#define FF 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff

static const struct breach unit_breaches[] = {
	{ U(reserved), { 1 }, 1, "R6" },
	{ U(head_bytes), { 193 }, 1, "a head of 193 bytes" },
	{ U(head_bytes), { 184 }, 1, "R5" },
	{ U(head_bytes), { 200 }, 1, "R5" },
	{ U(head_bytes), { FF }, 4, "R5" },
	{ U(head_bytes), { 0 }, 1, "R5" },
	{ U(nr_records), { 0 }, 1, "0 records" },
	{ U(nr_records), { 1 }, 1, "R5" },
	{ U(nr_records), { 3 }, 1, "3 records in a head of 192 bytes" },
	{ U(nr_records), { FF }, 4, "R5" },
	{ R0(kind), { 0 }, 1, "record 0 of the unit: unknown kind 0" },
	{ R0(kind), { 9 }, 1, "unknown kind 9" },
	{ R0(kind), { 2 }, 1, "where there is none" },
	{ R0(payload_mode), { 0 }, 1, "payload mode 0, should be 1" },
	{ R0(payload_mode), { 2 }, 1, "payload mode 2" },
	{ R0(flags), { 0x00, 0x02 }, 2, "flags 0x0200" },
	{ R0(status), { 0, 0x10 }, 2, "status 4096" },
	{ R0(inline_len), { 1 }, 1, "1 bytes of inline data where there are none" },
	{ R0(inline_len), { FF }, 2, "inline data go past the head" },
	{ R0(sector), { FF }, 8, "goes past the device" },
	{ R0(nr_sectors), { 0 }, 1, "no sectors" },
	{ R0(nr_sectors), { 4 }, 1, "payload is not where" },
	{ R0(nr_sectors), { FF }, 8, "goes past the device" },
	{ R0(issue_tick), { 0 }, 1, "not after the start tick" },
	{ R0(issue_tick), { 2 }, 1, "not before done tick 2" },
	{ R0(payload_blk), { 0 }, 1, "payload is not where" },
	{ R0(payload_blk), { 2 }, 1, "payload is not where" },
	{ R0(payload_blk), { FF }, 4, "payload is not where" },
	{ R0(dev), { 1 }, 1, "device 1, the log is of device 0" },
	{ R0(reserved), { 1 }, 1, "R6" },
	{ R1(sector), { 1 }, 1, "record 1 of the unit: range 1+0 where there is none" },
	{ R1(payload_blk), { 1 }, 1, "payload block without payload" },
	{ R1(payload_mode), { 1 }, 1, "payload mode 1, should be 0" },
	{ UNIT0 + 192, { 1 }, 1, "R6" },
	{ V1 + offsetof(struct fluxlog_unit, nr_records), { 6 }, 1,
	  "record 5 of the unit: it goes past the head" },
	{ MARK(issue_tick), { 8 }, 1, "issue tick 8 and done tick 9 differ" },
	{ MARK(inline_len), { 0 }, 1, "a mark without text" },
	{ MARK(inline_len), { 4 }, 1, "padding are not zero" },
	{ MARK(inline_len), { 6 }, 1, "byte 0x00 at place 5" },
	{ MARK(status), { 5 }, 1, "status 5" },
	{ MARK(flags), { 1 }, 1, "flags 0x0001, known are 0x0000" },
	{ MARK_TEXT, { 0x7f }, 1, "byte 0x7f at place 0" },
	{ MARK_TEXT + 7, { 1 }, 1, "padding are not zero" },
	{ PROM_INL(kind), { 3 }, 1, "unknown kind 3 of promise" },
	{ PROM_INL(kind), { 2 }, 1, "a run or a generation" },
	{ PROM_INL(call), { 7 }, 1, "unknown call 7" },
	{ PROM_INL(reserved), { 1 }, 1, "reserved field of the promise" },
	{ PROM_INL(start), { 1 }, 1, "no whole sectors" },
	{ PROM_INL(start), { 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8, "promised range" },
	{ PROM_INL(len), { 0, 0 }, 2, "promised range 0+0" },
	{ PROM_INL(len), { 1, 2 }, 2, "no whole sectors" },
	{ PROM + 64 + 56, { ' ' }, 1, "byte 0x20 at place 0" },
	{ PROM2 + offsetof(struct fluxlog_record, inline_len), { 48 }, 1, "a promise needs 56" },
	{ PROM2_INL(gen), { 1 }, 1, "a run or a generation" },
	{ PROM2_INL(len), { 0 }, 1, "promised range 8+0" },
	{ PROM2_INL(len), { FF }, 8, "promised range" },
	{ ENDR(kind), { 7 }, 1, "a gap without a reason" },
	{ ENDR(issue_tick), { 13 }, 1, "issue tick 13 and done tick 12 differ" },
	{ ENDR(status), { 1 }, 1, "status 1" },
};

static void expect_corrupt(const uint8_t *p, size_t n, const char *says, size_t off)
{
	struct outcome o = read_bytes(p, n);

	ck_assert_msg(o.opened && o.end == FL_END_CORRUPT, "change at %zu: end is %d, %s", off,
		      (int)o.end, o.why);
	expect_has(o.why, says);
	expect_has(o.why, "at offset");
}

START_TEST(unit_rule_broken)
{
	const struct breach *b = &unit_breaches[_i];
	size_t n, unit = b->off >= END_UNIT ? END_UNIT : b->off >= V1 ? V1 : UNIT0;
	uint8_t *p = small_log("512", &n);

	ck_assert_msg(memcmp(p + b->off, b->bytes, b->n), "breach %d changes nothing", _i);
	memcpy(p + b->off, b->bytes, b->n);
	t_seal_unit(p, 512, unit);
	expect_corrupt(p, n, b->says, b->off);
	free(p);
}
END_TEST

/* Padding behind a payload exists where a sector is smaller than a log block. */
START_TEST(payload_padding)
{
	size_t n;
	uint8_t *p = small_log("4096", &n);

	p[UNIT0 + 4096 + 3 * 512] = 1;
	t_seal_unit(p, 4096, UNIT0);
	expect_corrupt(p, n, "padding of the payload is not zero", UNIT0);
	free(p);
}
END_TEST

/* A block behind the last payload belongs to no record. */
START_TEST(block_too_many)
{
	size_t n;
	uint8_t *p = small_log("512", &n);

	p = fl_realloc(p, n + 512, 1);
	memset(p + n, 0, 512);
	((struct fluxlog_super *)(void *)p)->log_sectors = htole64((n + 512) / 512);
	t_seal_super(p);
	((struct fluxlog_unit *)(void *)(p + END_UNIT))->nr_blocks = htole32(2);
	t_seal_unit(p, 512, END_UNIT);
	expect_corrupt(p, n + 512, "128 of 128 bytes of head and 512 of 1024 bytes in all", END_UNIT);
	free(p);
}
END_TEST

START_TEST(end_must_be_last_of_unit_and_of_ticks)
{
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct fluxlog_record *r;

	r = (void *)(p + V1 + 64);	/* the discard becomes an END */
	*r = (struct fluxlog_record){ .kind = FLUXLOG_END, .issue_tick = htole64(50),
				      .done_tick = htole64(50) };
	t_seal_unit(p, 512, V1);
	expect_corrupt(p, n, "records follow the end", V1);
	free(p);

	p = small_log("512", &n);
	r = (void *)(p + END_UNIT + 64);
	r->issue_tick = r->done_tick = htole64(11);
	t_seal_unit(p, 512, END_UNIT);
	expect_corrupt(p, n, "tick 11 of the end is not after tick 11", END_UNIT);
	free(p);
}
END_TEST

/* The head of a unit that is none of this log's: cut off, with the reason. */
static const struct breach head_breaches[] = {
	{ U(magic), { 0 }, 1, "magic is" },
	{ U(uuid), { 0 }, 1, "belongs to another log (uuid 006c7578-" },
	{ U(seq), { 9 }, 1, "has sequence 9 where 0 was expected" },
	{ U(nr_blocks), { 0 }, 4, "a length of 0 blocks" },
	{ U(nr_blocks), { FF }, 4, "a length of 4294967295 blocks" },
	{ U(nr_blocks), { 1, 0x80 }, 2, "a length of 32769 blocks" },
	{ U(nr_blocks), { 0, 0x80 }, 2, "go past the log's" },
	{ U(crc32c), { 0, 0, 0, 0 }, 4, "checksum is 0x00000000, should be" },
};

START_TEST(unit_head_is_not_ours)
{
	const struct breach *b = &head_breaches[_i];
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct outcome o;

	memcpy(p + b->off, b->bytes, b->n);
	o = read_bytes(p, n);
	ck_assert(o.opened && o.end == FL_END_CUT_OFF);
	ck_assert_uint_eq(o.units, 0);
	ck_assert_uint_eq(o.nr_rec, 0);
	expect_has(o.why, b->says);
	expect_has(o.why, "unit 0 at offset 4096");
	free(p);
}
END_TEST

START_TEST(length_past_the_end_of_the_file)
{
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct fluxlog_super *s = (void *)p;
	struct outcome o;

	s->log_sectors = htole64(1 << 20);
	t_seal_super(p);
	((struct fluxlog_unit *)(void *)(p + UNIT0))->nr_blocks = htole32(32768);
	o = read_bytes(p, n);
	ck_assert(o.opened && o.end == FL_END_CUT_OFF);
	expect_has(o.why, "the file ends inside its 16777216 bytes, at offset 7168");
	free(p);
}
END_TEST

#define S(f) offsetof(struct fluxlog_super, f)

static const struct breach super_breaches[] = {
	{ S(version), { 2 }, 1, "version 2, this program reads version 1" },
	{ S(block_size), { 0, 4 }, 2, "log blocks of 1024 bytes" },
	{ S(block_size), { 0, 0, 0, 0 }, 4, "log blocks of 0 bytes" },
	{ S(dev), { 0, 0, 1 }, 3, "device number 65536" },
	{ S(data_block_size), { 1, 2 }, 2, "data blocks of 513 bytes" },
	{ S(data_block_size), { 0, 0 }, 2, "data blocks of 0 bytes" },
	{ S(data_sectors), { 0, 0, 0 }, 3, "a data device of 0 sectors" },
	{ S(data_sectors), { FF }, 8, "a data device of" },
	{ S(log_sectors), { 7 }, 1, "a log of 7 sectors" },
	{ S(log_sectors), { FF }, 8, "a log of" },
	{ S(data_name) + 63, { 'x' }, 1, "not padded with zeros" },
	{ S(args) + 1, { 'x' }, 1, "not padded with zeros" },
	{ S(reserved) + 3675, { 1 }, 1, "reserved bytes are not zero" },
};

START_TEST(super_rule_broken)
{
	const struct breach *b = &super_breaches[_i];
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct outcome o;

	memcpy(p + b->off, b->bytes, b->n);
	t_seal_super(p);
	o = read_bytes(p, n);
	ck_assert_msg(!o.opened, "breach %d", _i);
	expect_has(o.why, b->says);
	expect_has(o.why, "super at offset 0");
	free(p);
}
END_TEST

START_TEST(uuid_of_zeros)
{
	size_t n;
	uint8_t *p = small_log("512", &n);

	memset(p + S(uuid), 0, 16);
	t_seal_super(p);
	expect_has(read_bytes(p, n).why, "the uuid is zero");
	free(p);
}
END_TEST

/* The log device held another log before: our log ends where that one shows. */
START_TEST(older_log_behind_ours)
{
	static const char tail[] =
		"fluxlog 1\nsuper uuid=00000000-0000-0000-0000-0000000000aa log_sectors=100\n"
		"unit ns=1\nflush i=1 d=2\nunit ns=2\nflush i=3 d=4\nunit ns=3\nend i=5\n";
	static const char ours[] =
		"fluxlog 1\nsuper log_sectors=100\nunit ns=1\nflush i=1 d=2\n";
	size_t n, m;
	int old_fd = t_asm(tail), fd = t_asm(ours);
	uint8_t *old = t_slurp(old_fd, &n), *p = t_slurp(fd, &m);
	struct outcome o;

	ck_assert_uint_lt(m, n);
	memcpy(old, p, m);
	o = read_bytes(old, n);
	ck_assert(o.opened && o.end == FL_END_CUT_OFF);
	ck_assert_uint_eq(o.units, 1);
	expect_has(o.why, "unit 1 at offset 4608 belongs to another log (uuid 00000000-0000-0000-0000-0000000000aa)");
	free(old);
	free(p);
	close(fd);
	close(old_fd);
}
END_TEST

START_TEST(zeros_and_garbage_behind)
{
	static const char text[] = "fluxlog 1\nsuper log_sectors=1000\nflush i=1 d=2\n";
	int fd = t_asm(text);
	size_t n;
	uint8_t *p = t_slurp(fd, &n);

	p = fl_realloc(p, n + 4096, 1);
	memset(p + n, 0, 4096);
	expect_has(read_bytes(p, n + 4096).why, "unit 1 at offset 4608 is missing: there are zeros");
	memset(p + n, 0xa5, 4096);
	expect_has(read_bytes(p, n + 4096).why, "magic is 0xa5a5a5a5a5a5a5a5");
	free(p);
	close(fd);
}
END_TEST

/* What follows END or GAP is not part of the log, whatever it holds. */
START_TEST(anything_behind_the_end)
{
	size_t n;
	uint8_t *p = small_log("512", &n);
	struct outcome o;

	p = fl_realloc(p, n + 5000, 1);
	memset(p + n, 0x5a, 5000);
	o = read_bytes(p, n + 5000);
	ck_assert(o.end == FL_END_COMPLETE);
	ck_assert_uint_eq(o.end_off, n);
	free(p);
}
END_TEST

START_TEST(full_log)
{
	int fd = t_asm("fluxlog 1\nflush i=1 d=2\n");
	size_t n;
	uint8_t *p = t_slurp(fd, &n);

	expect_has(read_bytes(p, n).why, "unit 1 at offset 4608 is missing: the log's 9 sectors are full");
	free(p);
	close(fd);
}
END_TEST

START_TEST(gap_stops)
{
	int fd = t_asm("fluxlog 1\nflush i=1 d=2\ngap i=5 err=ENOSPC\n");
	struct fl_log *log = t_load(fd);

	ck_assert(log->end == FL_END_STOPPED);
	ck_assert_str_eq(log->end_why, "recording stopped at tick 5: the log device is full (ENOSPC)");
	fl_log_close(log);
	close(fd);
}
END_TEST

START_TEST(foreign_files)
{
	static const uint8_t text[8192] = "#!/bin/sh\n";
	static const uint8_t zeros[8192];

	expect_has(read_bytes(text, sizeof(text)).why, "not a fluxlog log");
	expect_has(read_bytes(zeros, sizeof(zeros)).why, "not a fluxlog log");
	expect_has(read_bytes(zeros, 0).why, "is empty");
	expect_has(read_bytes(text, 10).why, "ends at offset 10, inside the super");
}
END_TEST

/* Random damage, sealed and not: no crash, and a verdict that fits its reason. */
START_TEST(random_damage)
{
	uint64_t seed = 11;
	size_t n;
	uint8_t *p = small_log("512", &n), *q = fl_alloc(n, 1);

	for (int i = 0; i < 20000; i++) {
		struct outcome o;

		memcpy(q, p, n);
		for (uint64_t k = 1 + t_below(&seed, 4); k; k--)
			q[UNIT0 + t_below(&seed, n - UNIT0)] = (uint8_t)t_random(&seed);
		memcpy(q + U(nr_blocks), p + U(nr_blocks), 4);
		if (i % 2)
			t_seal_unit(q, 512, UNIT0);
		o = read_bytes(q, n);
		ck_assert(o.opened);
		ck_assert((o.end == FL_END_COMPLETE) == !o.why[0] || o.end == FL_END_STOPPED);
	}
	free(p);
	free(q);
}
END_TEST

static int stop_at(void *arg, const struct fl_log *log, uint64_t idx, const uint8_t *payload)
{
	(void)log;
	(void)payload;
	return idx == *(uint64_t *)arg ? -ECANCELED : 0;
}

START_TEST(visitor_can_stop)
{
	size_t n;
	uint8_t *p = small_log("512", &n);
	int fd = t_file(p, n);
	uint64_t at = 3;
	const struct fl_visitor v = { .record = stop_at, .arg = &at };
	struct fl_log *log = NULL;
	struct fl_err err;

	ck_assert_int_eq(fl_log_open(&log, t_path(fd), &err), 0);
	ck_assert_int_eq(fl_log_load(log, &v, &err), -ECANCELED);
	ck_assert_int_eq(fl_log_load(log, NULL, &err), 0);
	ck_assert_uint_eq(log->nr_rec, 8);
	fl_log_close(log);
	close(fd);
	free(p);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

Suite *reader_suite(void)
{
	Suite *s = suite_create("reader");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, whole_log);
	tcase_add_test(t, fields_arrive);
	tcase_add_test(t, cut_off_at_each_byte);
	tcase_add_test(t, each_bit_flipped);
	tcase_add_test(t, each_bit_flipped_and_sealed);
	tcase_add_loop_test(t, unit_rule_broken, 0, COUNT(unit_breaches));
	tcase_add_test(t, payload_padding);
	tcase_add_test(t, block_too_many);
	tcase_add_test(t, end_must_be_last_of_unit_and_of_ticks);
	tcase_add_loop_test(t, unit_head_is_not_ours, 0, COUNT(head_breaches));
	tcase_add_test(t, length_past_the_end_of_the_file);
	tcase_add_loop_test(t, super_rule_broken, 0, COUNT(super_breaches));
	tcase_add_test(t, uuid_of_zeros);
	tcase_add_test(t, older_log_behind_ours);
	tcase_add_test(t, zeros_and_garbage_behind);
	tcase_add_test(t, anything_behind_the_end);
	tcase_add_test(t, full_log);
	tcase_add_test(t, gap_stops);
	tcase_add_test(t, foreign_files);
	tcase_add_test(t, random_damage);
	tcase_add_test(t, visitor_can_stop);
	suite_add_tcase(s, t);
	return s;
}

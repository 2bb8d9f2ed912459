// SPDX-License-Identifier: GPL-2.0
/*
 * The text form and the builder: a log's text gives the same log, for random
 * logs; defaults are what fluxlog-log(5) says; what is wrong is refused with the
 * line and the reason.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_rules.h"
#include "stamp.h"
#include "testlib.h"
#include "text_form.h"

/* Sectors of every sort that the text has a word for, in runs. */
static void random_payload(uint64_t *seed, uint8_t *p, uint64_t nr)
{
	while (nr) {
		uint64_t run = 1 + t_below(seed, nr), how = t_below(seed, 4);
		struct fl_stamp s = { .run = t_below(seed, 3), .file = t_below(seed, 3),
				      .offset = t_below(seed, 99) * 512, .gen = t_below(seed, 3) };

		for (uint64_t i = 0; i < run; i++, p += 512, s.offset += 512) {
			memset(p, how == 1 ? (int)t_below(seed, 3) : 0, 512);
			if (how == 2)
				fl_stamp_make(p, &s);
			for (uint64_t k = how == 3 ? t_below(seed, 512) : 0; k; k--)
				p[k - 1] = (uint8_t)t_random(seed);
		}
		nr -= run;
	}
}

static uint16_t random_promise(uint64_t *seed, uint8_t *inl)
{
	struct fl_promise p = { .call = (uint16_t)t_below(seed, FLUXLOG_CALL_NONE + 1),
				.file = t_below(seed, 5), .at_ns = t_random(seed) };

	p.kind = (uint16_t)(1 + t_below(seed, 2));
	p.start = t_below(seed, 100) * 512;
	p.len = (1 + t_below(seed, 9)) * 512;
	if (p.kind == FLUXLOG_PROMISE_FILE) {
		p.run = t_random(seed);
		p.gen = t_random(seed);
		if (t_below(seed, 2))
			strcpy(p.path, "dir/\"odd\\name\"#=\xc3\xa9");
	}
	return fl_promise_put(inl, &p);
}

static uint16_t random_mark(uint64_t *seed, uint8_t *inl)
{
	uint16_t n = (uint16_t)(1 + t_below(seed, FLUXLOG_INLINE_MAX));

	for (uint16_t i = 0; i < n; i++) {
		inl[i] = (uint8_t)(' ' + t_below(seed, 256 - ' '));
		if (inl[i] == 0x7f)
			inl[i] = '#';
	}
	return n;
}

/* A record that may stand in a log; @last is its last tick so far. */
static void random_record(uint64_t *seed, struct fl_rec *r, uint8_t *inl, uint8_t *payload,
			  uint64_t *last)
{
	*r = (struct fl_rec){ .kind = (uint8_t)(1 + t_below(seed, FLUXLOG_PROMISE)) };
	r->issue = r->done = *last + 1 + t_below(seed, 3);
	if (fl_kind_is_io(r->kind)) {
		r->done = r->issue + 1 + t_below(seed, 5);
		r->flags = (uint16_t)(t_below(seed, 3) ? 0 : t_below(seed, FLUXLOG_F_ALL + 1));
		r->status = (uint16_t)(t_below(seed, 3) ? 0 : t_below(seed, 4096));
	}
	*last = r->done;
	r->issue_ns = t_below(seed, 2) ? r->issue * 1000 : t_random(seed);
	r->done_ns = t_below(seed, 2) ? r->done * 1000 : t_random(seed);
	if (fl_kind_has_range(r->kind)) {
		r->sector = t_below(seed, 1000);
		r->nr = 1 + t_below(seed, 20);
	}
	if (r->kind == FLUXLOG_WRITE) {
		r->payload_mode = FLUXLOG_PAYLOAD_FULL;
		random_payload(seed, payload, r->nr);
	}
	if (r->kind == FLUXLOG_MARK)
		r->inl_len = random_mark(seed, inl);
	if (r->kind == FLUXLOG_PROMISE)
		r->inl_len = random_promise(seed, inl);
}

static void random_super(uint64_t *seed, struct fl_super *s)
{
	*s = (struct fl_super){
		.block_size = t_below(seed, 2) ? 512 : 4096,
		.data_block_size = t_below(seed, 2) ? 512 : 4096,
		.data_sectors = 2000 + t_below(seed, 1000),
		.log_sectors = t_below(seed, 2) ? 0 : 1000000 + t_below(seed, 1000),
		.created_real_ns = t_random(seed),
		.created_mono_ns = t_random(seed),
		.start_tick = t_below(seed, 100),
		.data_name = "a \"name\"",
		.args = "mem\\limit\x01\x7f",
	};
	for (int i = 0; i < 16; i++) {
		s->uuid[i] = (uint8_t)(1 + t_below(seed, 255));
		s->epoch[i] = (uint8_t)t_random(seed);
	}
}

/* A log of random records; with units by the builder, or anywhere. */
static int random_log(uint64_t seed)
{
	static uint8_t payload[20 * 512];
	bool own_units = t_below(&seed, 2);
	uint64_t nr = t_below(&seed, 400), last, size;
	int fd = t_file(NULL, 0);
	uint8_t inl[FLUXLOG_INLINE_MAX];
	struct fl_super sup;
	struct fl_build *b;
	struct fl_err err;
	struct fl_rec r;

	random_super(&seed, &sup);
	last = sup.start_tick;
	ck_assert_int_eq(fl_build_begin(&b, fd, &sup, &err), 0);
	for (uint64_t i = 0; i < nr; i++) {
		if (own_units && (!i || !t_below(&seed, 5)))
			ck_assert_int_eq(fl_build_unit(b, t_below(&seed, 2) ? &last : NULL, &err), 0);
		random_record(&seed, &r, inl, payload, &last);
		if (fl_build_add(b, &r, inl, payload, &err))
			ck_abort_msg("%s", err.msg);
	}
	if (t_below(&seed, 2)) {
		r = (struct fl_rec){ .kind = FLUXLOG_END, .issue = last + 1, .done = last + 1 };
		if (own_units && !nr)
			ck_assert_int_eq(fl_build_unit(b, NULL, &err), 0);
		ck_assert_int_eq(fl_build_add(b, &r, NULL, NULL, &err), 0);
	}
	size = t_below(&seed, 2) ? 0 : 10000000;
	if (fl_build_finish(b, size, &err))
		ck_abort_msg("%s", err.msg);
	return fd;
}

/* What the reader makes of a built log: never corrupt, and all of it. */
static void check_whole(int fd, size_t n)
{
	struct fl_log *log = t_load(fd);
	bool behind_is_nothing = log->end_off == n || n == 10000000;

	ck_assert_msg(log->end != FL_END_CORRUPT, "%s", log->end_why);
	ck_assert_msg(behind_is_nothing, "ends at %llu of %zu: %s",
		      (unsigned long long)log->end_off, n, log->end_why);
	fl_log_close(log);
}

START_TEST(round_trip)
{
	int fd = random_log((uint64_t)_i), fd2;
	char *text = t_dump(fd), *text2;
	size_t n, n2;
	uint8_t *p = t_slurp(fd, &n), *p2;

	check_whole(fd, n);
	fd2 = t_asm(text);
	p2 = t_slurp(fd2, &n2);
	ck_assert_uint_eq(n, n2);
	ck_assert_msg(!memcmp(p, p2, n), "seed %d", _i);
	text2 = t_dump(fd2);
	ck_assert_str_eq(text, text2);
	free(text);
	free(text2);
	free(p);
	free(p2);
	close(fd);
	close(fd2);
}
END_TEST

static void expect_same_log(const char *a, const char *b)
{
	int fd_a = t_asm(a), fd_b = t_asm(b);
	size_t n, m;
	uint8_t *p = t_slurp(fd_a, &n), *q = t_slurp(fd_b, &m);

	ck_assert_uint_eq(n, m);
	ck_assert_mem_eq(p, q, n);
	free(p);
	free(q);
	close(fd_a);
	close(fd_b);
}

START_TEST(defaults)
{
	expect_same_log("fluxlog 1\n"
			"write s=8 n=2\n"
			"flush\n"
			"promise file=1 len=512\n"
			"promise sector=8 n=2\n"
			"gap\n",
			"# the same at length\n"
			"\n"
			"fluxlog 1\n"
			"super dev=0 block=512 data_block=512 data_sectors=2097152 log_sectors=11"
			" created_real=0 created_mono=0 start_tick=0 name=\"\" args=\"\"\n"
			"unit ns=7000\n"
			"write s=8 i=1 d=2 it=1000 dt=2000 data=zero*2 # comment\n"
			"\tflush i=3 d=4 flags= err=0\n"
			"promise i=5 call=fsync run=0 file=1 start=0 len=512 gen=1 at=5000\n"
			"promise i=6 call=fsync dev=0 sector=8 n=2 at=6000 it=6000 dt=6000\n"
			"gap i=7 err=28\n"
			"size bytes=5632\n");
}
END_TEST

/* Two logs made by hand are a group as they are: one epoch, uuids that differ. */
START_TEST(default_group)
{
	int fd0 = t_asm("fluxlog 1\nend\n"), fd1 = t_asm("fluxlog 1\nsuper dev=1\nend\n");
	struct fl_log *a = t_load(fd0), *b = t_load(fd1);

	ck_assert_mem_eq(a->sup.epoch, b->sup.epoch, 16);
	ck_assert_mem_ne(a->sup.uuid, b->sup.uuid, 16);
	ck_assert_uint_eq(b->sup.dev, 1);
	ck_assert_uint_eq(b->rec[0].dev, 1);
	fl_log_close(a);
	fl_log_close(b);
	close(fd0);
	close(fd1);
}
END_TEST

START_TEST(data_words)
{
	expect_same_log("fluxlog 1\nwrite s=0 data=fill:00*2,hex:00,zero,hex:ABcd,hex:abCD00\n",
			"fluxlog 1\nwrite s=0 data=zero*4,hex:abcd*0x2\n");
	expect_same_log("fluxlog 1\nwrite s=0 data=stamp:1:2:512:4*3\n",
			"fluxlog 1\nwrite s=0 data=stamp:1:2:512:4,stamp:1:2:1024:4,stamp:1:2:1536:4\n");
}
END_TEST

/* 127 records or 1 MiB of payload close a unit. */
START_TEST(default_packing)
{
	static char text[400000] = "fluxlog 1\n";
	size_t n = strlen(text);
	struct fl_log *log;
	int fd;

	for (int i = 0; i < 128; i++)
		n += (size_t)sprintf(text + n, "flush\n");
	for (int i = 0; i < 5; i++)
		n += (size_t)sprintf(text + n, "write s=0 n=512\n");
	fd = t_asm(text);
	log = t_load(fd);
	/* 127 flushes; one and four writes; one write */
	ck_assert_uint_eq(log->units, 3);
	fl_log_close(log);
	close(fd);
}
END_TEST

static const struct wrong {
	const char *text, *says;
} wrongs[] = {
	{ "", "text:0: an empty text" },
	{ "\n# nothing\n", "an empty text" },
	{ "flush\n", "text:1: the first line is not \"fluxlog 1\"" },
	{ "fluxlog 2\n", "the first line is not" },
	{ "fluxlog 1\nfluxlog 1\n", "text:2: \"1\" is not key=value" },
	{ "fluxlog 1\nwrote s=1\n", "text:2: \"wrote\" is neither a record nor" },
	{ "fluxlog 1\nflush i\n", "\"i\" is not key=value" },
	{ "fluxlog 1\nflush i=\n", "i= is not a number" },
	{ "fluxlog 1\nflush i=1x\n", "i=1x is not a number" },
	{ "fluxlog 1\nflush i=-1\n", "i=-1 is not a number" },
	{ "fluxlog 1\nflush i=18446744073709551616\n", "is not a number" },
	{ "fluxlog 1\nflush i=1 i=1\n", "key \"i\" comes twice" },
	{ "fluxlog 1\nflush s=1\n", "flush knows no s=" },
	{ "fluxlog 1\nend d=3\n", "end knows no d=" },
	{ "fluxlog 1\nflush i=2 d=1\n", "issue tick 2 is not before done tick 1" },
	{ "fluxlog 1\nflush i=0 d=1\n", "not after the start tick 0" },
	{ "fluxlog 1\nflush flags=fua,foo\n", "there is no flag \"foo\"" },
	{ "fluxlog 1\nflush err=EFOO\n", "err=EFOO is neither" },
	{ "fluxlog 1\nflush err=70000\n", "err=70000 is neither" },
	{ "fluxlog 1\nflush err=4096\n", "status 4096" },
	{ "fluxlog 1\nwrite n=1\n", "write has no s=" },
	{ "fluxlog 1\nwrite s=1\n", "data= of 0 sectors" },
	{ "fluxlog 1\nwrite s=1 n=2 data=zero\n", "n=2 and data= of 1 sectors" },
	{ "fluxlog 1\nwrite s=1 n=99999999\n", "more than 32768 sectors" },
	{ "fluxlog 1\nwrite s=1 n=32768\n", "would be longer than 16777216 bytes" },
	{ "fluxlog 1\nwrite s=1 data=zero*99999999999\n", "more than 32768 sectors" },
	{ "fluxlog 1\nwrite s=1 data=zero*0\n", "\"zero*0\" is no data" },
	{ "fluxlog 1\nwrite s=1 data=zero,\n", "is no data" },
	{ "fluxlog 1\nwrite s=1 data=zeros\n", "\"zeros\" is no data" },
	{ "fluxlog 1\nwrite s=1 data=fill:1\n", "is no data" },
	{ "fluxlog 1\nwrite s=1 data=hex:012\n", "is no data" },
	{ "fluxlog 1\nwrite s=1 data=stamp:1:2:3\n", "is no data" },
	{ "fluxlog 1\nwrite s=2097152 n=1\n", "goes past the device's 2097152 sectors" },
	{ "fluxlog 1\ndiscard s=1\n", "discard has no n=" },
	{ "fluxlog 1\nmark\n", "a mark without text" },
	{ "fluxlog 1\nmark text=\"a\\x07\"\n", "byte 0x07 at place 1" },
	{ "fluxlog 1\nmark text=\"a\n", "quoted value of \"text\" does not end well" },
	{ "fluxlog 1\nmark text=\"a\\q\"\n", "does not end well" },
	{ "fluxlog 1\nmark text=\"a\"b\n", "does not end well" },
	{ "fluxlog 1\npromise len=512\n", "promise has no file=" },
	{ "fluxlog 1\npromise file=1 len=511\n", "are no whole sectors" },
	{ "fluxlog 1\npromise file=1 len=512 path=\"a b\"\n", "byte 0x20 at place 1" },
	{ "fluxlog 1\npromise file=1 len=512 call=sync\n", "there is no call \"sync\"" },
	{ "fluxlog 1\npromise sector=1 n=1 gen=1\n", "promise knows no gen=" },
	{ "fluxlog 1\npromise sector=1\n", "promise has no n=" },
	{ "fluxlog 1\nflush\nsuper dev=1\n", "text:3: a super behind" },
	{ "fluxlog 1\nsuper uuid=12\n", "uuid=12 is not a UUID" },
	{ "fluxlog 1\nsuper block=1024\n", "super: log blocks of 1024 bytes" },
	{ "fluxlog 1\nsuper dev=65536\n", "dev=65536 is not a number up to 65535" },
	{ "fluxlog 1\nsuper log_sectors=9\nunit\nflush\nunit\nflush\n", "does not fit a log of 9 sectors" },
	{ "fluxlog 1\nunit\nunit\n", "unit 0 has no records" },
	{ "fluxlog 1\nunit\n", "unit 0 has no records" },
	{ "fluxlog 1\nend\nflush\n", "text:3: a record behind the end" },
	{ "fluxlog 1\ngap\nunit\n", "a unit behind the end" },
	{ "fluxlog 1\nflush i=1 d=9\nend i=9\n", "tick 9 of the end is not after tick 9" },
	{ "fluxlog 1\nsize bytes=10\n", "a size of 10 bytes, the log has 4096" },
	{ "fluxlog 1\nsize bytes=18446744073709551615\n", "a size of" },
};

START_TEST(wrong_text)
{
	const struct wrong *w = &wrongs[_i];
	FILE *in = fmemopen((void *)(uintptr_t)(*w->text ? w->text : "\n"), strlen(w->text) ?: 1, "r");
	int fd = t_file(NULL, 0);
	struct fl_err err = { "" };

	ck_assert_int_lt(fl_text_asm(in, "text", fd, &err), 0);
	ck_assert_msg(strstr(err.msg, *w->text ? w->says : "an empty text"), "\"%s\" gives \"%s\", not \"%s\"",
		      w->text, err.msg, w->says);
	ck_assert(!strncmp(err.msg, "text:", 5));
	fclose(in);
	close(fd);
}
END_TEST

/* Random bytes and random words, as text: refused or taken, never worse. */
START_TEST(hostile_text)
{
	static const char * const words[] = {
		"write ", "flush ", "promise ", "unit ", "super ", "size ", "mark ", "gap ",
		"s=1 ", "n=2 ", "i=", "d=", "data=zero*", "data=hex:", "text=\"", "\\x4", "\"",
		"sector=", "file=", "len=", "7 ", "512 ", "18446744073709551615 ", ",", "*", ":",
		"stamp:1:2:3:4 ", "\n", "\n", "#", "bytes=", "dev=1 ", "block=4096 ",
	};
	uint64_t seed = 3;

	for (int i = 0; i < 20000; i++) {
		char text[2000] = "fluxlog 1\n";
		struct fl_err err = { "" };
		int fd, rc;
		FILE *in;

		for (uint64_t k = t_below(&seed, 40); k; k--)
			strcat(text, words[t_below(&seed, sizeof(words) / sizeof(words[0]))]);
		if (i % 4 == 0)
			text[10 + t_below(&seed, strlen(text))] = (char)t_random(&seed);
		in = fmemopen(text, strlen(text), "r");
		fd = t_file(NULL, 0);
		rc = fl_text_asm(in, "text", fd, &err);
		ck_assert_int_eq(rc != 0, err.msg[0] != 0);
		if (!rc) {
			struct fl_log *log = t_load(fd);

			ck_assert_msg(log->end != FL_END_CORRUPT, "%s%s", text, log->end_why);
			fl_log_close(log);
		}
		fclose(in);
		close(fd);
	}
}
END_TEST

Suite *text_suite(void)
{
	Suite *s = suite_create("text");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, round_trip, 0, 300);
	tcase_add_test(t, defaults);
	tcase_add_test(t, default_group);
	tcase_add_test(t, data_words);
	tcase_add_test(t, default_packing);
	tcase_add_loop_test(t, wrong_text, 0, (int)(sizeof(wrongs) / sizeof(wrongs[0])));
	tcase_add_test(t, hostile_text);
	suite_add_tcase(s, t);
	return s;
}

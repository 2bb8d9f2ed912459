// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums and stamps against values that were worked out elsewhere, and the
 * smallest changes to them.
 */
#include <check.h>
#include <string.h>

#include "crc.h"
#include "stamp.h"
#include "testlib.h"

/* The check value that every description of CRC32C gives, which is inverted. */
START_TEST(crc_known_value)
{
	ck_assert_uint_eq(~fl_crc(FL_CRC_SEED, "123456789", 9), 0xe3069283);
	ck_assert_uint_eq(fl_crc(fl_crc(FL_CRC_SEED, "1234", 4), "56789", 5),
			  fl_crc(FL_CRC_SEED, "123456789", 9));
}
END_TEST

START_TEST(crc_object_takes_field_as_zero)
{
	uint8_t a[16] = "abcdefgh", b[16] = "abcdefgh";

	memset(a + 4, 0, 4);
	memset(b + 4, 0xff, 4);
	ck_assert_uint_eq(fl_crc_object(b, 16, 4), fl_crc(FL_CRC_SEED, a, 16));
}
END_TEST

/* Worked out by an independent implementation of the format's description. */
START_TEST(worked_example)
{
	static const struct fl_stamp s = { .run = 1, .file = 2, .offset = 4096, .gen = 3 };
	static const uint8_t head[64] = {
		0x46, 0x4c, 0x55, 0x58, 0x53, 0x54, 0x4d, 0x50,
		0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x89, 0x2a, 0x00, 0x54, 0x00, 0x00, 0x00, 0x00,
		0x76, 0x88, 0x86, 0xa9, 0x44, 0x6e, 0xc4, 0x45,
		0x8f, 0x8b, 0x0f, 0xdc, 0x36, 0x31, 0x87, 0x68,
	};
	static const uint8_t tail[8] = { 0xf5, 0x3f, 0xed, 0x2b, 0xab, 0x2f, 0xd3, 0x68 };
	uint8_t sector[512];

	fl_stamp_make(sector, &s);
	ck_assert_mem_eq(sector, head, sizeof(head));
	ck_assert_mem_eq(sector + 504, tail, sizeof(tail));
}
END_TEST

START_TEST(read_gives_what_was_made)
{
	uint64_t seed = 7;

	for (int i = 0; i < 1000; i++) {
		struct fl_stamp s = { .run = t_random(&seed), .file = t_random(&seed),
				      .offset = t_random(&seed) & ~511ULL,
				      .gen = t_random(&seed) }, t;
		uint8_t sector[512];

		fl_stamp_make(sector, &s);
		ck_assert(fl_stamp_read(sector, &t));
		ck_assert_mem_eq(&s, &t, sizeof(s));
		memset(&t, 0, sizeof(t));
		ck_assert(fl_stamp_peek(sector, &t));
		ck_assert_mem_eq(&s, &t, sizeof(s));
	}
}
END_TEST

START_TEST(any_flipped_bit_is_seen)
{
	static const struct fl_stamp s = { .run = 5, .file = 6, .offset = 512, .gen = 7 };
	uint8_t sector[512];
	struct fl_stamp t;

	fl_stamp_make(sector, &s);
	for (unsigned int bit = 0; bit < 4096; bit++) {
		sector[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_msg(!fl_stamp_read(sector, &t), "bit %u", bit);
		ck_assert_msg(!fl_stamp_peek(sector, &t), "bit %u", bit);
		sector[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	ck_assert(fl_stamp_read(sector, &t));
}
END_TEST

/* A right checksum is not enough for fl_stamp_read(): the body must follow. */
static void reseal(uint8_t *sector)
{
	struct fluxlog_stamp *d = (void *)sector;

	d->crc32c = fl_crc_object(d, sizeof(*d), offsetof(struct fluxlog_stamp, crc32c));
}

START_TEST(foreign_body_is_seen)
{
	static const struct fl_stamp s = { .run = 5, .file = 6, .offset = 512, .gen = 7 };
	static const size_t place[] = { 44, 48, 511, 24 };	/* reserved, body, offset */
	struct fl_stamp t;

	for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
		uint8_t sector[512];

		fl_stamp_make(sector, &s);
		sector[place[i]] ^= 1;
		reseal(sector);
		ck_assert(fl_stamp_peek(sector, &t));
		ck_assert(!fl_stamp_read(sector, &t));
	}
}
END_TEST

/* Made by the rules but for its place, which is within a sector of the file. */
START_TEST(offset_within_a_sector)
{
	static const struct fl_stamp s = { .run = 5, .file = 6, .offset = 513, .gen = 7 };
	uint8_t sector[512];
	struct fl_stamp t;

	fl_stamp_make(sector, &s);
	ck_assert(!fl_stamp_read(sector, &t));
}
END_TEST

Suite *stamp_suite(void)
{
	Suite *s = suite_create("stamp");
	TCase *t = tcase_create("all");

	tcase_add_test(t, crc_known_value);
	tcase_add_test(t, crc_object_takes_field_as_zero);
	tcase_add_test(t, worked_example);
	tcase_add_test(t, read_gives_what_was_made);
	tcase_add_test(t, any_flipped_bit_is_seen);
	tcase_add_test(t, foreign_body_is_seen);
	tcase_add_test(t, offset_within_a_sector);
	suite_add_tcase(s, t);
	return s;
}

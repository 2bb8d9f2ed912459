// SPDX-License-Identifier: GPL-2.0
/*
 * stamp: make and recognise sectors that describe themselves.
 *
 * Takes   512 bytes of payload, or what they shall say.
 * Gives   struct fluxlog_stamp, checked or made.
 * Relies  on crc.h.
 */
#include "stamp.h"

#include <endian.h>
#include <string.h>

#include "../dm-fluxlog/uapi/fluxlog_format.h"
#include "crc.h"

#define BODY_WORDS (sizeof(((struct fluxlog_stamp *)0)->body) / 8)
#define CRC_FIELD offsetof(struct fluxlog_stamp, crc32c)

static uint64_t body_seed(const struct fl_stamp *s)
{
	return s->run ^ (s->file * 0x9e3779b97f4a7c15ULL) ^
	       (s->offset * 0xbf58476d1ce4e5b9ULL) ^ (s->gen * 0x94d049bb133111ebULL);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static void fill_body(uint8_t *body, const struct fl_stamp *s)
{
	uint64_t state = body_seed(s);

	for (size_t i = 0; i < BODY_WORDS; i++) {
		uint64_t w = htole64(splitmix64(&state));

		memcpy(body + 8 * i, &w, 8);
	}
}

static bool body_right(const uint8_t *body, const struct fl_stamp *s)
{
	uint64_t state = body_seed(s);

	for (size_t i = 0; i < BODY_WORDS; i++) {
		uint64_t w;

		memcpy(&w, body + 8 * i, 8);
		if (le64toh(w) != splitmix64(&state))
			return false;
	}
	return true;
}

void fl_stamp_make(uint8_t *sector, const struct fl_stamp *s)
{
	struct fluxlog_stamp d = {
		.magic = htole64(FLUXLOG_STAMP_MAGIC),
		.run = htole64(s->run),
		.file = htole64(s->file),
		.offset = htole64(s->offset),
		.gen = htole64(s->gen),
	};

	fill_body(d.body, s);
	d.crc32c = htole32(fl_crc_object(&d, sizeof(d), CRC_FIELD));
	memcpy(sector, &d, sizeof(d));
}

bool fl_stamp_peek(const uint8_t *sector, struct fl_stamp *out)
{
	struct fluxlog_stamp d;

	/* most sectors of a log are no stamps: look before copying */
	memcpy(&d.magic, sector, sizeof(d.magic));
	if (le64toh(d.magic) != FLUXLOG_STAMP_MAGIC)
		return false;
	memcpy(&d, sector, offsetof(struct fluxlog_stamp, body));
	if (le32toh(d.crc32c) != fl_crc_object(sector, sizeof(d), CRC_FIELD))
		return false;
	out->run = le64toh(d.run);
	out->file = le64toh(d.file);
	out->offset = le64toh(d.offset);
	out->gen = le64toh(d.gen);
	return true;
}

bool fl_stamp_read(const uint8_t *sector, struct fl_stamp *out)
{
	static const uint8_t zero[4];
	struct fl_stamp s;

	if (!fl_stamp_peek(sector, &s) ||
	    memcmp(sector + offsetof(struct fluxlog_stamp, reserved), zero, 4) ||
	    s.offset % 512 ||
	    !body_right(sector + offsetof(struct fluxlog_stamp, body), &s))
		return false;
	*out = s;
	return true;
}

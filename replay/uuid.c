// SPDX-License-Identifier: GPL-2.0
/*
 * uuid: 16 bytes as text and back.
 *
 * Takes   bytes in the order in which the log has them.
 * Gives   8-4-4-4-12 lower-case digits.
 * Relies  on text_lex for digits.
 */
#include "uuid.h"

#include "text_lex.h"

static bool dash_before(int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

char *fl_uuid_str(char out[FL_UUID_LEN + 1], const uint8_t uuid[16])
{
	static const char digit[] = "0123456789abcdef";
	char *p = out;

	for (int i = 0; i < 16; i++) {
		if (dash_before(i))
			*p++ = '-';
		*p++ = digit[uuid[i] >> 4];
		*p++ = digit[uuid[i] & 15];
	}
	*p = '\0';
	return out;
}

bool fl_uuid_parse(uint8_t uuid[16], const char *s)
{
	for (int i = 0; i < 16; i++) {
		int hi, lo;

		if (dash_before(i) && *s++ != '-')
			return false;
		hi = fl_text_hex_digit(s[0]);
		lo = hi < 0 ? -1 : fl_text_hex_digit(s[1]);
		if (lo < 0)
			return false;
		uuid[i] = (uint8_t)(hi << 4 | lo);
		s += 2;
	}
	return *s == '\0';
}

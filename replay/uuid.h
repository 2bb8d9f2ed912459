/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uuid: 16 bytes as 8-4-4-4-12 hexadecimal digits, both ways.
 */
#ifndef UUID_H
#define UUID_H

#include <stdbool.h>
#include <stdint.h>

#define FL_UUID_LEN 36

/* Write 36 characters and a NUL to @out; returns @out. */
char *fl_uuid_str(char out[FL_UUID_LEN + 1], const uint8_t uuid[16]);

/* False if @s is not exactly such a text; @uuid is then undefined. */
bool fl_uuid_parse(uint8_t uuid[16], const char *s);

#endif

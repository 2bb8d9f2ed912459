/* SPDX-License-Identifier: GPL-2.0 */
/*
 * testlib: logs in memory files, and random numbers that can be had again.
 */
#ifndef TESTLIB_H
#define TESTLIB_H

#include <stdint.h>

#include "log_build.h"
#include "log_reader.h"

/* splitmix64: the same sequence on every machine. */
uint64_t t_random(uint64_t *state);
uint64_t t_below(uint64_t *state, uint64_t n);		/* 0 to n - 1 */

/* A file without a name, of @n bytes. */
int t_file(const void *bytes, size_t n);

/* A path under which @fd can be opened; valid until the next call. */
const char *t_path(int fd);

/* The whole file in memory; free() it. */
uint8_t *t_slurp(int fd, size_t *n);

/* A file without a name with the log that @text describes; the test fails if it
 * is refused. */
int t_asm(const char *text);

/* Open and load @fd's log; the test fails if that gives an error. */
struct fl_log *t_load(int fd);

/* The text of @fd's log; free() it. */
char *t_dump(int fd);

/* Give unit @off of the log in @bytes a right checksum, after it was changed. */
void t_seal_unit(uint8_t *bytes, uint32_t block_size, size_t off);

/* The same for the super. */
void t_seal_super(uint8_t *bytes);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd: what every command of fluxlog looks like.
 *
 * A cmd_*.c reads the arguments of its command, calls the parts that do the
 * work and returns an exit code (FL_EXIT_*). argv[0] is the command's name.
 */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>
#include <stdint.h>

int cmd_info(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_asm(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_mount(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_bisect(int argc, char **argv);

/* Each command's full help, printed by `fluxlog help CMD` and `CMD --help`. */
extern const char cmd_info_help[];
extern const char cmd_dump_help[];
extern const char cmd_asm_help[];
extern const char cmd_convert_help[];
extern const char cmd_check_help[];
extern const char cmd_explain_help[];
extern const char cmd_replay_help[];
extern const char cmd_mount_help[];
extern const char cmd_diff_help[];
extern const char cmd_verify_help[];
extern const char cmd_merge_help[];
extern const char cmd_stat_help[];
extern const char cmd_bisect_help[];

/*
 * "fluxlog CMD: <sentence>; see fluxlog help CMD" on stderr; FL_EXIT_CANNOT. For
 * arguments that make no sense.
 */
int cmd_usage_error(const char *cmd, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for an option that getopt_long() refused; @c is what it returned. Short
 * options must begin with ':', so that it keeps silent itself. */
int cmd_bad_option(const char *cmd, int c, char **argv);

/* A number, decimal or hexadecimal after 0x, and nothing else. */
bool cmd_number(const char *text, uint64_t *out);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_args: arguments that make no sense, said the same way by every command.
 *
 * Takes   the name of a command and what is wrong.
 * Gives   one line on stderr and exit code 2; numbers.
 * Relies  on getopt_long() having been told to keep silent.
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"
#include "text_lex.h"

int cmd_usage_error(const char *cmd, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "fluxlog %s: ", cmd);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; see fluxlog help %s\n", cmd);
	return FL_EXIT_CANNOT;
}

int cmd_bad_option(const char *cmd, int c, char **argv)
{
	if (c == ':')
		return cmd_usage_error(cmd, "option %s needs a value", argv[optind - 1]);
	if (optopt && strncmp(argv[optind - 1], "--", 2))
		return cmd_usage_error(cmd, "unknown option -%c", optopt);
	return cmd_usage_error(cmd, "unknown option %s", argv[optind - 1]);
}

bool cmd_number(const char *text, uint64_t *out)
{
	return fl_text_u64(text, NULL, out);
}

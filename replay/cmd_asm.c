// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_asm: a log from its text.
 *
 * Takes   the path of a text, or - for standard input.
 * Gives   the log under its name as a whole, or nothing.
 * Relies  on text_form.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "new_file.h"
#include "text_form.h"

const char cmd_asm_help[] =
	"usage: fluxlog asm TEXT -o LOG\n"
	"\n"
	"Makes LOG of its TEXT (- is standard input), which fluxlog-log(5) explains. If\n"
	"TEXT is wrong, LOG is left as it was.\n"
	"\n"
	"  -o, --output LOG   the log to write\n"
	"\n"
	"Exit code: 0 written; 2 not.\n";

static int make_log(FILE *in, const char *name, const char *path, struct fl_err *err)
{
	struct fl_new_file f;
	int rc = fl_new_begin(&f, path, err);

	if (!rc)
		rc = fl_text_asm(in, name, f.fd, err);
	if (!rc)
		rc = fl_new_commit(&f, err);
	fl_new_end(&f);
	return rc;
}

static int run(const char *text, const char *path, struct fl_err *err)
{
	bool is_stdin = !strcmp(text, "-");
	FILE *in = is_stdin ? stdin : fopen(text, "re");
	int rc;

	if (!in)
		return fl_fail(err, errno, "%s: %s", text, strerror(errno));
	rc = make_log(in, is_stdin ? "standard input" : text, path, err);
	if (!is_stdin)
		fclose(in);
	return rc;
}

int cmd_asm(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *path = NULL;
	struct fl_err err;
	int c;

	while ((c = getopt_long(argc, argv, ":o:h", options, NULL)) != -1) {
		switch (c) {
		case 'o':
			path = optarg;
			break;
		case 'h':
			fputs(cmd_asm_help, stdout);
			return FL_EXIT_FINE;
		default:
			return cmd_bad_option("asm", c, argv);
		}
	}
	if (argc - optind != 1)
		return cmd_usage_error("asm", "one text, please, not %d", argc - optind);
	if (!path)
		return cmd_usage_error("asm", "no -o LOG");
	if (run(argv[optind], path, &err)) {
		fl_print_err(&err);
		return FL_EXIT_CANNOT;
	}
	return FL_EXIT_FINE;
}

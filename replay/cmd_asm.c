// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_asm: a log from its text.
 *
 * Takes   the path of a text, or - for standard input.
 * Gives   the log under its name as a whole, or nothing.
 * Relies  on text_form.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
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

/* Under a name of its own until it is whole; owned by make_log(). */
struct target {
	const char *path;
	char *temp;
	int fd;
};

static int open_target(struct target *t, struct fl_err *err)
{
	struct stat st;

	if (!stat(t->path, &st) && !S_ISREG(st.st_mode))
		return fl_fail(err, EINVAL, "%s: exists and is not a file", t->path);
	if (asprintf(&t->temp, "%s.XXXXXX", t->path) < 0) {
		t->temp = NULL;
		return fl_fail(err, ENOMEM, "%s: no memory for a name", t->path);
	}
	t->fd = mkostemp(t->temp, O_CLOEXEC);
	if (t->fd < 0)
		return fl_fail(err, errno, "%s: %s", t->path, strerror(errno));
	return 0;
}

/* mkostemp() lets the owner alone read it: give it the mode that open() would. */
static int usual_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

static int close_target(struct target *t, struct fl_err *err)
{
	int fd = t->fd;

	t->fd = -1;
	if (usual_mode(fd) || close(fd) || rename(t->temp, t->path))
		return fl_fail(err, errno, "%s: %s", t->path, strerror(errno));
	return 0;
}

static int make_log(FILE *in, const char *name, const char *path, struct fl_err *err)
{
	struct target t = { .path = path, .fd = -1 };
	int rc = open_target(&t, err);

	if (!rc)
		rc = fl_text_asm(in, name, t.fd, err);
	if (!rc)
		rc = close_target(&t, err);
	if (rc && t.temp)
		unlink(t.temp);
	if (t.fd >= 0)
		close(t.fd);
	free(t.temp);
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

// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_dump: a log as text on standard output.
 *
 * Takes   the path of a log.
 * Gives   its text; on stderr what the text cannot tell: how a broken log ends,
 *	   and bytes behind the end.
 * Relies  on text_form.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "progress.h"
#include "text_form.h"

const char cmd_dump_help[] =
	"usage: fluxlog dump LOG\n"
	"\n"
	"Writes LOG as text to standard output; fluxlog-log(5) explains the text, fluxlog\n"
	"asm makes the same log of it again. Of a log that is cut off or corrupt it writes\n"
	"what is valid, and says on standard error where and why that ends.\n"
	"\n"
	"Exit code: 0 all of the log is in the text; 2 it is cut off, corrupt, or could not\n"
	"be read.\n";

/* Offset of the first byte from @off on that is not zero; log->bytes if all are. */
static int first_nonzero(const struct fl_log *log, uint64_t off, uint64_t *at,
			 struct fl_err *err)
{
	static uint8_t buf[1 << 20];

	while (off < log->bytes) {
		off_t data = lseek(log->fd, (off_t)off, SEEK_DATA);
		uint64_t n;
		int rc;

		if (data < 0 && errno == ENXIO)
			break;
		if (data > (off_t)off)
			off = (uint64_t)data;
		n = log->bytes - off < sizeof(buf) ? log->bytes - off : sizeof(buf);
		rc = fl_log_pread(log, buf, n, off, err);
		if (rc)
			return rc;
		for (uint64_t i = 0; i < n; i++) {
			if (buf[i]) {
				*at = off + i;
				return 0;
			}
		}
		off += n;
	}
	*at = log->bytes;
	return 0;
}

/* A block device holds whatever was there before; of a file, people expect to see all. */
static int tell_tail(const struct fl_log *log, struct fl_err *err)
{
	struct stat st;
	uint64_t at;
	int rc;

	if (fstat(log->fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	rc = first_nonzero(log, log->end_off, &at, err);
	if (!rc && at < log->bytes)
		fprintf(stderr,
			"fluxlog: %s: the log ends at offset %" PRIu64
			"; what follows, from offset %" PRIu64 " on, is not in the text\n",
			log->path, log->end_off, at);
	return rc;
}

static int dump(struct fl_log *log, struct fl_err *err)
{
	struct fl_progress p;
	int rc;

	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	fl_progress_begin(&p, "writing as text", log->bytes);
	rc = fl_text_dump(log, stdout, fl_progress_visit, &p, err);
	fl_progress_end(&p);
	if (rc)
		return rc;
	if (log->end == FL_END_CUT_OFF || log->end == FL_END_CORRUPT)
		return fl_fail(err, EBADMSG, "%s: %s at offset %" PRIu64 ": %s", log->path,
			       fl_end_name(log->end), log->end_off, log->end_why);
	return tell_tail(log, err);
}

int cmd_dump(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct fl_log *log = NULL;
	struct fl_err err;
	int c, rc;

	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (c != 'h')
			return cmd_bad_option("dump", c, argv);
		fputs(cmd_dump_help, stdout);
		return FL_EXIT_FINE;
	}
	if (argc - optind != 1)
		return cmd_usage_error("dump", "one log, please, not %d", argc - optind);
	rc = fl_log_open(&log, argv[optind], &err);
	if (!rc)
		rc = dump(log, &err);
	if (rc)
		fl_print_err(&err);
	fl_log_close(log);
	return rc ? FL_EXIT_CANNOT : FL_EXIT_FINE;
}

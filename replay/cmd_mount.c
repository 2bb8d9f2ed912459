// SPDX-License-Identifier: GPL-2.0
/*
 * cmd_mount: crash images as files, until somebody unmounts them.
 *
 * The command returns when the mount is up: it waits for its child, which serves on.
 * The child keeps the terminal until then, so that what it says about logs that end
 * early is read, and lets go of everything afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "image_fuse.h"

const char cmd_mount_help[] =
	"usage: fluxlog mount [OPTION...] LOG... DIR\n"
	"\n"
	"Mounts the crash images of the LOGs on DIR, each as a file as large as its device:\n"
	"DIR/CUT/VARIANT, and of several logs DIR/CUT/VARIANT.devN.\n"
	"\n"
	"  CUT       flush-N, promise-N, mark-TEXT, tick-T, start, end: power is lost right\n"
	"            after the N-th flush or FUA write was done, and so on\n"
	"  VARIANT   durable        nothing that floats\n"
	"            all            everything that floats, failed writes too\n"
	"            drop=T,T...    all but the writes that were issued at these ticks\n"
	"            only=T,T...    these alone\n"
	"            prefix=N       the first N in done order\n"
	"            seed=S         each with probability 1/2, the same for ever\n"
	"            torn=T:MASK    of one write, the blocks whose bit is set\n"
	"\n"
	"Each folder lists durable and all; every other name is there as well. An image can\n"
	"be written to: that is kept in memory, seen by all who have it open, and dropped\n"
	"with its last user. umount, or fusermount3 -u, ends it.\n"
	"\n"
	"  -b, --base FILE    shows where a log never wrote (once for each log, in order;\n"
	"                     \"-\" for zeros) [zeros]\n"
	"  -k, --keep         what is written to an image stays until the end\n"
	"  -r, --read-only    images cannot be written to\n"
	"  -f, --foreground   stay; ends on a signal\n"
	"\n"
	"Prints where the images are. Exit code: 0 mounted, 2 not. Of a log that ends early\n"
	"the cuts up to there are served, and stderr says so.\n";

struct options {
	const char *base[FL_GROUP_MAX];
	int nr_base;
	bool keep, read_only, foreground;
};

/* -1: help was asked for. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "keep", no_argument, NULL, 'k' },
		{ "read-only", no_argument, NULL, 'r' },
		{ "foreground", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	*o = (struct options){ .nr_base = 0 };
	while ((c = getopt_long(argc, argv, ":b:krfh", longs, NULL)) != -1) {
		if (c == 'k')
			o->keep = true;
		else if (c == 'r')
			o->read_only = true;
		else if (c == 'f')
			o->foreground = true;
		else if (c == 'h')
			return -1;
		else if (c != 'b')
			return cmd_bad_option("mount", c, argv);
		else if (o->nr_base == FL_GROUP_MAX)
			return cmd_usage_error("mount", "more than %d bases", FL_GROUP_MAX);
		else
			o->base[o->nr_base++] = optarg;
	}
	if (argc - optind < 2)
		return cmd_usage_error("mount", "at least a log and a folder are needed");
	if (o->nr_base > argc - optind - 1)
		return cmd_usage_error("mount", "%d bases for %d logs", o->nr_base,
				       argc - optind - 1);
	return FL_EXIT_FINE;
}

static int open_bases(const struct options *o, int fd[FL_GROUP_MAX], struct fl_err *err)
{
	int i, ret = 0;

	for (i = 0; i < FL_GROUP_MAX; i++)
		fd[i] = -1;
	for (i = 0; i < o->nr_base && !ret; i++)
		ret = fl_base_open(o->base[i], &fd[i], err);
	return ret;
}

static void say_ends(const struct fl_group *g, const struct fl_cuts *cuts)
{
	struct fl_err err;
	unsigned int i;

	for (i = 0; i < g->nr; i++) {
		if (g->log[i]->end == FL_END_COMPLETE)
			continue;
		fl_fail(&err, 0, "%s: %s, %s: there are cuts up to tick %" PRIu64 " only",
			g->log[i]->path, fl_end_name(g->log[i]->end), g->log[i]->end_why,
			cuts->last);
		fl_print_err(&err);
	}
}

/* Tell the waiting parent, if there is one, and let go of the terminal. */
static void detach(int tell)
{
	int null;

	if (tell < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	fflush(NULL);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
	}
	setsid();
	if (chdir("/") || write(tell, "", 1) != 1)
		_exit(FL_EXIT_CANNOT);
	close(tell);
}

/* Until a signal comes or somebody unmounts. */
static void stay(const struct fl_fs *fs, int signals)
{
	struct pollfd p[2] = {
		{ .fd = fl_fs_ended(fs), .events = POLLIN },
		{ .fd = signals, .events = POLLIN },
	};

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static int serve_cuts(const struct fl_group *g, const struct fl_cuts *cuts,
		      const struct fl_fs_opts *fo, const char *dir, int tell,
		      struct fl_err *err)
{
	int signals, ret;
	struct fl_fs *fs;

	say_ends(g, cuts);
	signals = block_signals();
	ret = fl_fs_start(&fs, g, cuts, fo, dir, err);
	if (!ret) {
		printf("%s: the crash images of %" PRIu64 " flush points\n", dir,
		       cuts->nr_flush);
		detach(tell);
		stay(fs, signals);
		fl_fs_stop(fs);
	}
	close(signals);
	return ret;
}

static int mount_logs(const struct options *o, char *const *log, int nr, const char *dir,
		      int tell)
{
	int base[FL_GROUP_MAX], ret, i;
	struct fl_fs_opts fo = {
		.base = base, .keep = o->keep, .read_only = o->read_only,
	};
	struct fl_err err = { "" };
	struct fl_group *g = NULL;
	struct fl_cuts cuts;

	ret = open_bases(o, base, &err);
	if (!ret)
		ret = fl_group_open(&g, log, nr, 0, &err);
	if (!ret) {
		fl_cuts_build(&cuts, g);
		ret = serve_cuts(g, &cuts, &fo, dir, tell, &err);
		fl_cuts_free(&cuts);
	}
	if (ret)
		fl_print_err(&err);
	fl_group_close(g);
	for (i = 0; i < FL_GROUP_MAX; i++)
		if (base[i] >= 0)
			close(base[i]);
	return ret ? FL_EXIT_CANNOT : FL_EXIT_FINE;
}

/* The parent's part: the child writes a byte when it is up, or ends. */
static int await(pid_t child, int from)
{
	int status;
	char c;

	if (read(from, &c, 1) == 1)
		return FL_EXIT_FINE;
	if (waitpid(child, &status, 0) < 0 || WIFSIGNALED(status))
		fprintf(stderr, "fluxlog: the serving process died\n");
	return FL_EXIT_CANNOT;
}

static int in_background(const struct options *o, char *const *log, int nr, const char *dir)
{
	int tell[2], rc;
	pid_t child;

	if (pipe2(tell, O_CLOEXEC)) {
		fprintf(stderr, "fluxlog: no pipe: %s\n", strerror(errno));
		return FL_EXIT_CANNOT;
	}
	fflush(NULL);
	child = fork();
	if (child < 0) {
		fprintf(stderr, "fluxlog: no process to serve with: %s\n", strerror(errno));
		return FL_EXIT_CANNOT;
	}
	if (!child) {
		close(tell[0]);
		return mount_logs(o, log, nr, dir, tell[1]);
	}
	close(tell[1]);
	rc = await(child, tell[0]);
	close(tell[0]);
	return rc;
}

int cmd_mount(int argc, char **argv)
{
	struct options o;
	int rc = parse(argc, argv, &o), nr = argc - optind - 1;
	char *dir;

	if (rc < 0)
		fputs(cmd_mount_help, stdout);
	if (rc)
		return rc < 0 ? FL_EXIT_FINE : rc;
	/* unmounting must work from another working directory */
	dir = realpath(argv[argc - 1], NULL);
	if (!dir) {
		fprintf(stderr, "fluxlog: %s: %s\n", argv[argc - 1], strerror(errno));
		return FL_EXIT_CANNOT;
	}
	rc = o.foreground ? mount_logs(&o, argv + optind, nr, dir, -1)
			  : in_background(&o, argv + optind, nr, dir);
	free(dir);
	return rc;
}

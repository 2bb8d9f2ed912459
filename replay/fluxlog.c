// SPDX-License-Identifier: GPL-2.0
/*
 * fluxlog: the command table.
 *
 * Takes   a command's name and its arguments.
 * Gives   0 nothing found, 1 findings, 2 could not judge.
 * Relies  on each cmd_*.c for the rest.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "err.h"

#define VERSION "1"

/**
 * struct command - one line of the table
 * @name: as typed
 * @line: what it does, in one line
 * @help: all of its help; NULL: it answers --help itself
 * @run: does it
 */
static const struct command {
	const char *name, *line, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", "what a log is, what is in it, how it ends", cmd_info_help, cmd_info },
	{ "dump", "a log as text", cmd_dump_help, cmd_dump },
	{ "asm", "a log from its text", cmd_asm_help, cmd_asm },
	{ "convert", "a log from one of dm-log-writes, and back", cmd_convert_help, cmd_convert },
	{ "check", "whether every promise survives a power cut at every instant",
	  cmd_check_help, cmd_check },
	{ "explain", "the story of one finding of check", cmd_explain_help, cmd_explain },
	{ "replay", "a crash image, as a file or on a device", cmd_replay_help, cmd_replay },
	{ "mount", "all crash images, as files", cmd_mount_help, cmd_mount },
	{ "diff", "where two crash images differ, and by which writes",
	  cmd_diff_help, cmd_diff },
	{ "verify", "mounts crash images and compares files with promises",
	  cmd_verify_help, cmd_verify },
	{ "stat", "what flushes cost, and what they were good for", cmd_stat_help, cmd_stat },
	{ "merge", "the results of a walk's shards as one", cmd_merge_help, cmd_merge },
	{ "bisect", "which writes make a crash image fail, and from which flush on",
	  cmd_bisect_help, cmd_bisect },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_help(void)
{
	puts("usage: fluxlog COMMAND [ARGUMENT...]\n"
	     "\n"
	     "Reads the logs that the device-mapper target fluxlog writes, and judges whether\n"
	     "what fsync promised survives a power cut at any instant.\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("  %-8s %s\n", commands[i].name, commands[i].line);
	puts("\n"
	     "  fluxlog help COMMAND   all about one command\n"
	     "  fluxlog --version\n"
	     "\n"
	     "Exit code: 0 nothing found, 1 findings, 2 could not judge.");
}

static int unknown(const char *name)
{
	fprintf(stderr, "fluxlog: unknown command \"%s\"; see fluxlog --help\n", name);
	return FL_EXIT_CANNOT;
}

static int help_on(const char *name)
{
	const struct command *cmd = find(name);
	char *argv[] = { (char *)name, (char *)"--help", NULL };

	if (!cmd)
		return unknown(name);
	if (!cmd->help)
		return cmd->run(2, argv);
	fputs(cmd->help, stdout);
	return FL_EXIT_FINE;
}

static int dispatch(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct command *cmd;

	if (!name) {
		fputs("fluxlog: no command; see fluxlog --help\n", stderr);
		return FL_EXIT_CANNOT;
	}
	if (!strcmp(name, "--version")) {
		puts("fluxlog " VERSION);
		return FL_EXIT_FINE;
	}
	if (!strcmp(name, "help") && argc > 2)
		return help_on(argv[2]);
	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
		print_help();
		return FL_EXIT_FINE;
	}
	cmd = find(name);
	return cmd ? cmd->run(argc - 1, argv + 1) : unknown(name);
}

int main(int argc, char **argv)
{
	int rc = dispatch(argc, argv);

	/* a verdict that nobody could read is none */
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "fluxlog: writing to standard output: %s\n", strerror(errno));
		rc = FL_EXIT_CANNOT;
	}
	return rc;
}

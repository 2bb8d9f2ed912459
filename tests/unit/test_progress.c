// SPDX-License-Identifier: GPL-2.0
/*
 * The progress meter where stderr is no terminal: silent while the work is short,
 * then a line, then none for a while. Clocks are not waited for: the meter's own
 * times are set back.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "testlib.h"

#define SEC 1000000000ULL

/* As if the work had begun @s seconds earlier. */
static void age(struct fl_progress *p, uint64_t s)
{
	p->start_ns -= s * SEC;
	p->last_ns -= s * SEC;
}

START_TEST(lines)
{
	int fd = t_file(NULL, 0), keep = dup(STDERR_FILENO);
	struct fl_progress p;
	char *text;
	size_t n;

	dup2(fd, STDERR_FILENO);
	fl_progress_begin(&p, "reading", 200);
	fl_progress_step(&p, 50);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
	age(&p, 2);
	fl_progress_step(&p, 0);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
	fl_progress_step(&p, 50);
	fl_progress_step(&p, 51);
	age(&p, 4);
	fl_progress_step(&p, 60);
	age(&p, 2);
	fl_progress_step(&p, 400);	/* more than the total was */
	fl_progress_end(&p);
	dup2(keep, STDERR_FILENO);
	text = (char *)t_slurp(fd, &n);
	ck_assert_str_eq(text, "reading: 25%, 6 s left\nreading: 100%, 0 s left\n");
	free(text);
	close(keep);
	close(fd);
}
END_TEST

START_TEST(unknown_total)
{
	int fd = t_file(NULL, 0), keep = dup(STDERR_FILENO);
	struct fl_progress p;

	dup2(fd, STDERR_FILENO);
	fl_progress_begin(&p, "reading", 0);
	age(&p, 100);
	fl_progress_step(&p, 5);
	fl_progress_end(&p);
	dup2(keep, STDERR_FILENO);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
	close(keep);
	close(fd);
}
END_TEST

Suite *progress_suite(void)
{
	Suite *s = suite_create("progress");
	TCase *t = tcase_create("all");

	tcase_add_test(t, lines);
	tcase_add_test(t, unknown_total);
	suite_add_tcase(s, t);
	return s;
}

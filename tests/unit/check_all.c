// SPDX-License-Identifier: GPL-2.0
/*
 * check_all: runs every unit test.
 *
 * Takes   the suites of all tests/unit/test_NAME.c: the Makefile makes suites.h
 *	   of the file names, so that a file that exists is a suite that runs.
 * Gives   a line for each failure, the totals last, exit code 0 or 1.
 * Relies  on each file to define Suite *NAME_suite(void).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#define SUITE(name) Suite *name##_suite(void);
#include "suites.h"
#undef SUITE

int main(void)
{
	SRunner *sr = srunner_create(NULL);
	int run, failed;

#define SUITE(name) srunner_add_suite(sr, name##_suite());
#include "suites.h"
#undef SUITE
	srunner_run_all(sr, CK_NORMAL);
	run = srunner_ntests_run(sr);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	/* a suite of no tests would be a check that cannot fail */
	if (!run)
		failed = 1;
	printf("unit: %d passed, %d failed\n", run > failed ? run - failed : 0, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

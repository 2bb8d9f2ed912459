// SPDX-License-Identifier: GPL-2.0
/*
 * image_fuse: crash images as files of a mount, against the model, and what becomes of
 * what is written to them.
 *
 * Relies  on /dev/fuse and root. Without them there is one test that says so, and
 *	   tests/cli/mount.sh is skipped for the same reason.
 */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image_fuse.h"
#include "image_world.h"

#define IDS 200
#define IDS_PER_WORLD 8
#define BYTES (W_MAX_SECTORS * FL_SECTOR)

static char dir[64];
static struct fl_fs *fs;
static struct world w;

/* Mount world number @seed; unmount() takes it down. */
static void mount_world(uint64_t seed, bool keep, bool read_only)
{
	struct fl_err err;
	struct fl_fs_opts o = { .base = w.base, .keep = keep, .read_only = read_only };

	snprintf(dir, sizeof(dir), "/tmp/fluxlog-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	w_make(&w, seed);
	if (fl_fs_start(&fs, w.g, &w.cuts, &o, dir, &err))
		ck_abort_msg("%s", err.msg);
}

static void unmount(void)
{
	fl_fs_stop(fs);
	fs = NULL;
	w_free(&w);
	ck_assert_int_eq(rmdir(dir), 0);
}

/* A mount of a test that fails goes with its process. */
static void hide_mounts(void)
{
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
}

/* The first image of a world with one device, or with several. */
static const char *first_image(void)
{
	return w.nr_dev == 1 ? "end/all" : "end/all.dev0";
}

static const char *path_of(const char *id)
{
	static char path[sizeof(dir) + W_ID];

	snprintf(path, sizeof(path), "%s/%s", dir, id);
	return path;
}

static int open_id(const char *id, int flags)
{
	int fd = open(path_of(id), flags | O_CLOEXEC);

	if (fd < 0)
		ck_abort_msg("%s: %s", id, strerror(errno));
	return fd;
}

static void check_bytes(int fd, const uint8_t *want)
{
	uint8_t got[BYTES];

	ck_assert_int_eq(pread(fd, got, BYTES, 0), (ssize_t)(w.sectors * FL_SECTOR));
	ck_assert_mem_eq(got, want, w.sectors * FL_SECTOR);
}

START_TEST(files_are_the_models)
{
	uint8_t want[BYTES], part[BYTES];
	uint64_t bytes, off, len;
	unsigned int dev, i;
	char id[W_ID];
	int fd;

	mount_world((uint64_t)_i, false, false);
	bytes = w.sectors * FL_SECTOR;
	for (i = 0; i < IDS_PER_WORLD; i++) {
		w_pick(&w, id, &dev, want);
		fd = open_id(id, O_RDONLY);
		off = t_below(&w.random, bytes);
		len = t_below(&w.random, BYTES);
		ck_assert_int_eq(pread(fd, part, len, (off_t)off),
				 (ssize_t)(len < bytes - off ? len : bytes - off));
		ck_assert_mem_eq(part, want + off, len < bytes - off ? len : bytes - off);
		check_bytes(fd, want);
		close(fd);
	}
	unmount();
}
END_TEST

/* ---- what is there ------------------------------------------------------------ */

START_TEST(folders_list_every_cut_by_tick)
{
	struct dirent *e;
	uint64_t tick, last = 0, n = 0;
	struct fl_err err;
	DIR *d;

	mount_world(3, false, false);
	d = opendir(dir);
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		ck_assert_int_eq(fl_cut_find(&w.cuts, e->d_name, strlen(e->d_name), &tick, &err),
				 0);
		ck_assert_uint_ge(tick, last);
		last = tick;
		n++;
	}
	closedir(d);
	ck_assert_uint_eq(n, w.cuts.nr_flush + w.nr_mark + w.nr_promise + 2);
	unmount();
}
END_TEST

START_TEST(images_list_durable_and_all)
{
	struct dirent *e;
	struct stat st;
	unsigned int n = 0;
	DIR *d;

	mount_world((uint64_t)_i, false, false);
	d = opendir(path_of("end"));
	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		ck_assert_int_eq(fstatat(dirfd(d), e->d_name, &st, 0), 0);
		ck_assert(S_ISREG(st.st_mode));
		ck_assert_int_eq(st.st_size, (off_t)(w.sectors * FL_SECTOR));
		n++;
	}
	closedir(d);
	ck_assert_uint_eq(n, 2 * w.nr_dev);
	unmount();
}
END_TEST

START_TEST(other_names_are_not_there)
{
	static const char *const none[] = {
		"flush-0", "flush-01", "tick-x", "end/some", "end/drop=1000", "end/all/all",
		"end/all.dev7", "x",
	};
	size_t i;

	mount_world(1, false, false);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		ck_assert_int_eq(open(path_of(none[i]), O_RDONLY), -1);
		ck_assert(errno == ENOENT || errno == ENOTDIR);
	}
	unmount();
}
END_TEST

/* ---- writing ------------------------------------------------------------------ */

START_TEST(writes_are_shared_and_dropped_at_the_last_close)
{
	const uint64_t seed = (uint64_t)_i;
	uint8_t before[BYTES], model[BYTES];
	const char *id;
	int a, b;

	mount_world(seed, false, false);
	id = first_image();
	a = open_id(id, O_RDWR);
	b = open_id(id, O_RDONLY);
	ck_assert_uint_eq(fl_fs_users(fs, id), 2);
	ck_assert_int_eq(pread(a, before, BYTES, 0), (ssize_t)(w.sectors * FL_SECTOR));
	ck_assert(!fl_fs_written(fs, id, 0, w.sectors));
	memcpy(model, before, sizeof(model));
	memset(model + 100, 'x', 1000);
	ck_assert_int_eq(pwrite(a, model + 100, 1000, 100), 1000);
	check_bytes(b, model);
	ck_assert(fl_fs_written(fs, id, 0, 1));
	ck_assert(fl_fs_written(fs, id, 2, 1));
	ck_assert(!fl_fs_written(fs, id, 8, w.sectors - 8));
	memset(model, 0, 600);
	ck_assert_int_eq(fallocate(a, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 600), 0);
	check_bytes(b, model);
	ck_assert_int_eq(fsync(a), 0);
	close(a);
	check_bytes(b, model);
	close(b);
	a = open_id(id, O_RDONLY);
	check_bytes(a, before);
	ck_assert(!fl_fs_written(fs, id, 0, w.sectors));
	close(a);
	unmount();
}
END_TEST

/* Many times, with the kernel's cache full of what was written. */
START_TEST(nothing_is_left_for_the_next_opener)
{
	uint8_t before[BYTES], x[BYTES];
	const char *id;
	int fd, i;

	mount_world(5, false, false);
	id = first_image();
	memset(x, 'x', sizeof(x));
	fd = open_id(id, O_RDONLY);
	ck_assert_int_gt(pread(fd, before, BYTES, 0), 0);
	close(fd);
	for (i = 0; i < 500; i++) {
		fd = open_id(id, O_RDWR);
		check_bytes(fd, before);
		ck_assert_int_gt(pwrite(fd, x, w.sectors * FL_SECTOR, 0), 0);
		check_bytes(fd, x);
		close(fd);
	}
	unmount();
}
END_TEST

START_TEST(keep_keeps)
{
	const char *id;
	char c = 0;
	int fd;

	mount_world(5, true, false);
	id = first_image();
	fd = open_id(id, O_RDWR);
	ck_assert_int_eq(pwrite(fd, "k", 1, 7), 1);
	close(fd);
	fd = open_id(id, O_RDONLY);
	ck_assert_int_eq(pread(fd, &c, 1, 7), 1);
	ck_assert_int_eq(c, 'k');
	close(fd);
	unmount();
}
END_TEST

START_TEST(images_keep_to_themselves)
{
	uint8_t before[BYTES];
	int a, b;

	mount_world(5, false, false);
	b = open_id(w.nr_dev == 1 ? "end/durable" : "end/durable.dev0", O_RDONLY);
	ck_assert_int_gt(pread(b, before, BYTES, 0), 0);
	a = open_id(first_image(), O_RDWR);
	ck_assert_int_eq(pwrite(a, "written", 7, 0), 7);
	check_bytes(b, before);
	ck_assert_int_eq(ftruncate(a, 0), -1);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_int_eq(pwrite(a, "x", 1, (off_t)(w.sectors * FL_SECTOR)), -1);
	close(a);
	close(b);
	unmount();
}
END_TEST

START_TEST(read_only_is)
{
	int fd;

	mount_world(5, false, true);
	ck_assert_int_eq(open(path_of(first_image()), O_RDWR), -1);
	ck_assert_int_eq(errno, EROFS);
	fd = open_id(first_image(), O_RDONLY);
	close(fd);
	unmount();
}
END_TEST

/* ---- ends --------------------------------------------------------------------- */

/* With a file open: it gives an error then, and nobody waits. */
START_TEST(stop_does_not_wait_for_users)
{
	char c;
	int fd;

	mount_world(5, false, false);
	fd = open_id(first_image(), O_RDONLY | O_DIRECT);
	unmount();
	ck_assert_int_eq(pread(fd, &c, 1, 0), -1);
	close(fd);
}
END_TEST

START_TEST(somebody_elses_unmount_is_seen)
{
	struct pollfd p;

	mount_world(5, false, false);
	p = (struct pollfd){ .fd = fl_fs_ended(fs), .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	ck_assert_int_eq(umount(dir), 0);
	ck_assert_int_eq(poll(&p, 1, 10000), 1);
	unmount();
}
END_TEST

START_TEST(a_folder_that_is_none_is_refused)
{
	struct fl_fs_opts o = { .keep = false };
	struct fl_err err;

	w_make(&w, 1);
	ck_assert_int_eq(fl_fs_start(&fs, w.g, &w.cuts, &o, "/nowhere/at/all", &err), -ENOENT);
	ck_assert_str_eq(err.msg, "/nowhere/at/all: No such file or directory");
	ck_assert_int_eq(fl_fs_start(&fs, w.g, &w.cuts, &o, "/dev/null", &err), -ENOTDIR);
	w_free(&w);
}
END_TEST

static bool can_mount(void)
{
	return !geteuid() && !access("/dev/fuse", R_OK | W_OK);
}

Suite *image_fuse_suite(void)
{
	Suite *s = suite_create("image_fuse");
	TCase *tc = tcase_create("mount");

	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	tcase_add_test(tc, a_folder_that_is_none_is_refused);
	if (!can_mount()) {
		fprintf(stderr, "image_fuse: not mounted here: not root, or no /dev/fuse\n");
		return s;
	}
	tcase_add_checked_fixture(tc, hide_mounts, NULL);
	tcase_add_loop_test(tc, files_are_the_models, 0, IDS / IDS_PER_WORLD);
	tcase_add_test(tc, folders_list_every_cut_by_tick);
	tcase_add_loop_test(tc, images_list_durable_and_all, 0, 6);
	tcase_add_test(tc, other_names_are_not_there);
	tcase_add_loop_test(tc, writes_are_shared_and_dropped_at_the_last_close, 0, 6);
	tcase_add_test(tc, nothing_is_left_for_the_next_opener);
	tcase_add_test(tc, keep_keeps);
	tcase_add_test(tc, images_keep_to_themselves);
	tcase_add_test(tc, read_only_is);
	tcase_add_test(tc, stop_does_not_wait_for_users);
	tcase_add_test(tc, somebody_elses_unmount_is_seen);
	return s;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * image: the bytes of crash images, by every way to get them, against a plain model.
 *
 * Takes   random worlds (image_world).
 * Gives   that reading an image, a file that image_write makes, image_cow and image_diff
 *	   agree with the model on every byte.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image_cow.h"
#include "image_diff.h"
#include "image_world.h"
#include "image_write.h"

#define WORLDS 300
#define PER_TEST 50		/* worlds; a test is a process */
#define IDS 20
#define BYTES (W_MAX_SECTORS * FL_SECTOR)

static void find(struct fl_image *img, const struct world *w, const char *id)
{
	struct fl_err err;

	if (fl_image_find(img, &w->cuts, id, -1, &err))
		ck_abort_msg("%s: %s", id, err.msg);
}

static void same(const uint8_t *a, const uint8_t *b, const struct world *w, uint64_t seed,
		 const char *id, const char *way)
{
	unsigned int s;

	for (s = 0; s < w->sectors; s++)
		if (memcmp(a + s * FL_SECTOR, b + s * FL_SECTOR, FL_SECTOR))
			ck_abort_msg("world %llu, %s, %s: sector %u is %02x%02x%02x, should be %02x%02x%02x",
				     (unsigned long long)seed, id, way, s, a[s * FL_SECTOR],
				     a[s * FL_SECTOR + 1], a[s * FL_SECTOR + 2], b[s * FL_SECTOR],
				     b[s * FL_SECTOR + 1], b[s * FL_SECTOR + 2]);
}

/* In pieces of odd lengths, too. */
static void check_read(struct world *w, const struct fl_image *img, int base, uint8_t *out)
{
	unsigned int s, n;
	struct fl_err err;

	for (s = 0; s < w->sectors; s += n) {
		n = 1 + (unsigned int)t_below(&w->random, w->sectors - s);
		ck_assert_int_eq(fl_image_read(img, base, out + s * FL_SECTOR, s, n, &err), 0);
	}
}

static void check_write(struct world *w, const struct fl_image *img, int base, uint8_t *out)
{
	/* what a target held before must be gone */
	int fd = t_file("before", 6);
	struct fl_err err;

	memset(out, 0xaa, BYTES);
	ck_assert_int_eq(pwrite(fd, out, BYTES, 0), BYTES);
	if (fl_image_write(img, w->g, base, t_path(fd), &err))
		ck_abort_msg("%s", err.msg);
	ck_assert_int_eq(lseek(fd, 0, SEEK_END), (off_t)(w->sectors * FL_SECTOR));
	ck_assert_int_eq(pread(fd, out, w->sectors * FL_SECTOR, 0),
			 (ssize_t)(w->sectors * FL_SECTOR));
	close(fd);
}

static void check_images(uint64_t seed)
{
	uint8_t want[BYTES], got[BYTES];
	struct fl_image img;
	struct world w;
	unsigned int dev, i;
	char id[W_ID];

	w_make(&w, seed);
	for (i = 0; i < IDS; i++) {
		w_pick(&w, id, &dev, want);
		find(&img, &w, id);
		ck_assert_ptr_eq(img.dev, &w.g->dev[dev]);
		check_read(&w, &img, w.base[dev], got);
		same(got, want, &w, seed, id, "read");
		check_write(&w, &img, w.base[dev], got);
		same(got, want, &w, seed, id, "written");
	}
	w_free(&w);
}

START_TEST(images_are_the_models)
{
	uint64_t seed;

	for (seed = (uint64_t)_i; seed < (uint64_t)_i + PER_TEST; seed++)
		check_images(seed);
}
END_TEST

/* ---- names ------------------------------------------------------------------- */

START_TEST(names_go_both_ways)
{
	char id[W_ID], name[FL_IMAGE_NAME], again[FL_IMAGE_NAME];
	uint8_t want[BYTES];
	struct fl_variant var;
	unsigned int dev, place, i;
	struct fl_err err;
	struct world w;

	w_make(&w, (uint64_t)_i);
	for (i = 0; i < IDS; i++) {
		w_pick(&w, id, &dev, want);
		ck_assert_int_eq(fl_image_parse(w.g, strchr(id, '/') + 1, &var, &place, &err), 0);
		ck_assert_uint_eq(place, dev);
		fl_image_name(name, w.g, place, &var);
		ck_assert_int_eq(fl_image_parse(w.g, name, &var, &place, &err), 0);
		ck_assert_str_eq(fl_image_name(again, w.g, place, &var), name);
	}
	w_free(&w);
}
END_TEST

static const char *const no_image[] = {
	"", "flush-0/all", "flush-01/all", "flush-100000/all", "promise-0/all", "mark-x/all",
	"end/", "end/some", "end/all.dev1", "end/all.dev", "end/all.devX", "end/drop=",
	"end/drop=1,1", "start/drop=1", "end/only=99999", "end/torn=1", "end/torn=1:",
	"end/torn=1:xy", "end/seed=", "end/prefix=-1", "end/durable/all", "End/all",
};

START_TEST(what_is_no_image_is_refused)
{
	struct fl_image img;
	struct fl_err err = { "" };
	struct world w;

	w_make(&w, 1);
	ck_assert_int_lt(fl_image_find(&img, &w.cuts, no_image[_i], -1, &err), 0);
	ck_assert(*err.msg);
	w_free(&w);
}
END_TEST

/* ---- copy-on-write ------------------------------------------------------------ */

static void random_change(struct world *w, struct fl_cow *cow, uint8_t *model)
{
	uint64_t bytes = w->sectors * FL_SECTOR, off = t_below(&w->random, bytes);
	uint64_t len = 1 + t_below(&w->random, bytes - off), i;
	uint8_t buf[BYTES];
	struct fl_err err;

	if (t_below(&w->random, 2))
		len = 1 + t_below(&w->random, len < 600 ? len : 600);
	for (i = 0; i < len; i++)
		buf[i] = (uint8_t)t_random(&w->random);
	if (t_below(&w->random, 3)) {
		ck_assert_int_eq(fl_cow_write(cow, buf, len, off, &err), 0);
		memcpy(model + off, buf, len);
	} else {
		ck_assert_int_eq(fl_cow_zero(cow, len, off, &err), 0);
		memset(model + off, 0, len);
	}
	ck_assert(fl_cow_written(cow, len, off));
}

static bool is_zeros(const uint8_t *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* What is said to be no data must be zeros, and what differs from the image must be
 * said to be written. */
static void check_claims(const struct world *w, struct fl_cow *cow, const uint8_t *image,
			 const uint8_t *model)
{
	uint64_t bytes = w->sectors * FL_SECTOR, off;
	bool right = true, data, hole;

	for (off = 0; off < bytes; off += FL_SECTOR) {
		data = fl_cow_seek(cow, off, bytes, true) == off;
		hole = fl_cow_seek(cow, off, bytes, false) == off;
		right &= data != hole && (data || is_zeros(model + off, FL_SECTOR));
		right &= fl_cow_written(cow, FL_SECTOR, off) ||
			 !memcmp(image + off, model + off, FL_SECTOR);
	}
	ck_assert(right);
}

static void check_cow(uint64_t seed)
{
	uint8_t image[BYTES], model[BYTES], got[BYTES];
	struct fl_image img;
	struct fl_cow *cow;
	struct fl_err err;
	unsigned int dev, i;
	struct world w;
	char id[W_ID];

	w_make(&w, seed);
	w_pick(&w, id, &dev, image);
	find(&img, &w, id);
	cow = fl_cow_new(&img, w.base[dev]);
	memcpy(model, image, sizeof(model));
	ck_assert(!fl_cow_dirty(cow));
	ck_assert(!fl_cow_written(cow, w.sectors * FL_SECTOR, 0));
	check_claims(&w, cow, image, model);
	for (i = 0; i < 6; i++) {
		random_change(&w, cow, model);
		ck_assert_int_eq(fl_cow_read(cow, got, 0, w.sectors, &err), 0);
		same(got, model, &w, seed, id, "changed");
		check_claims(&w, cow, image, model);
	}
	ck_assert_int_eq(fl_cow_read(cow, got, 3, w.sectors - 4, &err), 0);
	ck_assert_mem_eq(got, model + 3 * FL_SECTOR, (w.sectors - 4) * FL_SECTOR);
	fl_cow_free(cow);
	w_free(&w);
}

START_TEST(cow_is_a_buffer)
{
	uint64_t seed;

	for (seed = (uint64_t)_i; seed < (uint64_t)_i + PER_TEST; seed++)
		check_cow(seed);
}
END_TEST

/* ---- differences -------------------------------------------------------------- */

static bool differs(const struct fl_diff *d, uint64_t sector)
{
	size_t i;

	for (i = 0; i < d->nr; i++)
		if (sector >= d->extent[i].sector &&
		    sector - d->extent[i].sector < d->extent[i].nr)
			return true;
	return false;
}

static void check_diff(uint64_t seed)
{
	uint8_t bytes[2][BYTES];
	struct fl_image img[2];
	struct fl_diff d;
	struct fl_err err;
	unsigned int dev, s, k, n;
	bool right = true;
	struct world w;
	char id[W_ID];

	w_make(&w, seed);
	for (k = 0; k < 2; k++) {
		w_pick(&w, id, &dev, bytes[k]);
		find(&img[k], &w, id);
		/* a base that both have */
		ck_assert_int_eq(fl_image_read(&img[k], w.base[0], bytes[k], 0, w.sectors, &err),
				 0);
	}
	ck_assert_int_eq(fl_image_diff(&d, &img[0], &img[1], w.base[0], &err), 0);
	for (s = n = 0; s < w.sectors; s++) {
		bool other = memcmp(bytes[0] + s * FL_SECTOR, bytes[1] + s * FL_SECTOR,
				    FL_SECTOR);

		n += other;
		right &= differs(&d, s) == other;
	}
	ck_assert(right);
	ck_assert_uint_eq(d.sectors, n);
	free(d.extent);
	w_free(&w);
}

START_TEST(diff_tells_each_sector)
{
	uint64_t seed;

	for (seed = (uint64_t)_i; seed < (uint64_t)_i + PER_TEST; seed++)
		check_diff(seed);
}
END_TEST

Suite *image_suite(void)
{
	Suite *s = suite_create("image");
	TCase *tc = tcase_create("images");
	int i;

	tcase_set_timeout(tc, 60);
	for (i = 0; i < WORLDS; i += PER_TEST) {
		tcase_add_loop_test(tc, images_are_the_models, i, i + 1);
		tcase_add_loop_test(tc, cow_is_a_buffer, i, i + 1);
		tcase_add_loop_test(tc, diff_tells_each_sector, i, i + 1);
	}
	tcase_add_loop_test(tc, names_go_both_ways, 0, 20);
	tcase_add_loop_test(tc, what_is_no_image_is_refused, 0,
			    (int)(sizeof(no_image) / sizeof(no_image[0])));
	suite_add_tcase(s, tc);
	return s;
}

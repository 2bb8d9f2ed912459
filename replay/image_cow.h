/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_cow: a crash image that can be written to, without its log being touched.
 *
 * Takes   an image and its base, which must outlive it.
 * Gives   reads and writes; what was written is in memory, by pages of 4 KiB.
 *
 * Everything may be called from any number of threads: readers do not wait for each
 * other, only for a writer. A read that runs beside a write may see some of it.
 */
#ifndef IMAGE_COW_H
#define IMAGE_COW_H

#include "crash_image.h"

#define FL_COW_PAGE 4096u

struct fl_cow;

struct fl_cow *fl_cow_new(const struct fl_image *img, int base);	/* NULL: no memory */
void fl_cow_free(struct fl_cow *cow);					/* NULL is fine */

int fl_cow_read(struct fl_cow *cow, void *buf, uint64_t sector, uint64_t nr,
		struct fl_err *err);

/*
 * Write, or make zeros of, @len bytes from @off on; all of it must be on the device.
 * -errno with @err: no memory, or the rest of a page could not be read. What has been
 * written by then stays.
 */
int fl_cow_write(struct fl_cow *cow, const void *buf, uint64_t len, uint64_t off,
		 struct fl_err *err);
int fl_cow_zero(struct fl_cow *cow, uint64_t len, uint64_t off, struct fl_err *err);

/* Whether any page that has some of these bytes was written to; and whether any was. */
bool fl_cow_written(struct fl_cow *cow, uint64_t len, uint64_t off);
bool fl_cow_dirty(struct fl_cow *cow);

/* The next offset from @off on whose bytes may be other than zeros (@data), or that lies
 * in a hole; @end if there is none below it. @end: at most the size of the device. */
uint64_t fl_cow_seek(struct fl_cow *cow, uint64_t off, uint64_t end, bool data);

#endif

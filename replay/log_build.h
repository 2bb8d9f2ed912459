/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_build: from records to the bytes of a log.
 *
 * What it is given alone decides every byte it writes. It writes no log that the
 * reader would call corrupt: a record that breaks the rules of its kind, or that
 * follows a GAP or END, is refused.
 */
#ifndef LOG_BUILD_H
#define LOG_BUILD_H

#include "log_reader.h"

/* Without fl_build_unit() a unit is closed when it has one of these. */
#define FL_BUILD_RECORDS 127u
#define FL_BUILD_PAYLOAD (1u << 20)

struct fl_build;

/*
 * Begin a log in the empty file @fd, which stays the caller's. sup->log_sectors
 * may be 0: just as many as the log turns out to need.
 */
int fl_build_begin(struct fl_build **out, int fd, const struct fl_super *sup,
		   struct fl_err *err);

/*
 * Begin a unit. From the first call on the caller alone says where units begin.
 * @written_ns: NULL for the largest done_ns of its records.
 */
int fl_build_unit(struct fl_build *b, const uint64_t *written_ns, struct fl_err *err);

/*
 * Append a record. @inl are its r->inl_len bytes of inline data, @payload its
 * r->nr * 512 bytes if it is a write; r->inl and r->payload_off mean nothing here.
 */
int fl_build_add(struct fl_build *b, const struct fl_rec *r, const void *inl,
		 const void *payload, struct fl_err *err);

/*
 * Write the last unit and the super, extend the file with zeros to @size bytes
 * (0: it ends with the log), and free @b, also on failure.
 */
int fl_build_finish(struct fl_build *b, uint64_t size, struct fl_err *err);

/* Free @b and leave a useless file; NULL is fine. */
void fl_build_abort(struct fl_build *b);

/* A promise as inline data, ready for fl_build_add(). Returns its length. */
uint16_t fl_promise_put(uint8_t out[FLUXLOG_INLINE_MAX], const struct fl_promise *p);

#endif

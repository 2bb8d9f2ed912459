/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crash_image: the contents of a device after a cut, without building them.
 *
 * Takes   a group, a cut and a variant.
 * Gives   for any sector the version that is there, by a search in the index, and so
 *	   any bytes of the image. Nothing is copied when an image is opened.
 *
 * An image applies a set of the versions that were issued by the cut: all that are
 * durable, and of those that float what the variant says. A variant never leaves out
 * what is durable and never adds what was issued later.
 *
 *   durable	    nothing that floats
 *   all	    everything that floats: failed writes, writes in flight, and discards,
 *		    which come out as zeros
 *   drop=R,R...    everything but these
 *   only=R,R...    these alone
 *   prefix=N	    the first N in done order
 *   seed=S	    each with probability 1/2, by a hash of S and its issue tick
 *   torn=R:MASK    of R alone, and of it just the blocks (of the data device's logical
 *		    block size) whose bit is set in the hexadecimal MASK; block 0 is
 *		    the last digit's lowest bit. Never for an atomic write.
 *
 * R names a record by its issue tick, unique in a group; it must float at the cut.
 * Of several versions of a sector in the set the one with the largest done tick is
 * there: that never contradicts "W2 replaces W1 if W1.done < W2.issue", and of two that
 * overlapped it settles for one for ever. Where there is none, the base is: zeros, or a
 * file that the caller gives.
 */
#ifndef CRASH_IMAGE_H
#define CRASH_IMAGE_H

#include "crash_cut.h"

#define FL_VARIANT_RECS 64	/* records that a variant can name */
#define FL_VARIANT_MASK 4096	/* bits of a torn write's mask */
#define FL_VARIANT_NAME 1536

enum fl_variant_kind {
	FL_DURABLE_ONLY, FL_ALL, FL_DROP, FL_ONLY, FL_PREFIX, FL_SEED, FL_TORN,
};

/**
 * struct fl_variant - which of the floating versions are there
 * @kind: see above
 * @rec, @nr_rec: issue ticks, rising (DROP, ONLY, TORN)
 * @n: PREFIX: how many; SEED: the seed
 * @mask: TORN: bit i % 8 of byte i / 8 is block i
 */
struct fl_variant {
	enum fl_variant_kind kind;
	uint64_t rec[FL_VARIANT_RECS];
	unsigned int nr_rec;
	uint64_t n;
	uint8_t mask[FL_VARIANT_MASK / 8];
};

/* From and to the text form; fl_variant_name() writes the one canonical form. */
int fl_variant_parse(struct fl_variant *v, const char *text, struct fl_err *err);
const char *fl_variant_name(char buf[FL_VARIANT_NAME], const struct fl_variant *v);

/**
 * struct fl_image - one device's image; plain data, needs no closing
 * @dev: its device
 * @cut: tick
 * @var: variant
 * @prefix_done: PREFIX: versions that float are there up to this done tick
 */
struct fl_image {
	const struct fl_dev *dev;
	uint64_t cut;
	struct fl_variant var;
	uint64_t prefix_done;
};

/*
 * Open the image of device @dev (place in the group) at tick @cut. -EINVAL with @err:
 * the variant names a record that does not float at the cut in any log of the group,
 * or tears an atomic write.
 */
int fl_image_open(struct fl_image *img, const struct fl_group *g, unsigned int dev,
		  uint64_t cut, const struct fl_variant *var, struct fl_err *err);

/* What is at @sector, NULL for the base; the same version (or the base) is there for
 * *@nr sectors from it on. @sector is below the device's size. */
const struct fl_ver *fl_image_at(const struct fl_image *img, uint64_t sector, uint64_t *nr);

/*
 * Read @nr sectors from @sector on. @base: a file whose bytes show where the log never
 * wrote, or -1 for zeros. May be called from any number of threads.
 */
int fl_image_read(const struct fl_image *img, int base, void *buf, uint64_t sector,
		  uint64_t nr, struct fl_err *err);

/* A piece of the image: where its bytes are. */
enum fl_source { FL_FROM_ZEROS, FL_FROM_BASE, FL_FROM_LOG };

/* The same for callers that want to copy by themselves (FUSE, holes): what is at
 * @sector for *@nr sectors, at most @max; *@off is where in the log file (FROM_LOG) or
 * the base (FROM_BASE), in bytes. Neighbours that come from one piece are joined. */
enum fl_source fl_image_piece(const struct fl_image *img, int base, uint64_t sector,
			      uint64_t max, uint64_t *nr, uint64_t *off);

/* The versions that float at @cut on @dev, in done order; free() it. Discards that no
 * durable version replaces float as well. */
const struct fl_ver **fl_floating(const struct fl_dev *dev, uint64_t cut, uint32_t *nr);

/* Whether @var at @cut applies @v, which was issued by then (a torn one counts). */
bool fl_variant_applies(const struct fl_group *g, uint64_t cut, const struct fl_variant *var,
			const struct fl_ver *v);

#endif

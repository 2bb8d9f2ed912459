/* SPDX-License-Identifier: GPL-2.0 */
/*
 * carrier: which write carries which promised bytes.
 *
 * Takes   payloads as the reader passes them by, and the versions of durability.
 * Gives   runs of stamped sectors ("carriers"), reachable two ways: from a place
 *	   in a file to all writes that ever carried it, and from a version to what
 *	   it holds at a sector.
 * Why     a promise speaks of bytes of a file, the log of sectors. Stamps connect
 *	   the two without a filesystem, wherever it puts, moves or copies a block.
 */
#ifndef CARRIER_H
#define CARRIER_H

#include "durability.h"

/**
 * struct fl_carrier - consecutive stamped sectors of one file and generation
 * @gen: generation
 * @off: first sector within the file
 * @rec: the record, by its place in the log until fl_carriers_build(), then the
 *	version by its number on the device
 * @delta: first sector within the record
 * @nr: length in sectors
 * @file: number of the file in struct fl_carriers
 * @dev: number of the device in the group's array
 */
struct fl_carrier {
	uint64_t gen, off;
	uint32_t rec, delta, nr, file;
	uint32_t dev;
};

/* A file of a run. @base: where its sectors start in the space of all files. */
struct fl_file {
	uint64_t run, file, sectors, base;
};

/**
 * struct fl_carriers - all of them
 * @c, @nr: sorted by issue tick over all devices, then by delta
 * @file, @nr_file: sorted by run and file
 * @index: over the space of all files; an id is a place in @c
 * @ceil_ns, @floor_ns: largest issue_ns up to carrier i, smallest from it on (the
 *	clock and the ticks of two processors need not agree to the last digit)
 * @max_gen, @min_gen: beside index.entry: the largest generation up to this entry
 *	of its node, the smallest from it on
 */
struct fl_carriers {
	struct fl_carrier *c;
	uint32_t nr, room;
	struct fl_file *file;
	uint32_t nr_file, room_file;
	struct fl_index index;
	uint64_t *ceil_ns, *floor_ns;
	uint64_t *max_gen, *min_gen;
};

/* Look through the payload of record @rec (of any length) of device @dev. */
void fl_carriers_see(struct fl_carriers *cs, uint32_t dev, uint32_t rec,
		     const uint8_t *payload, uint64_t sectors);

/* After all logs: order, connect with the versions of @dev[], build the index. */
int fl_carriers_build(struct fl_carriers *cs, struct fl_dev *dev, struct fl_err *err);
void fl_carriers_free(struct fl_carriers *cs);

/* The file, or NULL if no payload ever carried it. */
const struct fl_file *fl_carriers_file(const struct fl_carriers *cs, uint64_t run,
				       uint64_t file);

/* What version @v holds at device sector @sector: the carrier that covers it, or
 * NULL (no stamp: foreign data, zeros, a torn stamp). */
const struct fl_carrier *fl_carried(const struct fl_carriers *cs,
				    const struct fl_ver *v, uint64_t sector);

/* The device sector at which @c keeps sector @off of its file. */
static inline uint64_t fl_carrier_at(const struct fl_carrier *c, const struct fl_ver *v,
				     uint64_t off)
{
	return v->rec->sector + c->delta + (off - c->off);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_world: small random groups of logs, and what their crash images hold.
 *
 * The model knows DESIGN.md section 3 and the text of crash_image.h, and nothing of the
 * code: it chooses the set that an id means and applies it to a buffer, one record
 * after the other in done order.
 */
#ifndef IMAGE_WORLD_H
#define IMAGE_WORLD_H

#include "image_name.h"
#include "testlib.h"

#define W_IO 40
#define W_DEVS 2
#define W_MAX_SECTORS 160
#define W_ID 512

struct w_io {
	unsigned int dev, kind, flags, status, nr, sector, tag;
	uint64_t issue, done;
};

/**
 * struct world - a group of one or two logs and all that the model needs
 * @io: in the order of their done ticks
 * @fd, @base: each device's log and base (-1: none), as files without a name
 */
struct world {
	uint64_t random;
	unsigned int nr_dev, nr_io, sectors, per_block;
	struct w_io io[W_IO];
	uint64_t mark[W_IO], promise[W_IO], last;
	unsigned int nr_mark, nr_promise;
	int fd[W_DEVS], base[W_DEVS];
	struct fl_group *g;
	struct fl_cuts cuts;
};

/* The world number @seed, its logs written and opened as a group. */
void w_make(struct world *w, uint64_t seed);
void w_free(struct world *w);

/* A random image that there is: its id, its device, and by the model its bytes. */
void w_pick(struct world *w, char id[W_ID], unsigned int *dev, uint8_t *bytes);

#endif

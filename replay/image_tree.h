/* SPDX-License-Identifier: GPL-2.0 */
/*
 * image_tree: the folders and files that image_fuse shows.
 *
 * Takes   a group and its cuts.
 * Gives   nodes by name, made when they are first asked for and gone when nobody knows
 *	   them any more, and what is listed.
 *
 * A node is known as long as it was looked up more often than forgotten, or has a child
 * that is, or holds what was written to it and is to be kept. All of it may be called
 * from any number of threads.
 */
#ifndef IMAGE_TREE_H
#define IMAGE_TREE_H

#include <pthread.h>

#include "image_cow.h"
#include "image_name.h"

/**
 * struct fl_node - a folder (the root, or a cut) or a file (an image)
 * @next: in its place of the table
 * @parent: its folder, NULL for the root
 * @ino: its number for people, never given out twice
 * @known: lookups, and one for each child
 * @tick: folders but the root: the cut
 * @file: NULL for a folder
 * @name: the one canonical form
 */
struct fl_node {
	struct fl_node *next, *parent;
	uint64_t ino, known, tick;
	struct fl_node_file *file;
	char name[];
};

/**
 * struct fl_node_file - what makes a node a file
 * @img: the image
 * @base: what shows where the log never wrote, or -1
 * @cow: what was written to it; there while it is open, or longer if it is kept
 * @users: how often it is open
 * @was_written: the kernel's cache may hold bytes that are not the image's
 */
struct fl_node_file {
	struct fl_image img;
	int base;
	struct fl_cow *cow;
	unsigned int users;
	bool was_written;
};

struct fl_tree;

/* @base: as fl_fs_opts.base. @keep: what was written stays after the last close. */
struct fl_tree *fl_tree_new(const struct fl_group *g, const struct fl_cuts *cuts,
			    const int *base, bool keep);
void fl_tree_free(struct fl_tree *t);		/* and all its nodes, known or not */
struct fl_node *fl_tree_root(struct fl_tree *t);

/* Look up a name in a folder: the node, known once more, or NULL: no such name. */
struct fl_node *fl_tree_lookup(struct fl_tree *t, struct fl_node *dir, const char *name);
void fl_tree_forget(struct fl_tree *t, struct fl_node *n, uint64_t times);

/*
 * Open a file: 0, or -ENOMEM. *@cache: what the kernel knows of its bytes is right.
 * The last close drops what was written.
 */
int fl_tree_open(struct fl_tree *t, struct fl_node *n, bool *cache);
void fl_tree_close(struct fl_tree *t, struct fl_node *n);
void fl_tree_will_write(struct fl_tree *t, struct fl_node *n);

/* What is listed in a folder, in order, from 0 on; NULL behind the last. A name is
 * written to @buf. */
const char *fl_tree_list(const struct fl_tree *t, const struct fl_node *dir, uint64_t i,
			 char buf[FL_IMAGE_NAME]);

/* See fl_fs_written() and fl_fs_users(). */
bool fl_tree_written(struct fl_tree *t, const char *id, uint64_t sector, uint64_t nr);
unsigned int fl_tree_users(struct fl_tree *t, const char *id);

static inline uint64_t fl_node_bytes(const struct fl_node *n)
{
	return n->file ? n->file->img.dev->log->sup.data_sectors * FL_SECTOR : 0;
}

#endif

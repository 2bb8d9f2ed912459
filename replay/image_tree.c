// SPDX-License-Identifier: GPL-2.0
/* See image_tree.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_tree.h"

/* A cut that is listed. */
struct entry {
	uint64_t tick, nr;
	enum fl_cut_kind kind;
};

/**
 * struct fl_tree - see image_tree.h
 * @base: of each device, or -1
 * @keep: what was written stays after the last close
 * @lock: the table, all nodes, and their files but for the bytes
 * @place, @nr_place: nodes by parent and name; the number of places is a power of two
 * @nr_node: nodes in it
 * @last_ino: the last number given out
 * @entry, @nr_entry: the cuts that are listed, by tick
 */
struct fl_tree {
	const struct fl_group *g;
	const struct fl_cuts *cuts;
	int base[FL_GROUP_MAX];
	bool keep;
	pthread_mutex_t lock;
	struct fl_node **place;
	size_t nr_place, nr_node;
	uint64_t last_ino;
	struct fl_node *root;
	struct entry *entry;
	uint64_t nr_entry;
};

/* ---- what is listed ---------------------------------------------------------- */

static void add_entry(struct fl_tree *t, enum fl_cut_kind kind, uint64_t nr, uint64_t tick)
{
	/* what fl_cut_find() would refuse is not listed */
	if (tick <= t->cuts->last || t->g->horizon == FL_NEVER)
		t->entry[t->nr_entry++] = (struct entry){ tick, nr, kind };
}

static int cmp_entry(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->tick < y->tick ? -1 : x->tick > y->tick;
}

static void list_cuts(struct fl_tree *t)
{
	const struct fl_cuts *cuts = t->cuts;
	uint64_t i;

	t->entry = fl_alloc(cuts->nr_flush + cuts->nr_mark + t->g->nr_prom + 2,
			    sizeof(*t->entry));
	add_entry(t, FL_CUT_START, 0, 0);
	for (i = 0; i < cuts->nr_flush; i++)
		add_entry(t, FL_CUT_FLUSH, i + 1, cuts->flush[i]);
	for (i = 0; i < cuts->nr_mark; i++)
		add_entry(t, FL_CUT_MARK, i + 1, cuts->mark[i].tick);
	for (i = 0; i < t->g->nr_prom; i++)
		add_entry(t, FL_CUT_PROMISE, i + 1, t->g->prom[i].rec->issue);
	qsort(t->entry, t->nr_entry, sizeof(*t->entry), cmp_entry);
	add_entry(t, FL_CUT_END, 0, cuts->last);
}

const char *fl_tree_list(const struct fl_tree *t, const struct fl_node *dir, uint64_t i,
			 char buf[FL_IMAGE_NAME])
{
	struct fl_variant var = { .kind = i % 2 ? FL_ALL : FL_DURABLE_ONLY };

	if (!dir->parent && i < t->nr_entry)
		return fl_cut_name(buf, t->cuts, t->entry[i].kind, t->entry[i].nr);
	if (dir->parent && i / 2 < t->g->nr)
		return fl_image_name(buf, t->g, (unsigned int)(i / 2), &var);
	return NULL;
}

/* ---- the table of nodes; all of it under the lock ------------------------------ */

static size_t place_of(const struct fl_tree *t, const struct fl_node *dir, const char *name)
{
	uint64_t h = dir ? dir->ino : 0;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 0x100000001b3ULL;
	return (size_t)(h ^ h >> 32) & (t->nr_place - 1);
}

static struct fl_node *find(const struct fl_tree *t, const struct fl_node *dir,
			    const char *name)
{
	struct fl_node *n = t->place[place_of(t, dir, name)];

	while (n && (n->parent != dir || strcmp(n->name, name)))
		n = n->next;
	return n;
}

static void put_in_place(struct fl_tree *t, struct fl_node *n)
{
	struct fl_node **place = &t->place[place_of(t, n->parent, n->name)];

	n->next = *place;
	*place = n;
}

static void grow(struct fl_tree *t)
{
	struct fl_node **old = t->place, *n, *next;
	size_t nr = t->nr_place, i;

	t->nr_place = nr ? nr * 2 : 64;
	t->place = fl_alloc(t->nr_place, sizeof(*t->place));
	for (i = 0; i < nr; i++) {
		for (n = old[i]; n; n = next) {
			next = n->next;
			put_in_place(t, n);
		}
	}
	free(old);
}

static struct fl_node *make_node(struct fl_tree *t, struct fl_node *dir, const char *name)
{
	struct fl_node *n = fl_alloc(1, sizeof(*n) + strlen(name) + 1);

	strcpy(n->name, name);
	n->ino = ++t->last_ino;
	n->parent = dir;
	if (dir)
		dir->known++;
	if (t->nr_node >= t->nr_place)
		grow(t);
	t->nr_node++;
	put_in_place(t, n);
	return n;
}

static void free_node(struct fl_node *n)
{
	if (n->file)
		fl_cow_free(n->file->cow);
	free(n->file);
	free(n);
}

static void remove_node(struct fl_tree *t, struct fl_node *n)
{
	struct fl_node **at = &t->place[place_of(t, n->parent, n->name)];

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	t->nr_node--;
	free_node(n);
}

/* Whether @n must stay although nobody knows it. */
static bool is_held(const struct fl_node *n)
{
	return !n->parent || (n->file && (n->file->users || n->file->cow));
}

/* ---- looking up -------------------------------------------------------------- */

/* The node of a name in its canonical form, made if it is not there. */
static struct fl_node *know(struct fl_tree *t, struct fl_node *dir, const char *name,
			    uint64_t tick, struct fl_node_file *file)
{
	struct fl_node *n;

	pthread_mutex_lock(&t->lock);
	n = find(t, dir, name);
	if (!n) {
		n = make_node(t, dir, name);
		n->tick = tick;
		n->file = file;
		file = NULL;
	}
	n->known++;
	pthread_mutex_unlock(&t->lock);
	free(file);
	return n;
}

static struct fl_node *lookup_cut(struct fl_tree *t, const char *name)
{
	struct fl_err err;
	uint64_t tick;

	if (fl_cut_find(t->cuts, name, strlen(name), &tick, &err))
		return NULL;
	return know(t, t->root, name, tick, NULL);
}

static struct fl_node *lookup_image(struct fl_tree *t, struct fl_node *dir, const char *name)
{
	char buf[FL_IMAGE_NAME];
	struct fl_node_file *file;
	struct fl_variant var;
	struct fl_err err;
	unsigned int dev;

	if (fl_image_parse(t->g, name, &var, &dev, &err))
		return NULL;
	file = fl_alloc(1, sizeof(*file));
	if (fl_image_open(&file->img, t->g, dev, dir->tick, &var, &err)) {
		free(file);
		return NULL;
	}
	file->base = t->base[dev];
	return know(t, dir, fl_image_name(buf, t->g, dev, &var), 0, file);
}

struct fl_node *fl_tree_lookup(struct fl_tree *t, struct fl_node *dir, const char *name)
{
	if (dir->file)
		return NULL;
	return dir->parent ? lookup_image(t, dir, name) : lookup_cut(t, name);
}

void fl_tree_forget(struct fl_tree *t, struct fl_node *n, uint64_t times)
{
	struct fl_node *parent;

	pthread_mutex_lock(&t->lock);
	for (; n; n = parent, times = 1) {
		parent = n->parent;
		n->known -= times < n->known ? times : n->known;
		if (n->known || is_held(n))
			break;
		remove_node(t, n);
	}
	pthread_mutex_unlock(&t->lock);
}

/* ---- opening ----------------------------------------------------------------- */

int fl_tree_open(struct fl_tree *t, struct fl_node *n, bool *cache)
{
	struct fl_node_file *f = n->file;
	int ret = 0;

	pthread_mutex_lock(&t->lock);
	if (!f->cow)
		f->cow = fl_cow_new(&f->img, f->base);
	if (f->cow)
		f->users++;
	else
		ret = -ENOMEM;
	/* No shortcut for "still as it was written": another opener could be told
	 * so before the kernel has dropped the cache for this one. */
	*cache = !f->was_written;
	pthread_mutex_unlock(&t->lock);
	return ret;
}

void fl_tree_close(struct fl_tree *t, struct fl_node *n)
{
	struct fl_cow *drop = NULL;

	pthread_mutex_lock(&t->lock);
	if (!--n->file->users && !(t->keep && fl_cow_dirty(n->file->cow))) {
		drop = n->file->cow;
		n->file->cow = NULL;
	}
	pthread_mutex_unlock(&t->lock);
	fl_cow_free(drop);
}

void fl_tree_will_write(struct fl_tree *t, struct fl_node *n)
{
	pthread_mutex_lock(&t->lock);
	n->file->was_written = true;
	pthread_mutex_unlock(&t->lock);
}

/* ---- questions from this side ------------------------------------------------- */

/* The file node of an id that somebody has looked up, or NULL. */
static struct fl_node *find_file(const struct fl_tree *t, const char *id)
{
	char cut[FL_CUT_NAME], buf[FL_IMAGE_NAME];
	size_t len = strcspn(id, "/");
	struct fl_variant var;
	struct fl_node *dir;
	struct fl_err err;
	unsigned int dev;

	if (!id[len] || len >= sizeof(cut) ||
	    fl_image_parse(t->g, id + len + 1, &var, &dev, &err))
		return NULL;
	memcpy(cut, id, len);
	cut[len] = '\0';
	dir = find(t, t->root, cut);
	return dir ? find(t, dir, fl_image_name(buf, t->g, dev, &var)) : NULL;
}

bool fl_tree_written(struct fl_tree *t, const char *id, uint64_t sector, uint64_t nr)
{
	struct fl_node *n;
	bool written;

	pthread_mutex_lock(&t->lock);
	n = find_file(t, id);
	written = n && n->file->cow &&
		  fl_cow_written(n->file->cow, nr * FL_SECTOR, sector * FL_SECTOR);
	pthread_mutex_unlock(&t->lock);
	return written;
}

unsigned int fl_tree_users(struct fl_tree *t, const char *id)
{
	struct fl_node *n;
	unsigned int users;

	pthread_mutex_lock(&t->lock);
	n = find_file(t, id);
	users = n ? n->file->users : 0;
	pthread_mutex_unlock(&t->lock);
	return users;
}

/* ---- the whole --------------------------------------------------------------- */

struct fl_tree *fl_tree_new(const struct fl_group *g, const struct fl_cuts *cuts,
			    const int *base, bool keep)
{
	struct fl_tree *t = fl_alloc(1, sizeof(*t));
	unsigned int i;

	t->g = g;
	t->cuts = cuts;
	for (i = 0; i < FL_GROUP_MAX; i++)
		t->base[i] = base && i < g->nr ? base[i] : -1;
	t->keep = keep;
	pthread_mutex_init(&t->lock, NULL);
	list_cuts(t);
	grow(t);
	t->root = make_node(t, NULL, "");
	return t;
}

void fl_tree_free(struct fl_tree *t)
{
	struct fl_node *n, *next;
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->nr_place; i++) {
		for (n = t->place[i]; n; n = next) {
			next = n->next;
			free_node(n);
		}
	}
	free(t->place);
	free(t->entry);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct fl_node *fl_tree_root(struct fl_tree *t)
{
	return t->root;
}

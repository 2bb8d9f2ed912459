// SPDX-License-Identifier: GPL-2.0
/* See fs_compare.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs_compare.h"
#include "stamp.h"

#define CHUNK (1u << 20)
#define EXTENTS 512

/* One file on its way through. */
struct walk {
	struct fl_compare *c;
	const struct fl_req_file *file;
	int fd;
	uint64_t size;		/* bytes */
	uint8_t *buf;
	uint64_t bytes;		/* looked at */
	bool ask;
	struct fiemap *map;	/* the extents last asked for */
	uint64_t extent;	/* first sector of the extent being judged */
	uint64_t clean_from, clean_to;	/* recovery wrote to none of these sectors */
};

/* ---- one sector -------------------------------------------------------------- */

static void found(struct walk *w, enum fl_fs_code code, uint64_t off, uint64_t nr,
		  uint64_t gen, const char *what)
{
	fl_fs_add(w->c->out, code, w->file->path, off * FL_SECTOR, nr * FL_SECTOR, gen, "%s",
		  what);
}

/* What a stamp at sector @off of the file means where @gen is promised; true: good. */
static bool judge_stamp(struct walk *w, const struct fl_stamp *s, uint64_t off, uint64_t nr,
			uint64_t gen)
{
	if (s->run != w->file->run || s->file != w->file->file ||
	    s->offset != off * FL_SECTOR) {
		found(w, FL_FS_MISPLACED, off, nr, gen, "another file's or place's bytes");
		return false;
	}
	if (s->gen < gen) {
		found(w, FL_FS_STALE, off, nr, gen, "an older generation");
		return false;
	}
	return true;
}

static bool all_zeros(const uint8_t *sector)
{
	static const uint8_t zeros[FL_SECTOR];

	return !memcmp(sector, zeros, FL_SECTOR);
}

static void judge_bytes(struct walk *w, const uint8_t *sector, uint64_t off, uint64_t gen)
{
	uint64_t magic;
	struct fl_stamp s;

	if (fl_stamp_peek(sector, &s)) {
		judge_stamp(w, &s, off, 1, gen);
		return;
	}
	memcpy(&magic, sector, sizeof(magic));
	if (le64toh(magic) == FLUXLOG_STAMP_MAGIC)
		found(w, FL_FS_TORN, off, 1, gen, "a stamp with a wrong checksum");
	else
		found(w, FL_FS_LOST, off, 1, gen, all_zeros(sector) ? "zeros" : "foreign data");
}

/* ---- reading ----------------------------------------------------------------- */

static ssize_t read_fully(int fd, uint8_t *buf, uint64_t len, uint64_t off)
{
	uint64_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, buf + done, len - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (uint64_t)n;
	}
	return (ssize_t)done;
}

static void judge_read(struct walk *w, uint64_t off, uint64_t nr, uint64_t gen)
{
	uint64_t n, i;

	for (; nr; off += n, nr -= n) {
		ssize_t got;

		n = nr < CHUNK / FL_SECTOR ? nr : CHUNK / FL_SECTOR;
		got = read_fully(w->fd, w->buf, n * FL_SECTOR, off * FL_SECTOR);
		if (got != (ssize_t)(n * FL_SECTOR)) {
			found(w, FL_FS_UNREADABLE, off, n, gen,
			      got < 0 ? strerror((int)-got) : "fewer bytes than its size says");
			continue;
		}
		for (i = 0; i < n; i++)
			judge_bytes(w, w->buf + i * FL_SECTOR, off + i, gen);
	}
}

/* ---- asking ------------------------------------------------------------------ */

/* What the device's sectors hold by the index: the file's sectors @off to @off + @nr - 1
 * lie at @sector. */
static void judge_version(struct walk *w, const struct fl_ver *v, uint64_t sector,
			  uint64_t off, uint64_t nr, uint64_t gen)
{
	const struct fl_carriers *cs = &w->c->g->carriers;
	uint64_t i = 0;

	while (i < nr) {
		const struct fl_carrier *c = v ? fl_carried(cs, v, sector + i) : NULL;
		uint64_t at, left;
		struct fl_stamp s;

		if (!c) {	/* lost or torn: its bytes tell */
			judge_read(w, off + i, 1, gen);
			i++;
			continue;
		}
		at = sector + i - v->rec->sector - c->delta;
		left = c->nr - at < nr - i ? c->nr - at : nr - i;
		s = (struct fl_stamp){ cs->file[c->file].run, cs->file[c->file].file,
				       (c->off + at) * FL_SECTOR, c->gen };
		judge_stamp(w, &s, off + i, left, gen);
		i += left;
	}
}

/* Whether recovery may have written to these sectors. Asked once for a whole extent: it
 * hardly ever has, recovery mends metadata and not the data of files. */
static bool extent_touched(struct walk *w, uint64_t sector, uint64_t nr)
{
	if (sector < w->clean_from || sector + nr > w->clean_to)
		return w->c->written(w->c->written_arg, sector, nr);
	return false;
}

/* @e is about to be judged. */
static void enter_extent(struct walk *w, const struct fiemap_extent *e)
{
	uint64_t from = e->fe_physical / FL_SECTOR, nr = e->fe_length / FL_SECTOR;

	if (from == w->extent)
		return;
	w->extent = from;
	w->clean_from = from;
	w->clean_to = w->c->written(w->c->written_arg, from, nr) ? from : from + nr;
}

static void judge_device(struct walk *w, uint64_t sector, uint64_t off, uint64_t nr,
			 uint64_t gen)
{
	bool touched = extent_touched(w, sector, nr);
	uint64_t n;

	for (; nr; sector += n, off += n, nr -= n) {
		const struct fl_ver *v = fl_image_at(w->c->img, sector, &n);

		n = n < nr ? n : nr;
		if (touched && w->c->written(w->c->written_arg, sector, n))
			judge_read(w, off, n, gen);
		else
			judge_version(w, v, sector, off, n, gen);
	}
}

/* Extents from byte @off on; an empty map where the filesystem refuses to tell. */
static void ask_extents(struct walk *w, uint64_t off)
{
	memset(w->map, 0, sizeof(*w->map));
	w->map->fm_start = off;
	w->map->fm_length = FIEMAP_MAX_OFFSET - off;
	w->map->fm_extent_count = EXTENTS;
	if (ioctl(w->fd, FS_IOC_FIEMAP, w->map))
		w->map->fm_mapped_extents = 0;
}

/* The extent that holds byte @off, or the first behind it, or NULL. */
static const struct fiemap_extent *extent_at(struct walk *w, uint64_t off)
{
	int tries;
	uint32_t i;

	for (tries = 0; tries < 2; tries++) {
		for (i = 0; i < w->map->fm_mapped_extents; i++) {
			const struct fiemap_extent *e = &w->map->fm_extents[i];

			if (off >= w->map->fm_start && e->fe_logical + e->fe_length > off)
				return e;
		}
		ask_extents(w, off);
	}
	return NULL;
}

#define CANNOT_TELL (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | \
		     FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_UNWRITTEN)

/* The part of the range that one extent or hole covers; returns its length. */
static uint64_t judge_extent(struct walk *w, uint64_t off, uint64_t nr, uint64_t gen)
{
	const struct fiemap_extent *e = extent_at(w, off * FL_SECTOR);
	uint64_t begin = e ? e->fe_logical / FL_SECTOR : UINT64_MAX, n, in, at;
	uint64_t size = w->c->img->dev->log->sup.data_sectors;

	if (!e || begin > off) {	/* a hole, or nothing that can be told */
		n = begin - off < nr ? begin - off : nr;
		judge_read(w, off, n, gen);
		return n;
	}
	in = off - begin;
	n = e->fe_length / FL_SECTOR - in;
	n = n < nr ? n : nr;
	n = n ? n : 1;	/* an extent that ends within a sector */
	at = e->fe_physical / FL_SECTOR + in;
	/* a damaged extent can lie anywhere: let the filesystem say what it makes of it */
	if (e->fe_flags & CANNOT_TELL || at >= size || n > size - at) {
		judge_read(w, off, n, gen);
		return n;
	}
	enter_extent(w, e);
	judge_device(w, at, off, n, gen);
	return n;
}

/* ---- one file ---------------------------------------------------------------- */

static int judge_range(void *arg, uint64_t off, uint64_t nr, uint64_t gen)
{
	struct walk *w = arg;
	uint64_t have = w->size / FL_SECTOR, n;

	w->bytes += nr * FL_SECTOR;
	if (off + nr > have) {
		uint64_t from = off > have ? off : have;

		found(w, FL_FS_SHORT, from, off + nr - from, gen, "beyond the end of the file");
		nr = from - off;
	}
	if (!w->ask) {
		judge_read(w, off, nr, gen);
		return 0;
	}
	for (; nr; off += n, nr -= n)
		n = judge_extent(w, off, nr, gen);
	return 0;
}

static int missing_range(void *arg, uint64_t off, uint64_t nr, uint64_t gen)
{
	struct walk *w = arg;

	(void)gen;	/* one finding for the file, not one for each generation */
	w->bytes += nr * FL_SECTOR;
	found(w, w->fd == -ENOENT ? FL_FS_MISSING : FL_FS_UNREADABLE, off, nr, 0,
	      strerror(-w->fd));
	return 0;
}

static void walk_file(struct walk *w)
{
	struct stat st;

	w->map->fm_mapped_extents = 0;
	w->extent = UINT64_MAX;
	w->clean_from = w->clean_to = 0;
	w->fd = openat(w->c->root, w->file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (w->fd < 0 || fstat(w->fd, &st)) {
		int err = errno;

		if (w->fd >= 0)
			close(w->fd);
		w->fd = -err;
		fl_require_each(w->c->rq, w->file, w->c->cut, missing_range, w);
		return;
	}
	w->size = (uint64_t)st.st_size;
	fl_require_each(w->c->rq, w->file, w->c->cut, judge_range, w);
	close(w->fd);
}

static uint64_t compare(struct fl_compare *c, bool ask)
{
	struct walk w = { .c = c, .ask = ask, .buf = fl_alloc(CHUNK, 1) };
	uint32_t i;

	w.map = fl_alloc(1, sizeof(*w.map) + EXTENTS * sizeof(w.map->fm_extents[0]));
	for (i = 0; i < c->rq->nr_file; i++) {
		w.file = &c->rq->file[i];
		if (w.file->path[0])
			walk_file(&w);
	}
	free(w.map);
	free(w.buf);
	return w.bytes;
}

uint64_t fl_compare_all(struct fl_compare *c, enum fl_compare_how how)
{
	struct fl_fs_findings *out = c->out, asked = { 0 };
	uint64_t bytes;

	if (how != FL_COMPARE_BOTH)
		return compare(c, how == FL_COMPARE_ASK);
	bytes = compare(c, false);
	c->out = &asked;
	compare(c, true);
	c->out = out;
	if (!fl_fs_same(out, &asked))
		fl_fs_add(out, FL_FS_DISAGREE, "", 0, 0, 0,
			  "reading gives %u findings, asking gives %u", out->nr, asked.nr);
	fl_fs_free(&asked);
	return bytes;
}

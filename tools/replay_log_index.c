// SPDX-License-Identifier: GPL-2.0
/*
 * replay_log_index: the entries of a log, kept from one run to the next. See replay_log.h.
 *
 * A stale index would be a wrong answer, so what it was made of is part of it. A file: its
 * inode, size and times, if they were old enough for any later write to show. A block
 * device: which disk it is since when (diskseq) and what was written to it and discarded,
 * as the kernel counts, after all that is dirty in its page cache has been written. Both:
 * the first 4096 bytes. Where one of these cannot be had there is no index, nor for a loop
 * device, whose file may be written to behind its back.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../replay/crc.h"
#include "../replay/new_file.h"
#include "replay_log.h"

#define MAGIC 0x3158444e49474c52ULL	/* "RLGINDX1" */
#define SHORTEST 4096u			/* entries that are worth a file */
#define SETTLED_S 2			/* a file this old has times that tell the next write */

/**
 * struct head - the first bytes of an index
 * @id: what tells that the log is as it was
 * @crc: of this head, with the field as zero
 *
 * Entries follow, then the texts of the marks.
 */
struct head {
	uint64_t magic;
	uint64_t id[FL_RL_ID];
	uint64_t nr, texts;
	uint32_t block, crc;
};

/* ---- the log, as it is now ----------------------------------------------------------- */

static bool read_numbers(const char *path, uint64_t *out, unsigned int n)
{
	FILE *f = fopen(path, "re");
	unsigned int i;

	for (i = 0; f && i < n; i++)
		if (fscanf(f, "%" SCNu64, &out[i]) != 1)
			break;
	if (f)
		fclose(f);
	return f && i == n;
}

/* The kernel's counters: writes and sectors of them, discards and sectors of them. */
static bool identify_device(int fd, const struct stat *st, uint64_t *id)
{
	char path[64], part[96];
	uint64_t stat[14];
	int n = snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/", major(st->st_rdev),
			 minor(st->st_rdev));

	snprintf(part, sizeof(part), "%sloop", path);
	if (!access(part, F_OK) || fsync(fd))
		return false;
	snprintf(part, sizeof(part), "%s../diskseq", path);
	snprintf(path + n, sizeof(path) - (size_t)n, "diskseq");
	if (!read_numbers(path, &id[0], 1) && !read_numbers(part, &id[0], 1))
		return false;
	snprintf(path + n, sizeof(path) - (size_t)n, "stat");
	if (!read_numbers(path, stat, 14))
		return false;
	id[1] = stat[4];
	id[2] = stat[6];
	id[3] = stat[11];
	id[4] = stat[13];
	return true;
}

static bool identify_file(const struct stat *st, uint64_t *id)
{
	id[0] = (uint64_t)st->st_mtim.tv_sec;
	id[1] = (uint64_t)st->st_mtim.tv_nsec;
	id[2] = (uint64_t)st->st_ctim.tv_sec;
	id[3] = (uint64_t)st->st_ctim.tv_nsec;
	return time(NULL) - st->st_ctim.tv_sec > SETTLED_S;
}

static bool identify(const struct fl_log *log, uint64_t *id)
{
	uint8_t first[4096] = { 0 };
	struct fl_err ignored;
	struct stat st;

	memset(id, 0, FL_RL_ID * sizeof(*id));
	if (fstat(log->fd, &st) ||
	    fl_log_pread(log, first, log->bytes < 4096 ? log->bytes : 4096, 0, &ignored))
		return false;
	id[0] = st.st_dev;
	id[1] = st.st_ino;
	id[2] = st.st_rdev;
	id[3] = log->bytes;
	id[4] = fl_crc(FL_CRC_SEED, first, sizeof(first));
	return S_ISBLK(st.st_mode) ? identify_device(log->fd, &st, id + 5)
				   : identify_file(&st, id + 5);
}

/* ---- where it is --------------------------------------------------------------------- */

/* A folder that nobody else can write to; free() it. NULL: there is none. */
static char *folder(void)
{
	const char *given = getenv("REPLAY_LOG_INDEX"), *run = getenv("XDG_RUNTIME_DIR");
	struct stat st;
	char *path;

	if (given)
		path = *given ? fl_strdup(given) : NULL;
	else if (!geteuid())
		path = fl_strdup("/run/fluxlog");
	else if (!run || asprintf(&path, "%s/fluxlog", run) < 0)
		path = NULL;
	if (!path)
		return NULL;
	if ((mkdir(path, 0700) && errno != EEXIST) || lstat(path, &st) || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid() || st.st_mode & 022) {
		free(path);
		return NULL;
	}
	return path;
}

static char *index_path(const uint64_t *id)
{
	char *dir = folder(), *path;

	if (!dir || asprintf(&path, "%s/%" PRIx64 "-%" PRIx64 "-%" PRIx64 ".index", dir, id[0],
			     id[1], id[2]) < 0)
		path = NULL;
	free(dir);
	return path;
}

static uint32_t head_crc(const struct head *h)
{
	return fl_crc_object(h, sizeof(*h), offsetof(struct head, crc));
}

/* ---- load ---------------------------------------------------------------------------- */

static bool head_fits(const struct head *h, const uint64_t *id, uint64_t bytes)
{
	return h->magic == MAGIC && h->crc == head_crc(h) &&
	       !memcmp(h->id, id, sizeof(h->id)) &&
	       bytes == sizeof(*h) + h->nr * sizeof(struct fl_v1_entry) + h->texts;
}

/* Map the index at @path if it is that of a log which is @id. */
static bool map_index(struct rl *rl, const char *path, const uint64_t *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && (size_t)st.st_size >= sizeof(struct head)) {
		rl->map_bytes = (size_t)st.st_size;
		rl->map = mmap(NULL, rl->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (rl->map == MAP_FAILED)
			rl->map = NULL;
	}
	close(fd);
	return rl->map && head_fits(rl->map, id, rl->map_bytes);
}

/* Entries stay in the map, texts become the log's inline data. */
static void use_index(struct rl *rl)
{
	const struct head *h = rl->map;
	const uint8_t *entries = (const uint8_t *)(h + 1);

	rl->indexed = (struct fl_v1){
		.block = h->block, .counted = h->nr, .nr = h->nr,
		.entry = (struct fl_v1_entry *)(uintptr_t)entries,
	};
	rl->log->inl = fl_alloc(1, h->texts);
	rl->log->inl_bytes = h->texts;
	memcpy(rl->log->inl, entries + h->nr * sizeof(struct fl_v1_entry), h->texts);
	rl->v1 = &rl->indexed;
}

bool rl_index_load(struct rl *rl)
{
	struct fl_err ignored;
	char *path = NULL;
	bool good = false;

	if (fl_log_open_file(&rl->log, rl->o.log, &ignored))
		return false;
	rl->has_id = identify(rl->log, rl->id);
	if (rl->has_id)
		path = index_path(rl->id);
	if (path)
		good = map_index(rl, path, rl->id);
	free(path);
	if (good) {
		use_index(rl);
		return true;
	}
	rl_index_drop(rl);
	fl_log_close(rl->log);
	rl->log = NULL;
	return false;
}

void rl_index_drop(struct rl *rl)
{
	if (rl->map)
		munmap(rl->map, rl->map_bytes);
	rl->map = NULL;
}

/* ---- save ---------------------------------------------------------------------------- */

/* Entries as an index has them, and the texts of their marks. */
static bool write_entries(const struct rl *rl, FILE *f, FILE *texts, uint64_t *bytes)
{
	char text[FL_V1_BLOCK_MAX];
	struct fl_err ignored;
	uint64_t i;

	*bytes = 0;
	for (i = 0; i < rl->v1->nr; i++) {
		struct fl_v1_entry e = rl->v1->entry[i];

		if (e.flags & FL_V1_MARK) {
			if (fl_v1_text(rl->v1, rl->log, &e, text, &ignored))
				return false;
			fwrite(text, 1, e.len, texts);
			e.off = *bytes;
			*bytes += e.len;
		}
		fwrite(&e, sizeof(e), 1, f);
	}
	return true;
}

static bool write_index(const struct rl *rl, FILE *f)
{
	struct head h = { .magic = MAGIC, .nr = rl->v1->nr, .block = rl->v1->block };
	char *text = NULL;
	size_t n = 0;
	FILE *texts = open_memstream(&text, &n);
	bool good;

	if (!texts)
		return false;
	memcpy(h.id, rl->id, sizeof(h.id));
	fseek(f, sizeof(h), SEEK_SET);
	good = write_entries(rl, f, texts, &h.texts);
	good = !fclose(texts) && good && n == h.texts;
	if (good) {
		fwrite(text, 1, n, f);
		h.crc = head_crc(&h);
		rewind(f);
		fwrite(&h, sizeof(h), 1, f);
	}
	free(text);
	return good && !ferror(f);
}

/* The log must still be what it was before it was read. */
static void save_as(const struct rl *rl, const char *path)
{
	struct fl_new_file nf;
	struct fl_err ignored;
	uint64_t now[FL_RL_ID];
	bool good = false;
	FILE *f;
	int fd;

	if (fl_new_begin(&nf, path, &ignored))
		return;
	fd = dup(nf.fd);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f) {
		good = write_index(rl, f);
		good = !fclose(f) && good;
	}
	if (good && identify(rl->log, now) && !memcmp(now, rl->id, sizeof(now)))
		fl_new_commit(&nf, &ignored);
	fl_new_end(&nf);
}

void rl_index_save(const struct rl *rl)
{
	char *path;

	if (!rl->has_id || rl->v1->nr < SHORTEST || rl->v1->why[0])
		return;
	path = index_path(rl->id);
	if (path)
		save_as(rl, path);
	free(path);
}

// SPDX-License-Identifier: GPL-2.0
/* See image_xfs.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image_fuse.h"
#include "image_xfs.h"

/* ---- running xfs_db ----------------------------------------------------------- */

static int spawn_db(const char *path, int in, int out, pid_t *pid)
{
	char *argv[] = { "xfs_db", "-r", (char *)(uintptr_t)path, NULL };
	char *env[] = { "PATH=/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL=C", NULL };
	posix_spawn_file_actions_t fa;
	int ret;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, out, 2);
	ret = posix_spawnp(pid, "xfs_db", &fa, NULL, argv, env);
	if (ret == ENOENT)	/* not in everybody's PATH */
		ret = posix_spawn(pid, "/usr/sbin/xfs_db", &fa, NULL, argv, env);
	posix_spawn_file_actions_destroy(&fa);
	return ret;
}

/* The commands are in the file @in; what it says comes out in *@said, to be read from
 * its beginning. Files, not pipes: neither side can wait for the other. Its exit status
 * says little: it is not 0 for a crash image that lacks its log recovery, either. */
static int run_db(const char *path, FILE *in, FILE **said, struct fl_err *err)
{
	int status, ret;
	pid_t pid;

	*said = tmpfile();
	if (!*said || fflush(in) || lseek(fileno(in), 0, SEEK_SET))
		return fl_fail(err, EIO, "no room for temporary files: %s", strerror(errno));
	ret = spawn_db(path, fileno(in), fileno(*said), &pid);
	if (ret)
		return fl_fail(err, ret, "xfs_db cannot be run: %s", strerror(ret));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fl_fail(err, errno, "xfs_db: %s", strerror(errno));
	rewind(*said);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 127)
		return 0;
	return fl_fail(err, EIO, "xfs_db did not run to its end (wait status %d)", status);
}

static void close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* ---- asking ------------------------------------------------------------------- */

/* Where the log is: an address of allocation group and block in it. */
struct log_place {
	uint64_t start, blocks, ag_bits, ag_blocks;
};

static void take_geometry(const char *line, struct fl_xfs *x, struct log_place *log)
{
	const struct {
		const char *name;
		uint64_t *value;
	} field[] = {
		{ "blocksize = ", &x->block }, { "sectsize = ", &x->sector_size },
		{ "dblocks = ", &x->blocks }, { "logstart = ", &log->start },
		{ "logblocks = ", &log->blocks }, { "agblklog = ", &log->ag_bits },
		{ "agblocks = ", &log->ag_blocks },
	};
	size_t i;

	for (i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		if (!strncmp(line, field[i].name, strlen(field[i].name)))
			*field[i].value = strtoull(line + strlen(field[i].name), NULL, 10);
}

static int ask_geometry(struct fl_xfs *x, struct log_place *log, const char *path,
			struct fl_err *err)
{
	FILE *in __attribute__((cleanup(close_file))) = tmpfile();
	FILE *said __attribute__((cleanup(close_file))) = NULL;
	char line[512];
	int ret;

	if (!in)
		return fl_fail(err, errno, "no temporary file: %s", strerror(errno));
	fputs("sb 0\np blocksize\np sectsize\np dblocks\np logstart\np logblocks\n"
	      "p agblklog\np agblocks\n", in);
	ret = run_db(path, in, &said, err);
	while (!ret && fgets(line, sizeof(line), said))
		take_geometry(line, x, log);
	x->block /= FL_SECTOR;
	if (!ret && (!x->block || !x->sector_size || !x->blocks || log->ag_bits > 31))
		ret = fl_fail(err, EINVAL, "%s: xfs_db finds no XFS in it", path);
	return ret;
}

/*
 * Blockget refuses a filesystem whose log is not empty, and it is not after a power cut.
 * So the log is emptied, in the copy-on-write of the image at @fd.
 */
static int empty_log(const struct fl_xfs *x, const struct log_place *log, int fd,
		     const char *path, struct fl_err *err)
{
	uint64_t group = log->start >> log->ag_bits;
	uint64_t block = group * log->ag_blocks + (log->start & ((1ULL << log->ag_bits) - 1));
	uint64_t unit = x->block * FL_SECTOR;

	if (!log->start)	/* on a device of its own */
		return 0;
	if (fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, (off_t)(block * unit),
		      (off_t)(log->blocks * unit)))
		return fl_fail(err, errno, "%s: emptying the XFS log: %s", path,
			       strerror(errno));
	return 0;
}

size_t fl_xfs_blocks(const struct fl_xfs *x, const struct fl_extent *e)
{
	return (size_t)((e->sector + e->nr - 1) / x->block - e->sector / x->block + 1);
}

size_t fl_xfs_place(const struct fl_xfs *x, const struct fl_extent *e, size_t before,
		    uint64_t sector)
{
	return before + (size_t)(sector / x->block - e->sector / x->block);
}

/* How many of the blocks of @e are in the filesystem. */
static size_t blocks_inside(const struct fl_xfs *x, const struct fl_extent *e)
{
	uint64_t first = e->sector / x->block;
	size_t n = fl_xfs_blocks(x, e);

	if (first >= x->blocks)
		return 0;
	return n < x->blocks - first ? n : (size_t)(x->blocks - first);
}

static void put_questions(const struct fl_xfs *x, const struct fl_diff *d, FILE *in)
{
	size_t i, n;

	fputs("blockget -n\n", in);
	for (i = 0; i < d->nr; i++) {
		n = blocks_inside(x, &d->extent[i]);
		if (n)
			fprintf(in, "daddr %" PRIu64 "\nblockuse -n -c %zu\n",
				d->extent[i].sector / x->block * x->block, n);
	}
}

/* The next "block N (AG/N) type WHAT"; blockget may complain in lines of its own. */
static char *next_answer(FILE *said, char **line, size_t *room)
{
	int at;

	while (getline(line, room, said) > 0) {
		at = 0;
		sscanf(*line, "block %*u (%*u/%*u) type %n", &at);
		if (!at)
			continue;
		(*line)[strcspn(*line, "\n")] = '\0';
		return fl_strdup(*line + at);
	}
	return NULL;
}

static int take_answers(struct fl_xfs *x, const struct fl_diff *d, FILE *said,
			struct fl_err *err)
{
	char *line = NULL;
	size_t i, k, n, inside, room = 0;
	int ret = 0;

	for (i = 0; i < d->nr; i++)
		x->nr += fl_xfs_blocks(x, &d->extent[i]);
	x->what = fl_alloc(x->nr + 1, sizeof(*x->what));
	for (i = n = 0; i < d->nr && !ret; n += fl_xfs_blocks(x, &d->extent[i]), i++) {
		inside = blocks_inside(x, &d->extent[i]);
		for (k = 0; k < inside && !ret; k++) {
			x->what[n + k] = next_answer(said, &line, &room);
			if (!x->what[n + k])
				ret = fl_fail(err, EIO, "xfs_db says too little: the metadata make no sense to it");
		}
	}
	free(line);
	return ret;
}

static int ask_owners(struct fl_xfs *x, const char *path, const struct fl_diff *d,
		      struct fl_err *err)
{
	FILE *in __attribute__((cleanup(close_file))) = tmpfile();
	FILE *said __attribute__((cleanup(close_file))) = NULL;
	int ret;

	if (!in)
		return fl_fail(err, errno, "no temporary file: %s", strerror(errno));
	put_questions(x, d, in);
	ret = run_db(path, in, &said, err);
	return ret ? ret : take_answers(x, d, said, err);
}

static int ask_one(struct fl_xfs *x, const char *path, const struct fl_diff *d,
		   struct fl_err *err)
{
	struct log_place log = { .start = 0 };
	int fd = open(path, O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return fl_fail(err, errno, "%s: %s", path, strerror(errno));
	ret = ask_geometry(x, &log, path, err);
	if (!ret)
		ret = empty_log(x, &log, fd, path, err);
	if (!ret)
		ret = ask_owners(x, path, d, err);
	close(fd);
	return ret;
}

/* ---- the images as files ------------------------------------------------------- */

/* A mount that nobody else sees goes with this process, however it ends. */
static void hide_mounts(void)
{
	if (!geteuid() && !unshare(CLONE_NEWNS))
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

/* Places of both images below @dir; their bytes are told by cut and variant alone. */
static int ask_both(struct fl_xfs x[2], const struct fl_group *g,
		    const struct fl_image img[2], const char *dir, const struct fl_diff *d,
		    struct fl_err *err)
{
	char path[PATH_MAX + FL_IMAGE_NAME], name[FL_IMAGE_NAME];
	int i, ret = 0;

	for (i = 0; i < 2 && !ret; i++) {
		snprintf(path, sizeof(path), "%s/tick-%" PRIu64 "/%s", dir, img[i].cut,
			 fl_image_name(name, g, (unsigned int)(img[i].dev - g->dev),
				       &img[i].var));
		ret = ask_one(&x[i], path, d, err);
	}
	return ret;
}

int fl_xfs_ask(struct fl_xfs x[2], const struct fl_cuts *cuts, const struct fl_image img[2],
	       int base, const struct fl_diff *d, struct fl_err *err)
{
	const char *tmp = getenv("TMPDIR");
	int bases[FL_GROUP_MAX], i, ret;
	char dir[PATH_MAX];
	struct fl_fs_opts o = { .base = bases };
	struct fl_fs *fs;

	x[0] = x[1] = (struct fl_xfs){ .nr = 0 };
	for (i = 0; i < FL_GROUP_MAX; i++)
		bases[i] = base;
	snprintf(dir, sizeof(dir), "%s/fluxlog-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return fl_fail(err, errno, "%s: %s", dir, strerror(errno));
	hide_mounts();
	ret = fl_fs_start(&fs, cuts->g, cuts, &o, dir, err);
	if (!ret) {
		ret = ask_both(x, cuts->g, img, dir, d, err);
		fl_fs_stop(fs);
	}
	rmdir(dir);
	return ret;
}

void fl_xfs_free(struct fl_xfs *x)
{
	size_t i;

	for (i = 0; i < x->nr; i++)
		free(x->what[i]);
	free(x->what);
	*x = (struct fl_xfs){ .nr = 0 };
}

/* ---- words --------------------------------------------------------------------- */

static const struct {
	const char *type, *words;
} types[] = {
	{ "agf", "AGF" }, { "agfl", "AGFL" }, { "agi", "AGI" },
	{ "attr", "extended attributes" }, { "bmapbta", "extent btree of attributes" },
	{ "bmapbtd", "extent btree of data" }, { "btbno", "free space btree, by place" },
	{ "btcnt", "free space btree, by size" }, { "btino", "inode btree" },
	{ "btfino", "free inode btree" }, { "btrefcnt", "reference count btree" },
	{ "btrmap", "reverse mapping btree" }, { "data", "file data" },
	{ "dir", "directory" }, { "free1", "free" }, { "free2", "free" },
	{ "freelist", "AG free list block" }, { "inode", "inodes" }, { "log", "XFS log" },
	{ "symlink", "symbolic link" }, { "unknown", "unknown" },
};

static const char *type_words(const char *type, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].type) == n && !strncmp(types[i].type, type, n))
			return types[i].words;
	return NULL;
}

/* The first sectors of an allocation group, by their size in the filesystem. */
static const char *header_words(const struct fl_xfs *x, uint64_t sector)
{
	static const char *const header[] = { "superblock", "AGF", "AGI", "AGFL" };
	uint64_t i = sector % x->block * FL_SECTOR / x->sector_size;

	return i < 4 ? header[i] : "behind the AG headers";
}

const char *fl_xfs_words(char *buf, size_t n, const struct fl_xfs *x, size_t place,
			 uint64_t sector)
{
	const char *what = x->what[place], *type;
	uint64_t inode;
	size_t len;
	int at = 0;

	if (!what)
		return "outside of the filesystem";
	len = strcspn(what, " ");
	if (len == 2 && !strncmp(what, "sb", len))
		return header_words(x, sector);
	type = type_words(what, len);
	snprintf(buf, n, "%.*s", (int)len, what);
	if (type)
		snprintf(buf, n, "%s", type);
	if (sscanf(what + len, " inode %" SCNu64 " %n", &inode, &at) == 1) {
		len = strlen(buf);
		snprintf(buf + len, n - len, ", inode %" PRIu64 "%s%s", inode,
			 at && what[strcspn(what, " ") + (size_t)at] ? ", " : "",
			 at ? what + strcspn(what, " ") + at : "");
	}
	return buf;
}

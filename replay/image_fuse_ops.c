// SPDX-License-Identifier: GPL-2.0
/*
 * See image_fuse_ops.h.
 *
 * There is no flush operation: a process that dies while it serves itself would wait in
 * the close of its files for an answer that it can no longer give.
 */
#include "image_fuse_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KNOWN_FOR 86400.0		/* names and sizes never change */
#define UNKNOWN_INO 0xffffffffu

/* Where a thread puts what is read: room for whole sectors around a request. */
static _Thread_local uint8_t *bounce;

void fl_fs_lend(uint8_t *buf)
{
	bounce = buf;
}

/* ---- nodes and attributes ---------------------------------------------------- */

static const struct fl_served *served(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

/* The kernel's number of a node is where it is; the root's is fixed. */
static struct fl_node *node_of(fuse_req_t req, fuse_ino_t ino)
{
	return ino == FUSE_ROOT_ID ? fl_tree_root(served(req)->tree) : (struct fl_node *)ino;
}

static void fill_stat(const struct fl_served *fs, const struct fl_node *n, struct stat *st)
{
	mode_t write = fs->read_only ? 0 : 0200;

	*st = (struct stat){
		.st_ino = n->ino, .st_uid = getuid(), .st_gid = getgid(),
		.st_nlink = n->file ? 1 : 2,
		.st_mode = n->file ? S_IFREG | 0444 | write : S_IFDIR | 0555,
		.st_size = (off_t)fl_node_bytes(n),
		.st_blocks = (blkcnt_t)(fl_node_bytes(n) / FL_SECTOR),
		.st_blksize = FL_FS_REQUEST,
		.st_atim = fs->born, .st_mtim = fs->born, .st_ctim = fs->born,
	};
}

static void op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param e = { .attr_timeout = KNOWN_FOR, .entry_timeout = KNOWN_FOR };
	const struct fl_served *fs = served(req);
	struct fl_node *n = fl_tree_lookup(fs->tree, node_of(req, parent), name);

	if (!n) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	e.ino = (fuse_ino_t)n;
	fill_stat(fs, n, &e.attr);
	if (fuse_reply_entry(req, &e) == -ENOENT)	/* interrupted: it never got there */
		fl_tree_forget(fs->tree, n, 1);
}

static void op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t nlookup)
{
	if (ino != FUSE_ROOT_ID)
		fl_tree_forget(served(req)->tree, node_of(req, ino), nlookup);
	fuse_reply_none(req);
}

static void op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *f)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (f[i].ino != FUSE_ROOT_ID)
			fl_tree_forget(served(req)->tree, node_of(req, f[i].ino), f[i].nlookup);
	fuse_reply_none(req);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	struct stat st;

	(void)fi;
	fill_stat(served(req), node_of(req, ino), &st);
	fuse_reply_attr(req, &st, KNOWN_FOR);
}

/* An image keeps its size, owner, mode and times: a tool that sets times is let be. */
static void op_setattr(fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set,
		       struct fuse_file_info *fi)
{
	uint64_t bytes = fl_node_bytes(node_of(req, ino));

	if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
		fuse_reply_err(req, EPERM);
	else if ((to_set & FUSE_SET_ATTR_SIZE) && (uint64_t)attr->st_size != bytes)
		fuse_reply_err(req, EPERM);
	else
		op_getattr(req, ino, fi);
}

/* ---- folders ----------------------------------------------------------------- */

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)ino;
	fi->cache_readdir = 1;
	fi->keep_cache = 1;
	fuse_reply_open(req, fi);
}

/* The name at place @i, "." and ".." first. */
static const char *dir_entry(const struct fl_served *fs, const struct fl_node *dir, uint64_t i,
			     char buf[FL_IMAGE_NAME])
{
	if (i < 2)
		return i ? ".." : ".";
	return fl_tree_list(fs->tree, dir, i - 2, buf);
}

/* An offset is the place of the next entry, so reading on costs no search. */
static void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		       struct fuse_file_info *fi)
{
	struct fl_node *dir = node_of(req, ino);
	struct stat st = { .st_ino = UNKNOWN_INO };
	char name[FL_IMAGE_NAME], *buf = (char *)bounce;
	const char *entry;
	uint64_t i = (uint64_t)off;
	size_t used = 0, n;

	(void)fi;
	if (size > FL_FS_REQUEST)
		size = FL_FS_REQUEST;
	while ((entry = dir_entry(served(req), dir, i, name))) {
		st.st_mode = i >= 2 && dir->parent ? S_IFREG : S_IFDIR;
		n = fuse_add_direntry(req, buf + used, size - used, entry, &st,
				      (off_t)(i + 1));
		if (n > size - used)
			break;
		used += n;
		i++;
	}
	fuse_reply_buf(req, buf, used);
}

/* ---- files ------------------------------------------------------------------- */

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct fl_served *fs = served(req);
	struct fl_node *n = node_of(req, ino);
	bool cache;

	if (fs->read_only && (fi->flags & O_ACCMODE) != O_RDONLY) {
		fuse_reply_err(req, EROFS);
		return;
	}
	if (fl_tree_open(fs->tree, n, &cache)) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	fi->keep_cache = cache;
	fi->noflush = 1;
	if (fuse_reply_open(req, fi) == -ENOENT)	/* interrupted: not open */
		fl_tree_close(fs->tree, n);
}

static void op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	(void)fi;
	fl_tree_close(served(req)->tree, node_of(req, ino));
	fuse_reply_err(req, 0);
}

/* The bytes of the mount are the verdict's ground: what could not be read is said. */
static void reply_failed(fuse_req_t req, const struct fl_node *n, int ret,
			 const struct fl_err *err)
{
	fprintf(stderr, "fluxlog: %s/%s: %s\n", n->parent->name, n->name, err->msg);
	fuse_reply_err(req, -ret);
}

static void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off, first = at / FL_SECTOR;
	struct fl_err err;
	int ret;

	(void)fi;
	if (size > FL_FS_REQUEST)
		size = FL_FS_REQUEST;
	if (at >= bytes)
		size = 0;
	else if (size > bytes - at)
		size = bytes - at;
	ret = fl_cow_read(n->file->cow, bounce, first,
			  size ? (at + size - 1) / FL_SECTOR + 1 - first : 0, &err);
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_buf(req, (char *)bounce + at % FL_SECTOR, size);
}

static void op_write(fuse_req_t req, fuse_ino_t ino, const char *buf, size_t size, off_t off,
		     struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off;
	struct fl_err err;
	int ret;

	(void)fi;
	if (at >= bytes) {
		fuse_reply_err(req, ENOSPC);
		return;
	}
	if (size > bytes - at)
		size = bytes - at;
	fl_tree_will_write(served(req)->tree, n);
	ret = fl_cow_write(n->file->cow, buf, size, at, &err);
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_write(req, size);
}

static void op_fallocate(fuse_req_t req, fuse_ino_t ino, int mode, off_t off, off_t length,
			 struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off, len = (uint64_t)length;
	struct fl_err err;
	int ret = 0;

	(void)fi;
	if (mode & ~(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
		fuse_reply_err(req, EOPNOTSUPP);
		return;
	}
	if (at > bytes || len > bytes - at) {
		if (!(mode & FALLOC_FL_KEEP_SIZE)) {
			fuse_reply_err(req, ENOSPC);
			return;
		}
		len = at > bytes ? 0 : bytes - at;
	}
	if (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE)) {
		fl_tree_will_write(served(req)->tree, n);
		ret = fl_cow_zero(n->file->cow, len, at, &err);
	}
	if (ret)
		reply_failed(req, n, ret, &err);
	else
		fuse_reply_err(req, 0);
}

static void op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence,
		     struct fuse_file_info *fi)
{
	struct fl_node *n = node_of(req, ino);
	uint64_t bytes = fl_node_bytes(n), at = (uint64_t)off;

	(void)fi;
	if (whence != SEEK_DATA && whence != SEEK_HOLE) {
		fuse_reply_err(req, EINVAL);
		return;
	}
	if (at < bytes)
		at = fl_cow_seek(n->file->cow, at, bytes, whence == SEEK_DATA);
	else
		at = UINT64_MAX;
	/* there is always a hole at the end, and no data */
	if (at > bytes || (at == bytes && whence == SEEK_DATA))
		fuse_reply_err(req, ENXIO);
	else
		fuse_reply_lseek(req, (off_t)at);
}

static void op_init(void *userdata, struct fuse_conn_info *conn)
{
	(void)userdata;
	conn->max_read = FL_FS_REQUEST;
	conn->max_write = FL_FS_REQUEST;
	conn->max_readahead = FL_FS_REQUEST;
	/* a close is sent in the background and must not queue behind reads */
	conn->max_background = UINT16_MAX;
	conn->congestion_threshold = UINT16_MAX;
	/* requests must come in memory, see image_fuse.c; bytes change by nobody else's hand */
	conn->want &= ~(unsigned int)(FUSE_CAP_SPLICE_READ | FUSE_CAP_AUTO_INVAL_DATA);
}

const struct fuse_lowlevel_ops fl_fs_ops = {
	.init = op_init,
	.lookup = op_lookup, .forget = op_forget, .forget_multi = op_forget_multi,
	.getattr = op_getattr, .setattr = op_setattr,
	.opendir = op_opendir, .readdir = op_readdir,
	.open = op_open, .release = op_release,
	.read = op_read, .write = op_write, .fallocate = op_fallocate, .lseek = op_lseek,
};

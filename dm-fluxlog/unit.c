// SPDX-License-Identifier: GPL-2.0
/*
 * unit: captures become a unit, as uapi/fluxlog_format.h draws it.
 *
 * Takes   captures, one after the other, as long as there is room.
 * Gives   one append to the log device: head, records and payloads behind one
 *	   checksum, straight out of the captures' pages.
 * Relies  on its own reserves alone: head and bios are allocated beforehand, so
 *	   submitting neither fails nor waits for memory.
 */
#include <linux/crc32c.h>

#include "fluxlog.h"

#define HEAD_ORDER	get_order(SZ_32K)
#define HEAD_BYTES	(PAGE_SIZE << HEAD_ORDER)
#define UNIT_PAYLOAD	FLUXLOG_MAX_BIO
/* a unit has at most one vec for each page, and one for its head */
#define UNIT_BIOS	4

static struct fluxlog_capture *to_capture(struct llist_node *node)
{
	return llist_entry(node, struct fluxlog_capture, node);
}

/* --- encoding ----------------------------------------------------------- */

static unsigned int inline_len(const struct fluxlog_capture *cap)
{
	return le16_to_cpu(cap->record.inline_len);
}

/* What @cap takes of a unit's head. */
static unsigned int head_len(const struct fluxlog_capture *cap)
{
	return sizeof(struct fluxlog_record) + ALIGN(inline_len(cap), 8);
}

static unsigned int payload_blocks(const struct fluxlog_recorder *rec,
				   const struct fluxlog_capture *cap)
{
	return DIV_ROUND_UP(cap->payload_bytes, rec->block_size);
}

static void encode_records(struct fluxlog_unit_buf *u, unsigned int head_blocks)
{
	void *to = u->head + sizeof(struct fluxlog_unit);
	unsigned int blk = head_blocks;
	struct fluxlog_capture *cap;
	struct llist_node *node;

	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		if (cap->payload_bytes) {
			cap->record.payload_blk = cpu_to_le32(blk);
			blk += payload_blocks(u->rec, cap);
		}
		memcpy(to, &cap->record, sizeof(cap->record));
		if (cap->inl)
			memcpy(to + sizeof(cap->record), cap->inl, inline_len(cap));
		to += head_len(cap);
	}
}

/* Bytes of @cap's page number @i that go to the log. */
static unsigned int page_len(const struct fluxlog_recorder *rec,
			     const struct fluxlog_capture *cap, unsigned int i)
{
	unsigned int padded = ALIGN(cap->payload_bytes, rec->block_size);

	return min_t(unsigned int, PAGE_SIZE, padded - i * PAGE_SIZE);
}

static u32 unit_crc(struct fluxlog_unit_buf *u, unsigned int head_blocks)
{
	unsigned int shift = u->rec->block_shift;
	u32 crc = crc32c(~0, u->head, head_blocks << shift);
	const struct fluxlog_capture *cap;
	struct llist_node *node;

	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		if (cap->payload_bytes)
			crc = fluxlog_checksum_append(crc, cap->payload_crc,
						      payload_blocks(u->rec, cap) << shift);
	}
	return crc;
}

static void unit_encode(struct fluxlog_unit_buf *u)
{
	const struct fluxlog_recorder *rec = u->rec;
	unsigned int head_blocks = u->nr_blocks - u->payload_blocks;
	struct fluxlog_unit *head = u->head;

	memset(head, 0, head_blocks << rec->block_shift);
	head->magic = cpu_to_le64(FLUXLOG_UNIT_MAGIC);
	memcpy(head->uuid, rec->uuid, sizeof(head->uuid));
	head->seq = cpu_to_le64(u->seq);
	head->nr_blocks = cpu_to_le32(u->nr_blocks);
	head->head_bytes = cpu_to_le32(u->head_bytes);
	head->nr_records = cpu_to_le32(u->nr_records);
	head->written_ns = cpu_to_le64(ktime_get_ns());
	encode_records(u, head_blocks);
	head->crc32c = cpu_to_le32(unit_crc(u, head_blocks));
}

/* --- submitting --------------------------------------------------------- */

/*
 * The last touch of a bio's end is the unlock. Who saw done under the lock knows
 * that the end no longer touches the recorder.
 */
static void unit_bio_put(struct fluxlog_unit_buf *u)
{
	struct fluxlog_recorder *rec = u->rec;
	unsigned long flags;

	if (!atomic_dec_and_test(&u->bios))
		return;
	spin_lock_irqsave(&rec->writer_wait.lock, flags);
	WRITE_ONCE(u->done, true);
	wake_up_locked(&rec->writer_wait);
	spin_unlock_irqrestore(&rec->writer_wait.lock, flags);
}

static void unit_end_io(struct bio *bio)
{
	struct fluxlog_unit_buf *u = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(u->error, bio->bi_status);
	bio_put(bio);
	unit_bio_put(u);
}

/* SYNC and IDLE as for direct I/O: the log must not be throttled as writeback. */
static struct bio *unit_bio(struct fluxlog_unit_buf *u, u64 byte)
{
	struct bio *bio = bio_alloc_bioset(u->rec->log_bdev, BIO_MAX_VECS,
					   REQ_OP_WRITE | REQ_SYNC | REQ_IDLE,
					   GFP_NOIO, &u->bio_set);

	bio->bi_iter.bi_sector = byte >> SECTOR_SHIFT;
	bio->bi_private = u;
	bio->bi_end_io = unit_end_io;
	atomic_inc(&u->bios);
	return bio;
}

/* Add a piece of @u at the end of @bio; once that is full, send it off first. */
static struct bio *unit_add(struct fluxlog_unit_buf *u, struct bio *bio,
			    struct page *page, unsigned int len)
{
	u64 end = (u64)bio_end_sector(bio) << SECTOR_SHIFT;

	if (bio_add_page(bio, page, len, 0) == len)
		return bio;
	submit_bio(bio);
	bio = unit_bio(u, end);
	__bio_add_page(bio, page, len, 0);
	return bio;
}

static void unit_send(struct fluxlog_unit_buf *u)
{
	const struct fluxlog_recorder *rec = u->rec;
	unsigned int shift = rec->block_shift;
	const struct fluxlog_capture *cap;
	struct llist_node *node;
	struct bio *bio;
	unsigned int i;

	bio = unit_bio(u, u->pos << shift);
	__bio_add_page(bio, virt_to_page(u->head),
		       (u->nr_blocks - u->payload_blocks) << shift, 0);
	llist_for_each(node, u->caps) {
		cap = to_capture(node);
		for (i = 0; i < cap->nr_pages; i++)
			bio = unit_add(u, bio, cap->pages[i], page_len(rec, cap, i));
	}
	submit_bio(bio);
}

void fluxlog_unit_submit(struct fluxlog_unit_buf *u, u64 pos, u64 seq)
{
	u->pos = pos;
	u->seq = seq;
	u->nr_blocks = fluxlog_unit_blocks(u);
	unit_encode(u);
	atomic_set(&u->bios, 1);
	unit_send(u);
	unit_bio_put(u);
}

/* --- filling ------------------------------------------------------------ */

unsigned int fluxlog_unit_blocks(const struct fluxlog_unit_buf *u)
{
	return DIV_ROUND_UP(u->head_bytes, u->rec->block_size) + u->payload_blocks;
}

void fluxlog_unit_open(struct fluxlog_unit_buf *u)
{
	u->caps = NULL;
	u->last = NULL;
	u->head_bytes = sizeof(struct fluxlog_unit);
	u->payload_blocks = 0;
	u->nr_records = 0;
	u->nr_flushes = 0;
	u->reserved = 0;
	u->mem = 0;
	u->error = BLK_STS_OK;
	u->done = false;
}

bool fluxlog_unit_has_room(const struct fluxlog_unit_buf *u,
			   const struct fluxlog_capture *cap)
{
	unsigned int blocks = u->payload_blocks + payload_blocks(u->rec, cap);

	return u->head_bytes + head_len(cap) <= HEAD_BYTES &&
	       blocks << u->rec->block_shift <= UNIT_PAYLOAD;
}

void fluxlog_unit_append(struct fluxlog_unit_buf *u, struct fluxlog_capture *cap)
{
	cap->node.next = NULL;
	if (u->last)
		u->last->next = &cap->node;
	else
		u->caps = &cap->node;
	u->last = &cap->node;
	u->head_bytes += head_len(cap);
	u->payload_blocks += payload_blocks(u->rec, cap);
	u->nr_records++;
	u->nr_flushes += cap->record.kind == FLUXLOG_FLUSH;
	u->reserved += cap->blocks;
	u->mem += cap->mem;
}

/* --- beginning and end -------------------------------------------------- */

int fluxlog_unit_init(struct fluxlog_unit_buf *u, struct fluxlog_recorder *rec)
{
	u->rec = rec;
	u->head = (void *)__get_free_pages(GFP_KERNEL | __GFP_COMP, HEAD_ORDER);
	if (!u->head)
		return -ENOMEM;
	return bioset_init(&u->bio_set, UNIT_BIOS, 0, BIOSET_NEED_BVECS);
}

void fluxlog_unit_exit(struct fluxlog_unit_buf *u)
{
	free_pages((unsigned long)u->head, HEAD_ORDER);
	bioset_exit(&u->bio_set);
}

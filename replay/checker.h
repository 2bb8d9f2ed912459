/* SPDX-License-Identifier: GPL-2.0 */
/*
 * checker: the block-level judge.
 *
 * Takes   a group.
 * Gives   for each promise whether every crash image of every cut from its instant
 *	   on holds the promised version or a newer one (rule 5), and a finding for
 *	   each range where not. No image is built.
 *
 * Why it is enough to look at one cut a promise: the durable set only grows, so a
 * version that is not allowed at the promise's instant is never allowed later, and
 * what is issued after that instant is newer than what was promised, unless it
 * says of itself that it is older (its generation); those are looked for.
 *
 * FILE promises (judge_file.c) name bytes of a file and a generation. Whatever
 * carries a stamp of the file, place and that generation or a later one satisfies.
 * Several places on the devices may carry it (copies, journals, copy-on-write); one
 * that keeps the promise is enough. What replaces it after the promise is newer,
 * before the promise it breaks it.
 *
 * Of a stack (judge_stack.c), what was written above is kept where the layer put it:
 * a write above keeps a promise iff each write below that carries its bytes on keeps
 * it, on whatever leg; so both legs of a mirror must.
 *
 * SECTORS promises (judge_sectors.c) name sectors: promised is the version that was
 * written there last and was done by the promise's instant. Another version that may
 * be there satisfies if it is newer or holds the same bytes.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include "finding.h"

enum fl_verdict {
	FL_KEPT,
	FL_BROKEN,
	FL_BEYOND,	/* not judged: it came in after a log ends, a log is no evidence,
			 * or of a stack, which write below is whose is not known */
};

/**
 * struct fl_check - what was judged
 * @records ... @promises: counts over the group; of a stack, over its legs
 * @writes: writes and write-zeroes; @failed of them and of the flushes failed
 * @flush_points: cuts right after a flush or FUA write was done
 * @judged, @kept, @broken, @beyond: promises
 * @block, @blocks: all promises begin and end on this many bytes (at the most
 *	4096); how many such blocks were promised, and judged
 * @widest: the largest number of writes that float at one cut (issued and not yet
 *	durable; one that failed counts to the end), first at tick @widest_tick
 * @findings: what was found, in the order of the promises
 * @verdict: enum fl_verdict for each promise
 */
struct fl_check {
	uint64_t records, writes, flushes, failed, discards, fua, marks;
	uint64_t flush_points, promises, judged, kept, broken, beyond;
	uint64_t block, blocks;
	uint64_t widest, widest_tick;
	struct fl_findings findings;
	uint8_t *verdict;
};

/* Judge. -errno with @err if a promise cannot be judged at all (it names a device
 * whose log is not in the group, a payload cannot be read). */
int fl_check_run(struct fl_check *ck, const struct fl_group *g, struct fl_err *err);
void fl_check_free(struct fl_check *ck);

/* ---- between checker.c and the two judges ------------------------------------ */

/* Add the findings of one promise. Returns 0, or FL_UNSURE if a part of it can be
 * called neither kept nor broken, or -errno with @err. */
#define FL_UNSURE 1
int fl_judge_file(const struct fl_group *g, uint64_t prom, struct fl_findings *out,
		  struct fl_err *err);
int fl_judge_sectors(const struct fl_group *g, uint64_t prom, struct fl_findings *out,
		     struct fl_err *err);

/* Why @v does not keep a promise made at @at_ns whose message came in at tick
 * @message, as far as writes and flushes go: FL_WRITE_FAILED to FL_NOT_COVERED, with
 * the flush that the code speaks of; FL_NR_CODES if @v is durable by then. */
enum fl_code fl_why_not_durable(const struct fl_dev *dev, const struct fl_ver *v,
				uint64_t at_ns, uint64_t message,
				const struct fl_rec **flush);

#endif

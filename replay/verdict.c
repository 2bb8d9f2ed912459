// SPDX-License-Identifier: GPL-2.0
/*
 * verdict: why a write was not durable when it was promised.
 *
 * Takes   a version that does not keep a promise, and the promise's instant.
 * Gives   the most telling reason (the order of enum fl_code) and the flush that it
 *	   speaks of. The judgement itself has been passed already; a flush that came
 *	   long after the promise explains nothing and is not looked at.
 */
#include "checker.h"

/* Of the flushes that cover @v: one that failed or was swallowed before the promise,
 * else one that was on its way when the promise was made (or sent). */
static enum fl_code why_covered(const struct fl_dev *dev, const struct fl_ver *v,
				uint64_t at_ns, uint64_t message,
				const struct fl_rec **flush)
{
	struct fl_cut at = { .on_clock = true, .at = at_ns };
	enum fl_code code = FL_NOT_COVERED;
	uint32_t i;

	for (i = fl_flush_after(dev, v->rec->done); i < dev->nr_flush; i++) {
		const struct fl_rec *f = dev->flush[i];

		if (f->issue > message && !fl_issued_by(f, at))
			break;
		if (!fl_took_effect(f) && fl_done_by(f, at)) {
			*flush = f;
			return f->status ? FL_FLUSH_FAILED : FL_FLUSH_SWALLOWED;
		}
		if (fl_took_effect(f) && code == FL_NOT_COVERED) {
			*flush = f;
			code = FL_FLUSH_LATE;
		}
	}
	return code;
}

/* A flush that was in flight together with @v and done before the promise. */
static const struct fl_rec *early_flush(const struct fl_dev *dev, const struct fl_ver *v,
					struct fl_cut at)
{
	uint32_t i = fl_flush_after(dev, v->rec->done);

	while (i-- > 0 && dev->flush_done[i] > v->rec->issue) {
		const struct fl_rec *f = dev->flush[i];

		if (fl_took_effect(f) && f->done > v->rec->issue && fl_done_by(f, at))
			return f;
	}
	return NULL;
}

enum fl_code fl_why_not_durable(const struct fl_dev *dev, const struct fl_ver *v,
				uint64_t at_ns, uint64_t message,
				const struct fl_rec **flush)
{
	struct fl_cut at = { .on_clock = true, .at = at_ns };
	enum fl_code code;

	*flush = NULL;
	if (v->rec->status)
		return v->rec->flags & FLUXLOG_F_FUA ? FL_FUA_FAILED : FL_WRITE_FAILED;
	if (!fl_done_by(v->rec, at))
		return FL_WRITE_LATE;
	if (fl_durable_by(v, at))
		return FL_NR_CODES;
	code = why_covered(dev, v, at_ns, message, flush);
	if (code != FL_NOT_COVERED)
		return code;
	*flush = early_flush(dev, v, at);
	return *flush ? FL_FLUSH_EARLY : FL_NOT_COVERED;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_rules: what each kind of record may say (rule R5 of the format).
 *
 * One place for the reader, which refuses what breaks them, and for the builder,
 * which refuses to write it.
 */
#ifndef LOG_RULES_H
#define LOG_RULES_H

#include <string.h>

#include "log_reader.h"

/**
 * struct fl_rule_ctx - what a record is judged against
 * @sup: super of the log
 * @last_tick: largest tick of the records before it, super.start_tick at first
 */
struct fl_rule_ctx {
	const struct fl_super *sup;
	uint64_t last_tick;
};

/* NULL if @sup can be the super of a log, else what is wrong with it, in words
 * written to @why (@n bytes). */
const char *fl_super_broken(const struct fl_super *sup, char *why, size_t n);

/*
 * NULL if @r keeps the rules of its kind, else what is wrong with it, in words
 * written to @why (@n bytes). @inl are its r->inl_len bytes of inline data. Where
 * the payload lies, and whether it is the last of its unit, is not looked at.
 */
const char *fl_rec_broken(const struct fl_rule_ctx *ctx, const struct fl_rec *r,
			  const uint8_t *inl, char *why, size_t n);

/* GAP and END: nothing follows in the unit, or in the log. */
static inline bool fl_kind_ends_log(unsigned int kind)
{
	return kind == FLUXLOG_GAP || kind == FLUXLOG_END;
}

/* WRITE to ZEROES: an issue and a done tick of their own. */
static inline bool fl_kind_is_io(unsigned int kind)
{
	return kind >= FLUXLOG_WRITE && kind <= FLUXLOG_ZEROES;
}

/* Kinds with a range on the device. */
static inline bool fl_kind_has_range(unsigned int kind)
{
	return fl_kind_is_io(kind) && kind != FLUXLOG_FLUSH;
}

/* R6: @n bytes that must be zero. */
static inline bool fl_all_zero(const void *p, size_t n)
{
	const uint8_t *b = p;

	return !n || (!b[0] && !memcmp(b, b + 1, n - 1));
}

#endif

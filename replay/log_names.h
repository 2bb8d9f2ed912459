/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_names: words for flags, and for the reasons of a GAP. The other names are
 * declared in log_reader.h.
 */
#ifndef LOG_NAMES_H
#define LOG_NAMES_H

/* "fua", "preflush", ... for flag 1 << @bit; NULL if there is no such flag. */
const char *fl_flag_name(unsigned int bit);

/* Why recording stopped: "the log device is full", ... */
const char *fl_gap_reason(unsigned int status);

#endif

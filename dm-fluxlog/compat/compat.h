/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat: one face for every kernel that dm-fluxlog is built for.
 *
 * Force-included by Kbuild in front of each file, so that no other file needs a
 * condition on the kernel's version. Written against today's interfaces; what
 * an older kernel lacks is added here. A copy for inside the kernel drops this
 * file and the line in Kbuild.
 */
#ifndef FLUXLOG_COMPAT_H
#define FLUXLOG_COMPAT_H

#include <linux/blk_types.h>

/* 6.11 brought atomic writes; before, no bio carries the flag. */
#ifndef REQ_ATOMIC
#define REQ_ATOMIC	((__force blk_opf_t)0)
#endif

#endif

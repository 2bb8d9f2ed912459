# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: fsync writers on XFS; the log is complete and every promise holds.
# Expected: no findings; every fsync has its promise in the log.
export LAB_FS=xfs
fsync_is_kept

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the same on btrfs.
export LAB_FS=btrfs
requires btrfs
fsync_is_kept

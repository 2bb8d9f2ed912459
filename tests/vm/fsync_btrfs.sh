# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What: the same on btrfs.
export LAB_FS=btrfs
requires btrfs
fsync_is_kept

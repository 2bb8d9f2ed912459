# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the same on ext4.
export LAB_FS=ext4
requires ext4
fsync_is_kept

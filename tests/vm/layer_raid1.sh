# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: md's raid1, through dm-raid, recorded above and on both legs; then one leg
# swallows flushes.
# Expected: by map and by content nothing is found; then the leg that swallows is.
requires xfs
mirrors_keep raid1

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a scenario that leaves a device behind. Expected: not ok, exit status 1.
dmsetup create forgotten --table "0 8 error"

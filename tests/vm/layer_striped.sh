# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-stripe over two legs, recorded above and below.
# Expected: by content nothing is found.
requires xfs
two_legs
layer_create "0 1048576 striped 2 128 /dev/mapper/low1 0 /dev/mapper/low2 0"
layer_use
expect 0 fluxlog check --above /dev/mapper/log3 /dev/mapper/log1 /dev/mapper/log2

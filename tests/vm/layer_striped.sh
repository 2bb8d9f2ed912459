# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-stripe over two legs, recorded above and below.
# Expected: by content nothing is found.
requires xfs
two_legs
layer_create "$(layer_table striped 524288)"
layer_use
expect 0 fluxlog check --above /dev/mapper/log3 /dev/mapper/log1 /dev/mapper/log2

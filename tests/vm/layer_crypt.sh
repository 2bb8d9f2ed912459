# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-crypt, recorded above and below.
# Expected: by map nothing is found; by content it cannot be judged.
requires xfs dm-crypt
key=000102030405060708090a0b0c0d0e0f
log_part 1
flux_create low1 "$DATA2" /dev/mapper/log1
size=$(sectors /dev/mapper/low1)
layer_create "0 $size crypt aes-cbc-plain64 $key 0 /dev/mapper/low1 0"
layer_use
expect 0 fluxlog check --above /dev/mapper/log3 --map "0 $size 1 0" /dev/mapper/log1
expect 2 fluxlog check --above /dev/mapper/log3 /dev/mapper/log1
output_has "the layer changes data"

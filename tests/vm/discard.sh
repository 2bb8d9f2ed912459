# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: discards and write-zeroes, as such.
# Expected: they reach the device below and are records of their own.
null_create disc 64 512
flux_create rec "$NULL" "$LOG"
dd if=/dev/urandom of=/dev/mapper/rec bs=64k count=4 oflag=direct conv=notrunc
expect 0 blkdiscard -o 65536 -l 65536 /dev/mapper/rec
expect 0 xfs_io -c "fzero 131072 65536" /dev/mapper/rec
dm_remove rec
expect 0 fluxlog dump "$LOG"
output_has "^discard .*s=128 n=128"
grep -q -E "^zeroes .*s=256 n=128" "$OUT" || output_has "^write .*s=256 .*data=zero"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a zoned data device.
# Expected: refused with a sentence.
requires null_blk
dir=/sys/kernel/config/nullb/zoned
mkdir $dir
later "rmdir $dir"
echo 64 >$dir/size
echo 1 >$dir/memory_backed
echo 1 >$dir/zoned 2>/dev/null || skip "this null_blk has no zones"
echo 4 >$dir/zone_size
echo 1 >$dir/power
NULL=/dev/nullb$(cat $dir/index)
[ -b "$NULL" ] || NULL=/dev/zoned
dmesg -c >/dev/null
dmsetup create bad --table "$(flux_table "$NULL" "$LOG")" && { dmsetup remove bad; fail "accepted"; }
dmesg | grep fluxlog | grep -i zoned || fail "no sentence about zones"

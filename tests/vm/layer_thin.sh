# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-thin, recorded above and on both devices of its pool; then the data device
# swallows one flush in ten. Blocks lie in the pool in the order in which they were first
# written, so writes are known by what they carry.
# Expected: nothing is found; then the data device is.
requires xfs dm-thin-pool
for swallow in 0 10; do
	two_legs 786432
	# the pool takes metadata that begin with zeros for new
	dd if=/dev/zero of=/dev/mapper/low2 bs=4096 count=1 conv=fsync 2>/dev/null
	dm_create pool "0 786432 thin-pool /dev/mapper/low2 /dev/mapper/low1 128 0"
	dmsetup message pool 0 "create_thin 0" || fail "create_thin 0 refused"
	layer_create "0 786432 thin /dev/mapper/pool 0"
	dmsetup message low1 0 inject flush_swallow $swallow
	layer_use
	check_moved $((swallow > 0)) log1
done

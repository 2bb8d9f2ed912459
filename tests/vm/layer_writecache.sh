# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-writecache, recorded above, on the device that it caches and on its cache; then
# the cache swallows one flush in ten. What is in the cache, and where, is its own affair,
# so writes are known by what they carry.
# Expected: nothing is found; then the cache is. What it writes back later, when the
# writes above have long been done, is not looked at.
requires xfs dm-writecache
for swallow in 0 10; do
	two_legs 786432
	# the cache takes a superblock of zeros for new
	dd if=/dev/zero of=/dev/mapper/low2 bs=4096 count=1 conv=fsync 2>/dev/null
	layer_create "0 786432 writecache s /dev/mapper/low1 /dev/mapper/low2 4096 0"
	dmsetup message low2 0 inject flush_swallow $swallow
	layer_use
	check_moved $((swallow > 0)) log2
done

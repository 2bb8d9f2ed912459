# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-mirror, recorded above and on both legs; then one leg swallows flushes.
# Expected: by map and by content nothing is found; then the leg that swallows is.
requires xfs dm-mirror
for swallow in 0 1; do
	for leg in 1 2; do
		log_part $leg
		dm_create disk$leg "0 786432 linear $DATA $(((leg - 1) * 786432))"
		flux_create low$leg /dev/mapper/disk$leg /dev/mapper/log$leg
	done
	layer_create "0 786432 mirror core 2 1024 nosync 2 /dev/mapper/low1 0 /dev/mapper/low2 0"
	dmsetup message low2 0 inject flush_swallow $swallow
	layer_use
	expect $swallow fluxlog check --above /dev/mapper/log3 --below /dev/mapper/log1 \
		--below /dev/mapper/log2
	expect $swallow fluxlog check --above /dev/mapper/log3 --map "0 786432 1 0" \
		--map "0 786432 2 0" --below /dev/mapper/log1 /dev/mapper/log2
	[ $swallow = 0 ] || output_has "FL204"
	! grep -q "lower log /dev/mapper/log1" "$OUT" || fail "the wrong leg is accused"
	for dev in log1 log2 log3 disk1 disk2; do
		dm_remove $dev
	done
done

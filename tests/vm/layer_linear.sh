# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-linear over two legs, recorded above and below; then the same with one leg
# that swallows one flush in ten.
# Expected: by map and by content, nothing is found; then the swallowed flushes are.
requires xfs
for swallow in 0 10; do
	two_legs
	layer_create "$(layer_table linear 524288)"
	dmsetup message low2 0 inject flush_swallow $swallow
	layer_use
	expect 0 fluxlog info /dev/mapper/log3 /dev/mapper/log1 /dev/mapper/log2
	check_linear_legs $((swallow > 0))
	by_content=0
	fluxlog check --above /dev/mapper/log3 /dev/mapper/log1 /dev/mapper/log2 >/tmp/content ||
		by_content=$?
	cat /tmp/content
	[ "$by_content" = $((swallow > 0)) ] || fail "by content the verdict is $by_content"
	if [ "$swallow" -gt 0 ]; then
		output_has "FL204 .*layer-flush-swallowed"
		! grep -q "lower log /dev/mapper/log1" "$OUT" || fail "the wrong leg is accused"
	fi
	layer_forget
done

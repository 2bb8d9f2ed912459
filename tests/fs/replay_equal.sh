# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Everything that a log holds, applied in order, is what the device held after
# unmounting, byte for byte: with discards, allocations and punched holes as well.
n=0
for log in "$LOGS"/*.flog; do
	expect 0 "$FLUXLOG" replay "$log" image
	cmp image "${log%.flog}.raw" || fail "$log, applied, is not what the device held"
	rm image
	n=$((n + 1))
done
for log in xfs-discard ext4 btrfs; do
	expect 0 "$FLUXLOG" info "$LOGS/$log.flog"
	n_discards=$(sed -n 's/.* \([0-9]*\) discard.*/\1/p' out)
	[ "$n_discards" -gt 10 ] || fail "$log: only $n_discards discards: this shows nothing"
done
say "$n devices"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: XFS on a two-device linear table whose second device fails every flush, 8 fsync
# writers; recorded above and on both legs. device-mapper drops the error of a preflush
# that was sent with data, here that of XFS' journal writes.
# Expected: no flush succeeds above that fails below, so the layer is right; some fsyncs
# return EIO; those that return 0 although their data rest on a failed flush are found
# in the log above, and together with the legs' logs only those whose data lie on the leg
# that fails. With fluxlog-lab --out DIR the logs (legs 1 and 2, above) are the first three
# 512 MiB of DIR/log.img.
requires xfs
two_legs
layer_create "$(layer_table linear 524288)"
mkfs.xfs -q -f -l agnum=0 /dev/mapper/top
LAB_FS=xfs mount_fs /dev/mapper/top /mnt
mkdir /mnt/1 /mnt/2 /mnt/3 /mnt/4
sync
dmsetup message low2 0 inject flush_fail 1
layer_load any
dmsetup message low2 0 inject off
umount /mnt
layer_remove
errors=$(sed -n 's/.* errors \([0-9]*\).*/\1/p' /tmp/load[1-4] | awk '{ n += $1 } END { print n + 0 }')
promises=$(sed -n 's/.* promises \([0-9]*\).*/\1/p' /tmp/load[1-4] | awk '{ n += $1 } END { print n + 0 }')
broken() { sed -n 's/.* kept, \([0-9,]*\) broken.*/\1/p' "$OUT" | tr -d ,; }
expect 0 fluxlog info /dev/mapper/log1 /dev/mapper/log2 /dev/mapper/log3
expect 0 fluxlog dump /dev/mapper/log2
[ "$(grep -c '^flush .*injected.*err=EIO' "$OUT")" -gt 0 ] || fail "no flush of the leg failed"
expect 1 fluxlog check /dev/mapper/log3
output_has "FL005"
above=$(broken)
expect 1 fluxlog check /dev/mapper/log3 /dev/mapper/log1 /dev/mapper/log2
legs=$(broken)
say "fsyncs: $errors returned EIO; $promises returned 0, of them $above over a failed flush, $legs of" \
	"these with data on the leg that fails"
[ "$errors" -gt 0 ] || fail "no fsync returned EIO"
[ "$legs" -lt "$above" ] || fail "data on the leg that does not fail are called lost"
check_linear_legs 0

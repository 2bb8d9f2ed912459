# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: flushes whose ends are delayed at random, under fsync writers on XFS.
# Expected: later flushes overtake earlier ones, each delayed flush says so, and a
# kernel that waits for its flushes keeps every promise all the same.
requires xfs
flux_create rec "$DATA" "$LOG"
mkfs.xfs -q -f /dev/mapper/rec
LAB_FS=xfs mount_fs /dev/mapper/rec /mnt
dmsetup message rec 0 inject seed 7 flush_delay_ms 4 flush_jitter_ms 40
expect 0 fluxlog-load --dir /mnt --threads 8 --ops 30 --promise dm:rec
output_has "promises 240 errors 0"
dmsetup message rec 0 inject off
delayed=$(flux_status rec delayed)
umount /mnt
dm_remove rec
[ "$delayed" -gt 0 ] || fail "the status line counts no delayed flush"
expect 0 fluxlog dump "$LOG"
[ "$(grep -c '^flush .*flags=.*delayed' "$OUT")" = "$delayed" ] ||
	fail "not each of the $delayed delayed flushes is recorded as such"
overtaken=$(flushes_overtaken "$OUT")
say "$overtaken flushes of $delayed delayed ones were overtaken"
[ "$overtaken" -gt 0 ] || fail "no flush was overtaken"
expect 0 fluxlog check "$LOG"
output_has "240 kept"

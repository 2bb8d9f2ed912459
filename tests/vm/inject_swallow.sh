# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: flushes that are called a success and not passed down, under fsync writers.
# Expected: the filesystem notices nothing, the judge does.
requires xfs
flux_create low "$DATA" "$LOG"
flux_create rec /dev/mapper/low "$LOG2"
mkfs.xfs -q -f /dev/mapper/rec
LAB_FS=xfs mount_fs /dev/mapper/rec /mnt
dmsetup message rec 0 mark swallow
dmsetup message low 0 mark swallow
dmsetup message rec 0 inject flush_swallow 1
expect 0 fluxlog-load --dir /mnt --threads 2 --ops 20 --promise dm:rec
dmsetup message low 0 mark end
[ "$(flux_status rec swallowed)" -ge 20 ] || fail "status: $(dmsetup status rec)"
umount /mnt
dm_remove rec
dm_remove low
expect 0 fluxlog dump "$LOG2"
output_has '^flush .*flags=.*injected'
expect 1 fluxlog check "$LOG2"
output_has "FL012"
# and the device below has seen none of them
expect 0 fluxlog dump "$LOG"
sed -n '/^mark.*swallow/,/^mark.*end/p' "$OUT" >/tmp/between
grep -q '^write' /tmp/between || fail "the device below saw no write"
! grep '^flush' /tmp/between || fail "the device below saw a flush"

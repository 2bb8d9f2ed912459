# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: two targets record at once: XFS with its journal on a device of its own.
# Expected: both logs are complete, are judged as a group, and every promise holds.
[ "$LAB_FS" = xfs ] || skip "needs XFS"
flux_create rec "$DATA" "$LOG"
flux_create jour "$DATA2" "$LOG2"
mkfs.xfs -q -f -l logdev=/dev/mapper/jour,size=200m /dev/mapper/rec
mkdir -p /mnt
mount -t xfs -o logdev=/dev/mapper/jour /dev/mapper/rec /mnt
later "fs_gone /mnt"
expect 0 fluxlog-load --dir /mnt --threads 4 --ops 100 --promise dm:rec
umount /mnt
dm_remove rec
dm_remove jour
expect 0 fluxlog info "$LOG" "$LOG2"
expect 0 fluxlog check "$LOG" "$LOG2"
output_has "400"

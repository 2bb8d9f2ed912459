# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the negative control: promises without any sync.
# Expected: check finds broken promises, and explain tells of one.
flux_create rec "$DATA" "$LOG"
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
expect 0 fluxlog-load --dir /mnt --threads 2 --ops 50 --no-sync --promise dm:rec
umount /mnt
dm_remove rec
expect 1 fluxlog check "$LOG"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: everything recorded, applied in order, against the device itself.
# Expected: byte for byte the same.
null_create fresh 400 512
flux_create rec "$NULL" "$LOG"
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
expect 0 fluxlog-load --dir /mnt --threads 4 --ops 100 --promise dm:rec
expect 0 fluxlog-load --dir /mnt --threads 4 --ops 100 --mode overwrite --promise dm:rec
umount /mnt
dm_remove rec
truncate -s 400M /tmp/replayed
later "rm -f /tmp/replayed"
expect 0 fluxlog replay "$LOG" /tmp/replayed
# by its path: busybox's own cmp goes byte by byte
/bin/cmp /tmp/replayed "$NULL" || fail "the log, applied, is not what the device holds"

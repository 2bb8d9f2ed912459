# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a log device of 8 MiB under the workload, on_log_fail error (the default).
# Expected: the workload sees EIO; status and info say overflow; check judges nothing
# beyond it: 2.
dm_create small "0 16384 linear $LOG 0"
flux_create rec "$DATA2" /dev/mapper/small
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
expect 1 fluxlog-load --dir /mnt --threads 4 --ops 2000 --promise dm:rec
output_has "failed sync EIO|failed write EIO"
[ "$(flux_status rec state)" = overflow ] || fail "state is $(flux_status rec state)"
umount /mnt
dm_remove rec
expect 2 fluxlog info /dev/mapper/small
output_has "log device is full"
expect 2 fluxlog check /dev/mapper/small

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the same with on_log_fail stop.
# Expected: the workload sees nothing; the log ends early and says so.
dm_create small "0 16384 linear $LOG 0"
flux_create rec "$DATA2" /dev/mapper/small on_log_fail stop
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
expect 0 fluxlog-load --dir /mnt --threads 4 --ops 1000
[ "$(flux_status rec state)" = overflow ] || fail "state is $(flux_status rec state)"
umount /mnt
dm_remove rec
expect 2 fluxlog info /dev/mapper/small
output_has "log device is full"
expect 2 fluxlog check /dev/mapper/small

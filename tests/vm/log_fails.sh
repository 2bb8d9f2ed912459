# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the log device fails while the workload runs (dm-flakey below it).
# Expected: the workload sees EIO; the state is log_error; the log is no complete one.
requires dm-flakey
dm_create flaky "0 $(sectors "$LOG") flakey $LOG 0 3600 0"
flux_create rec "$DATA2" /dev/mapper/flaky
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
expect 0 fluxlog-load --dir /mnt --threads 2 --ops 50 --promise dm:rec
dm_reload flaky "0 $(sectors "$LOG") flakey $LOG 0 0 3600 1 error_writes"
expect 1 fluxlog-load --dir /mnt --threads 2 --ops 50 --promise dm:rec
[ "$(flux_status rec state)" = log_error ] || fail "state is $(flux_status rec state)"
umount /mnt
dm_remove rec
dm_reload flaky "0 $(sectors "$LOG") flakey $LOG 0 3600 0"
expect 2 fluxlog info /dev/mapper/flaky
expect 2 fluxlog check /dev/mapper/flaky

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the data device begins to fail while fsync writers run on XFS.
# Expected: the workload counts EIO; what was promised before still holds, and what
# failed was not promised: no findings.
requires dm-flakey
[ "$LAB_FS" = xfs ] || skip "written for XFS"
size=$(sectors "$DATA2")
dm_create flaky "0 $size flakey $DATA2 0 3600 0"
flux_create rec /dev/mapper/flaky "$LOG"
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
fluxlog-load --dir /mnt --threads 4 --ops 100000 --promise dm:rec >/tmp/load 2>&1 &
job=$!
sleep 3
dm_reload flaky "0 $size flakey $DATA2 0 0 3600 1 error_writes"
status=0
wait $job || status=$?
cat /tmp/load
[ "$status" = 1 ] || fail "the workload ended with $status instead of 1"
grep -q "^failed .* EIO" /tmp/load || fail "the workload counts no EIO"
promises=$(sed -n 's/^run .* promises \([0-9]*\) .*/\1/p' /tmp/load)
umount /mnt
dm_remove rec
expect 0 fluxlog info "$LOG"
[ "$promises" -gt 0 ] || fail "nothing was promised before the failure"
expect 0 fluxlog check "$LOG"

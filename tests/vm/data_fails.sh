# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the data device fails a write and a flush (dm-flakey below, on a disk with a
# volatile cache: without one the block layer drops flushes before they get there).
# Expected: the layer above gets the error; both are recorded as failed, what came
# before and after is not.
requires dm-flakey
size=$(sectors "$DATA2")
dm_create flaky "0 $size flakey $DATA2 0 3600 0"
flux_create rec /dev/mapper/flaky "$LOG"
expect 0 dd if=/dev/zero of=/dev/mapper/rec bs=4096 count=1 oflag=direct conv=fsync,notrunc
dm_reload flaky "0 $size flakey $DATA2 0 0 3600 1 error_writes"
expect 1 dd if=/dev/zero of=/dev/mapper/rec bs=4096 seek=1 count=1 oflag=direct conv=notrunc
expect 1 xfs_io -c fsync /dev/mapper/rec
dm_reload flaky "0 $size flakey $DATA2 0 3600 0"
expect 0 dd if=/dev/zero of=/dev/mapper/rec bs=4096 seek=2 count=1 oflag=direct conv=fsync,notrunc
dm_remove rec
expect 0 fluxlog info "$LOG"
expect 0 fluxlog dump "$LOG"
output_has "^write s=8 .*err="
output_has "^flush .*err="
[ "$(grep -c err= "$OUT")" = 2 ] || fail "not just the two failures are recorded as failed"

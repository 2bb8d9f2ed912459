# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: suspend and resume, and a table reload with other options, while writers run.
# Expected: one complete log with every promise, no findings.
flux_create rec "$DATA" "$LOG"
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
fluxlog-load --dir /mnt --threads 4 --ops 400 --promise dm:rec >/tmp/load 2>&1 &
job=$!
for limit in 65536 8192 32768; do
	sleep 1
	dmsetup suspend rec
	dmsetup resume rec
	dm_reload rec "$(flux_table "$DATA" "$LOG" mem_limit_kb $limit)"
done
wait $job || fail "the workload failed: $(cat /tmp/load)"
cat /tmp/load
grep -q "promises 1600 errors 0" /tmp/load || fail "not every promise was taken"
dmsetup table rec | grep -q "mem_limit_kb 32768" || fail "the new option does not show"
umount /mnt
dm_remove rec
expect 0 fluxlog info "$LOG"
expect 0 fluxlog check "$LOG"
output_has "1600|1,600"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: 4 jobs of 4 KiB random writes at depth 32 for 20 s, without any flush.
# Expected: memory in use never above the bound, nor missing from the machine; the
# log grows while they run.
LIMIT_KB=16384
command -v fio >/dev/null || skip "no fio in this guest"
available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }
flux_create rec "$DATA2" "$LOG" mem_limit_kb $LIMIT_KB
before=$(available)
fio --name=w --filename=/dev/mapper/rec --direct=1 --ioengine=libaio --rw=randwrite --bs=4k \
	--iodepth=32 --numjobs=4 --time_based --runtime=20 --group_reporting >/tmp/fio 2>&1 &
job=$!
last=$(flux_status rec log_used)
grew=0
lowest=$before
for _ in 1 2 3 4 5 6; do
	sleep 3
	used=$(flux_status rec log_used)
	[ "$used" -le "$last" ] || grew=$((grew + 1))
	last=$used
	now=$(available)
	[ "$now" -ge "$lowest" ] || lowest=$now
done
wait $job || fail "fio failed: $(tail -n 3 /tmp/fio)"
peak=$(flux_status rec mem_max)
echo "log sectors $used, memory at most $peak bytes, MemAvailable $before to $lowest kB"
say "log $((used / 2048)) MiB, recorder's memory at most $((peak / 1024)) KiB of $LIMIT_KB"
[ "$(flux_status rec state)" = recording ] || fail "state is $(flux_status rec state)"
[ "$peak" -le $((LIMIT_KB * 1024)) ] || fail "memory reached $peak bytes, the bound is $LIMIT_KB KiB"
[ "$peak" -gt 0 ] || fail "no memory was ever in use"
[ "$grew" -ge 4 ] || fail "the log grew in $grew of 6 intervals only"
# fio itself takes some 60 MiB
[ $((before - lowest)) -le 163840 ] || fail "the machine lost $((before - lowest)) kB"
dm_remove rec
expect 0 fluxlog info "$LOG"

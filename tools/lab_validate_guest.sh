# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: fsync writers on XFS over fluxlog, whose flushes take their time, with the xfs
# module that is to be validated.
# Expected: that module ran, the log is complete. It is judged outside.
#
# Half of the writers append, which makes each fsync force the journal; the others
# overwrite, whose fsyncs then find the journal forced by somebody else: that is where a
# kernel has to decide whether it needs a flush of its own.
: "${VALIDATE_THREADS:=8}" "${VALIDATE_OPS:=500}" "${VALIDATE_SEED:=1}"
: "${VALIDATE_INJECT:=}" "${VALIDATE_WRITE_MS:=0}" "${VALIDATE_FAULTS:=}"

skipped_counter=/sys/module/xfs/parameters/fsyncs_skipped

skipped() { cat "$skipped_counter" 2>/dev/null || echo -; }

# A disk that is slow to write, so that writes and flushes overlap more.
slow_disk() { # slow_disk -> SLOW
	SLOW=$DATA
	[ "$VALIDATE_WRITE_MS" != 0 ] || return 0
	requires dm-delay
	dm_create slow "0 $(sectors "$DATA") delay $DATA 0 0 $DATA 0 $VALIDATE_WRITE_MS $DATA 0 0"
	SLOW=/dev/mapper/slow
}

writers() { # writers RUN THREADS OPTION...
	run=$1
	threads=$2
	shift 2
	[ "$threads" -gt 0 ] || return 0
	load_beside "$run" --dir /mnt --promise dm:rec --threads "$threads" --ops "$VALIDATE_OPS" \
		--seed "$VALIDATE_SEED" --progress 20 "$@"
}

# With faults calls may fail; else none may, and each load must have come to its end.
loads_ended() {
	for load in /results/load.*; do
		grep -q ' syncs ' "$load" || fail "the workload did not end: $load"
		[ -n "$VALIDATE_FAULTS" ] || grep -q ' errors 0 ' "$load" ||
			fail "the workload had errors: $(head -n 1 "$load")"
	done
}

uptime_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

export LAB_FS=xfs
right_module
slow_disk
flux_create rec "$SLOW" "$LOG"
make_fs /dev/mapper/rec
# Little active journal, so that the crash images recover fast.
echo 100 >/proc/sys/fs/xfs/xfssyncd_centisecs
mount_fs /dev/mapper/rec /mnt
if [ -n "$VALIDATE_INJECT" ]; then
	dmsetup message rec 0 "inject $VALIDATE_INJECT" || fail "refused: inject $VALIDATE_INJECT"
fi

before=$(skipped)
begin=$(uptime_ms)
writers 1 $((VALIDATE_THREADS / 2)) --mode append
writers 2 $((VALIDATE_THREADS - VALIDATE_THREADS / 2)) --mode overwrite --file-blocks 64
wait
spent=$(($(uptime_ms) - begin))
after=$(skipped)
[ "$after" = - ] || after=$((after - before))
[ -z "$VALIDATE_INJECT" ] || dmsetup message rec 0 "inject off" || fail "refused: inject off"
dmsetup status rec
cat /results/load.*
loads_ended
{
	echo "spent_ms $spent"
	echo "skipped $after"
} >/results/validate
# after faults XFS may have shut down; the log tells all the same
umount /mnt || fail "/mnt cannot be unmounted"
dm_remove rec

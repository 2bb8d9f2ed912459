# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-log-writes of this kernel and fluxlog, one above the other, then the reverse.
# Expected: at each mark and at the end both logs replay to the same bytes, and at the
# end these are the device's, also after the logs were converted.
requires null_blk dm-log-writes
null_create both 320 512
later "dm_gone upper; dm_gone lower"

load() { # load MODE
	mkdir -p /mnt
	mount -t "$LAB_FS" /dev/mapper/upper /mnt || fail "cannot be mounted"
	later "fs_gone /mnt"
	expect 0 fluxlog-load --dir /mnt --threads 4 --ops 25 --mode "$1"
	umount /mnt
}

record() { # record UPPER LOWER
	dm_create lower "$(both_table "$2" "$NULL")"
	dm_create upper "$(both_table "$1" /dev/mapper/lower)"
	make_fs /dev/mapper/upper
	load append
	both_mark first-run
	load overwrite
	both_mark second
	dm_remove upper
	dm_remove lower
}

onto() { # onto DEVICE LOG OPTION...: replay from nothing but zeros
	to=$1
	log=$2
	shift 2
	xfs_io -c "fzero 0 320m" "$to" || fail "$to cannot be zeroed"
	expect 0 replay-log --log "$log" --replay "$to" "$@"
}

same() { # same A B WHAT: by its path: busybox's own cmp goes byte by byte
	/bin/cmp -n $((320 << 20)) "$1" "$2" || fail "$3"
}

for order in "fluxlog log-writes" "log-writes fluxlog"; do
	say "$order"
	# shellcheck disable=SC2086 # two words
	record $order
	expect 0 fluxlog info "$LOG" "$LOG2"
	expect 0 fluxlog convert "$LOG" -o /tmp/flux.v1
	expect 0 fluxlog convert "$LOG2" -o /tmp/v1.flog
	later "rm -f /tmp/flux.v1 /tmp/v1.flog"
	for end in first-run dm-log-writes-end; do
		onto "$DATA" "$LOG2" --end-mark "$end"
		onto "$DATA2" "$LOG" --end-mark "$end"
		same "$DATA" "$DATA2" "the logs differ at $end"
		say "$order: the same at $end"
	done
	for log in /tmp/flux.v1 /tmp/v1.flog; do
		onto "$DATA2" "$log"
		same "$DATA" "$DATA2" "$log, converted, differs"
		say "$order: the same in $log"
	done
	same "$DATA" "$NULL" "the replay is not what the device holds"
	expect 2 fluxlog check "$LOG2"
	output_has "CANNOT KNOW"
	rm /tmp/flux.v1 /tmp/v1.flog
done

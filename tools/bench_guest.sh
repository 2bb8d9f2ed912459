# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: dm-linear, dm-log-writes and fluxlog in turn over the same null_blk devices.
# Expected: a line "case target rep seconds" for each run in /results/bench. The
# time is fio's own plus that of the removal, by which both recorders finish
# their log.
requires null_blk dm-log-writes
: "${BENCH_IOS:=20000}" "${BENCH_REPS:=3}"

# null_blk without memory behind it: its own cost is small, what is above it shows.
null_fast() { # null_fast NAME -> NULL
	dir=/sys/kernel/config/nullb/$1
	mkdir "$dir"
	later "rmdir $dir"
	echo 16384 >"$dir/size"
	echo 512 >"$dir/blocksize"
	nproc >"$dir/submit_queues"
	echo 1 >"$dir/power"
	NULL=/dev/$1
	[ -b "$NULL" ] || NULL=/dev/nullb$(cat "$dir/index")
	[ -b "$NULL" ] || fail "null_blk device $1 does not appear"
}

table() { # table TARGET
	case $1 in
	dm-linear) echo "0 $size linear $data 0" ;;
	dm-log-writes) echo "0 $size log-writes $data $log" ;;
	fluxlog) echo "0 $size fluxlog $data $log" ;;
	esac
}

fio_args() { # fio_args CASE
	common="--name=b --filename=/dev/mapper/b --direct=1 --ioengine=libaio --iodepth=32
		--group_reporting --norandommap --randrepeat=1 --size=4g"
	case $1 in
	4k-random) echo "$common --rw=randwrite --bs=4k --numjobs=4 --number_ios=$BENCH_IOS" ;;
	4k-fsync64)
		echo "$common --rw=randwrite --bs=4k --numjobs=4 --fsync=64 --number_ios=$BENCH_IOS" ;;
	128k-seq) echo "$common --rw=write --bs=128k --numjobs=1 --number_ios=$((BENCH_IOS / 4))" ;;
	esac
}

uptime_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

one() { # one CASE TARGET REP
	dm_create b "$(table "$2")"
	# shellcheck disable=SC2046 # a list of words
	fio $(fio_args "$1") >/tmp/fio 2>&1 || fail "fio: $(tail -n 2 /tmp/fio)"
	ran=$(sed -n 's/.*WRITE: .*run=[0-9]*-\([0-9]*\)msec.*/\1/p' /tmp/fio)
	[ "${ran:-0}" -gt 0 ] || fail "fio tells no run time"
	begin=$(uptime_ms)
	dm_remove b
	drain=$(($(uptime_ms) - begin))
	echo "$1 $2 $3 $ran $drain" >>/results/bench
	say "  $1 $2: $ran ms, log complete after $drain ms more"
}

null_fast benchd
data=$NULL
null_fast benchl
log=$NULL
size=$(sectors "$data")
modprobe dm-fluxlog || fail "dm-fluxlog cannot be loaded"
rep=1
while [ "$rep" -le "$BENCH_REPS" ]; do
	say "round $rep of $BENCH_REPS"
	for case in 4k-random 4k-fsync64 128k-seq; do
		for target in dm-linear dm-log-writes fluxlog; do
			one $case $target $rep
		done
	done
	rep=$((rep + 1))
done

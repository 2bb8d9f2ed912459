# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: small workloads on XFS over fluxlog, each between two marks of the log, whose
# writes and flushes are to be counted.
# Expected: the module asked for ran, each workload did all that it should, the log is
# complete. It is counted outside.
#
# Gives /results/cases, a line for each: how it is judged (tools/lab_cost.sh), syncs ("-":
# the promises between its marks), its marks are begin-N and end-N, and its name. A line
# "lacks - NAME" is a workload that this kernel cannot do.
: "${COST_SCENARIOS:=}" "${COST_SCALE:=1}" "${COST_SIZES:=}"

n=0

mark() { dmsetup message rec 0 mark "$1" || fail "mark $1 refused"; }

# A mount of its own, so that nothing that the one before left is still to be written.
fresh_mount() { # fresh_mount OPTIONS
	fs_gone /mnt
	mount -t xfs -o "$1" /dev/mapper/rec /mnt || fail "cannot be mounted with $1"
	case $1 in
	lazytime) grep -q ' /mnt .*[ ,]lazytime' /proc/mounts || fail "lazytime did not take" ;;
	*) ! grep -q ' /mnt .*[ ,]lazytime' /proc/mounts || fail "lazytime is on" ;;
	esac
}

case_done() { # case_done JUDGED SYNCS NAME
	mark "end-$n"
	echo "$1 $2 $3" >>/results/cases
	say "  $3"
}

# fluxlog-load marks the beginning itself, after it has filled its files.
load_case() { # load_case JUDGED NAME OPTION...
	judged=$1
	name=$2
	n=$((n + 1))
	shift 2
	fresh_mount noatime
	got=0
	fluxlog-load --dir /mnt --run "$n" --promise dm:rec --mark "begin-$n" --progress 0 "$@" \
		>"/results/load.$n" || got=$?
	[ "$got" = 0 ] || fail "$name: $(head -n 1 "/results/load.$n") (exit status $got)"
	case_done "$judged" - "$name"
}

# The command of the report that 7.0 was found by; it lays out its file first, which is
# synced once and so writes the journal once.
fio_case() { # fio_case MOUNT NAME OPTION...
	name=$2
	n=$((n + 1))
	fresh_mount "$1"
	shift 2
	sync
	mark "begin-$n"
	fio --name=cost --directory=/mnt --filename="fio.$n" --overwrite 1 \
		--size=$((4096 * 123 * COST_SCALE)) --buffered 0 --bs=4096 --rw=write --fdatasync=1 \
		--output-format=json --output="/results/fio.$n" "$@" || fail "$name: fio failed"
	syncs=$(awk '/"sync" : /{ s = 1 } s && /"N"/{ print $3 + 0; exit }' "/results/fio.$n")
	[ "${syncs:-0}" -ge $((122 * COST_SCALE)) ] || fail "$name: ${syncs:-no} fdatasyncs"
	case_done cheap "$syncs" "$name"
}

appends() { # appends JUDGED: each of them must write the journal
	load_case "$1" "append + fdatasync (control)" --ops $((60 * COST_SCALE)) --sync fdatasync
}

scenario_appends() { appends cheap; }

scenario_fdatasync() {
	command -v fio >/dev/null || fail "there is no fio in this guest"
	for option in lazytime nolazytime; do
		fio_case $option "$option"
		fio_case $option "$option, thinktime 6 ms" --thinktime=6000
	done
	appends control
}

# Timestamps move at each write; nothing else of the inode does.
scenario_timestamps() {
	ops=$((122 * COST_SCALE))
	set -- --mode overwrite --file-blocks 32 --think-ms 6
	load_case cheap "overwrite + fdatasync" --ops $ops --sync fdatasync "$@"
	load_case any "overwrite + fsync" --ops $ops --sync fsync "$@"
	load_case any "one file, fsync beside fdatasync" --ops $((ops / 2)) --sync mixed --threads 2 \
		--files shared "$@"
	appends control
}

scenario_direct() {
	for size in $COST_SIZES; do
		load_case whole "overwrite $size KiB, O_DIRECT + O_DSYNC" --mode overwrite \
			--file-blocks 8 --ops $((8 * COST_SCALE)) --bs $((size * 1024)) --io direct --sync dsync
	done
	for size in $COST_SIZES; do
		load_case whole "append $size KiB, O_DIRECT + O_DSYNC" --mode append \
			--ops $((8 * COST_SCALE)) --bs $((size * 1024)) --io direct --sync dsync
	done
}

kernel_has_dontcache() {
	fluxlog-load --dir /mnt --run 9999 --ops 1 --io dontcache >/tmp/probe && return
	grep -q 'failed write EOPNOTSUPP' /tmp/probe || fail "RWF_DONTCACHE: $(cat /tmp/probe)"
	return 1
}

scenario_dontcache() {
	fresh_mount noatime
	ways="buffered direct dontcache"
	kernel_has_dontcache || {
		ways="buffered direct"
		echo "lacks - dontcache: this kernel has no RWF_DONTCACHE (it came with 6.14)" >>/results/cases
	}
	for mode in overwrite append; do
		for way in $ways; do
			load_case any "$mode 64 KiB + fsync, $way" --mode $mode --file-blocks 32 \
				--ops $((60 * COST_SCALE)) --bs 65536 --io "$way"
		done
	done
}

export LAB_FS=xfs
right_module
: >/results/cases
flux_create rec "$DATA" "$LOG"
make_fs /dev/mapper/rec
mkdir -p /mnt
later "fs_gone /mnt"
for scenario in $COST_SCENARIOS; do
	say "$scenario"
	echo "scenario - $scenario" >>/results/cases
	"scenario_$scenario"
done
umount /mnt
dm_remove rec

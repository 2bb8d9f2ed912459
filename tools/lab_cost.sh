# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_cost: what a sync costs a device, by fluxlog's own log. A table for each subject.
#
# Takes   subjects (lab_subject.sh), scenarios (lab_cost_guest.sh).
# Gives   build/cost/RELEASE/SUBJECT/: the log, what stat says of each workload between
#         its marks; a table. Status 0: nothing found; 1: a workload costs what it should
#         not; 2: could not judge, also if the control did not show what it must.
# Relies  on the guest for proof that the module and the workloads ran.

cost_usage() {
	cat <<-'HELP'
	usage: fluxlog-lab [option]... cost [option]...

	Runs small workloads on XFS over fluxlog and prints for each what reached the device,
	counted in the log: writes, journal writes, FUA, flushes.

	HELP
	subject_usage
	cat <<-'HELP'

	the run
	  --scenario NAME    again for more (all but appends)
	     fdatasync       direct 4 KiB overwrites, each with an fdatasync, by fio; lazytime
	                     and nolazytime, without and with time between the writes
	     timestamps      overwrites that change nothing but timestamps; two threads with
	                     fsync and fdatasync of one file
	     direct          O_DIRECT + O_DSYNC writes of the --sizes
	     dontcache       buffered, O_DIRECT and RWF_DONTCACHE writes with an fsync
	     appends         the negative control: it must be COSTLY, so the status is 1
	  --sizes 'KIB...'   for direct (64 96 112 128 144 160 176 192 208)
	  --scale N          times as many writes (1)

	judged
	  cheap, COSTLY      at most one journal write for ten syncs, or more
	  whole, SPLIT       each write reached the device in one piece, or did not

	exit status: 0 nothing found   1 COSTLY or SPLIT   2 could not judge
	HELP
}

C_SCENARIOS='' C_SCALE=1 C_SIZES='64 96 112 128 144 160 176 192 208'

cost_option() { # cost_option NAME VALUE
	! subject_option "$1" "$2" || return 0
	case $1 in
	--scenario)
		case $2 in
		fdatasync | timestamps | direct | dontcache | appends) ;;
		*) die "--scenario $2: not fdatasync, timestamps, direct, dontcache or appends" ;;
		esac
		C_SCENARIOS="$C_SCENARIOS $2" ;;
	--sizes)
		[ -n "$2" ] || die "--sizes: no size"
		for size in $2; do
			six_digits --sizes "$size"
			case $size/$((size % 4)) in
			0/* | */[123]) die "--sizes $size: not a multiple of 4 KiB" ;;
			esac
		done
		C_SIZES=$2 ;;
	--scale)
		six_digits "$1" "$2"
		[ "$2" -gt 0 ] || die "--scale 0: nothing would be written"
		C_SCALE=$2 ;;
	*) die "cost: $1: unknown option (see fluxlog-lab cost --help)" ;;
	esac
}

record_cost() { # brings the log to S_DIR
	LAB_FIO=1
	record_guest "$LAB_TOP/tools/lab_cost_guest.sh" "COST_SCENARIOS='$C_SCENARIOS'" \
		"COST_SCALE=$C_SCALE" "COST_SIZES='$C_SIZES'"
	take_log "$RUN/log.img" "$S_DIR/log.flog"
	rm -f "$RUN"/*.img
}

C_FORM='  %-38s %6s %6s %6s %8s %5s %8s %5s %8s %5s %9s %9s  %s\n'

cost_head() {
	# shellcheck disable=SC2059 # the form of all rows
	printf "$C_FORM" "" syncs writes data "KiB each" meta journal FUA flushes idle \
		"flush us" skippable judged
}

stat_number() { json_number "$S_DIR/$case.json" "$1"; }

# What the log says against what it should say: sets judged and case_status.
judge_case() { # judge_case HOW SYNCS
	case_status=0
	journal=$(stat_number journal)
	data=$(stat_number data)
	case $1 in
	cheap)
		judged=cheap
		[ $((journal * 10)) -le "$2" ] || { judged=COSTLY case_status=1; } ;;
	control)
		judged="costly, as it must be"
		[ "$journal" -ge "$2" ] || { judged="NO CONTROL: journal writes are missed" case_status=2; } ;;
	whole)
		judged=whole
		[ "$data" = "$2" ] || { judged=SPLIT case_status=1; } ;;
	any) judged=- ;;
	*) die "$S_NAME: case $case: judged as $1?" ;;
	esac
}

row_case() { # row_case HOW SYNCS NAME: 0, 1 or 2
	"$FLUXLOG" stat --from "mark-begin-$case" --to "mark-end-$case" --json "$S_DIR/$case.json" \
		"$S_DIR/log.flog" >"$S_DIR/$case.txt" 2>&1 ||
		die "$S_NAME: $3: $(tail -n 1 "$S_DIR/$case.txt")"
	syncs=$2
	skippable=-
	if [ "$syncs" = - ]; then
		syncs=$(stat_number promises)
		skippable=$(stat_number skippable)
	fi
	[ "${syncs:-0}" -gt 0 ] || die "$S_NAME: $3: no syncs; see $S_DIR/$case.txt"
	judge_case "$1" "$syncs"
	each=$(stat_number data_bytes)
	# shellcheck disable=SC2059 # the form of all rows
	printf "$C_FORM" "$3" "$syncs" "$(stat_number writes)" "$data" \
		"$(awk -v b="$each" -v n="$data" 'BEGIN { printf "%.1f", n ? b / n / 1024 : 0 }')" \
		"$(stat_number meta)" "$journal" "$(stat_number fua)" "$(stat_number flushes)" \
		"$(stat_number idle)" "$(($(stat_number flush_p50_ns) / 1000))" "$skippable" "$judged"
	return "$case_status"
}

# The rows, in the order of the guest's list, in which each case has its number.
cost_rows() { # 0, 1 or 2
	case=0
	rows_status=0
	while read -r how syncs name; do
		case $how in
		scenario) echo "$name"; continue ;;
		lacks) echo "  $name"; continue ;;
		esac
		case=$((case + 1))
		got=0
		row_case "$how" "$syncs" "$name" || got=$?
		[ "$got" -le "$rows_status" ] || rows_status=$got
	done <"$S_DIR/guest/results/cases"
	[ "$case" -gt 0 ] || die "$S_NAME: the guest ran nothing; see $S_DIR/guest"
	return "$rows_status"
}

cost_subject() { # cost_subject KIND=VALUE: in a shell of its own
	subject_begin cost "$1"
	record_cost >&2
	echo "kernel $KREL, xfs: $S_NAME"
	cost_head
	cost_rows
}

cmd_cost() {
	each_option cost "$@"
	C_SCENARIOS=${C_SCENARIOS:-fdatasync timestamps direct dontcache}
	subjects_ready cost
	each_subject cost_subject
	status=$?
	echo "logs and counts: build/cost/$KREL/SUBJECT; a workload's: fluxlog stat --from mark-begin-N --to mark-end-N log.flog"
	exit "$status"
}

# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_validate: does a kernel's fsync keep its promises? One row for each subject.
#
# Takes   subjects: variants of tests/kernel, xfs.ko files, or the kernel as it is.
# Gives   build/validate/SUBJECT/: the log, what check and verify say of it; a table.
#         Status 0: no finding with any; 1: some; 2: one could not be judged.
# Relies  on the guest for proof that the module ran. The log is judged on this machine.

validate_usage() {
	cat <<-'HELP'
	usage: fluxlog-lab [option]... validate [option]...

	Runs fsync writers on XFS over fluxlog, judges every promise at the block level and
	a spread of mounted crash images, and prints a table, a row for each subject.

	HELP
	subject_usage
	cat <<-'HELP'

	the run
	  --threads N        half of them append, the others overwrite (8)
	  --ops N            writes of each, each with its fsync (500)
	  --seed N           for the choice of blocks (1)
	  --flush-ms N       what a flush takes at least (4)
	  --jitter-ms N      and at most that much more, so that flushes overtake (8)
	  --write-ms N       what a write takes more than it does (0)
	  --faults 'WORDS'   faults of flushes: rules for the target's message "inject",
	                     such as 'flush_fail 5'; writers go on after EIO
	  --replays N        crash images to mount, each right after an fsync (528)

	exit status: 0 no findings   1 findings   2 could not judge
	HELP
}

V_THREADS=8 V_OPS=500 V_SEED=1 V_FLUSH_MS=4 V_JITTER_MS=8 V_WRITE_MS=0 V_REPLAYS=528
V_FAULTS=''

validate_option() { # validate_option NAME VALUE
	subject_option "$1" "$2" || case $1 in
	--faults) V_FAULTS=$2 ;;
	--threads | --ops | --seed | --flush-ms | --jitter-ms | --write-ms | --replays)
		six_digits "$1" "$2"
		case $1 in
		--threads) V_THREADS=$2 ;;
		--ops) V_OPS=$2 ;;
		--seed) V_SEED=$2 ;;
		--flush-ms) V_FLUSH_MS=$2 ;;
		--jitter-ms) V_JITTER_MS=$2 ;;
		--write-ms) V_WRITE_MS=$2 ;;
		--replays) V_REPLAYS=$2 ;;
		esac ;;
	*) die "validate: $1: unknown option (see fluxlog-lab validate --help)" ;;
	esac
}

inject_words() {
	echo "seed $V_SEED flush_delay_ms $V_FLUSH_MS flush_jitter_ms $V_JITTER_MS $V_FAULTS"
}

record_subject() { # brings the log to $S_DIR
	record_guest "$LAB_TOP/tools/lab_validate_guest.sh" "VALIDATE_THREADS=$V_THREADS" \
		"VALIDATE_OPS=$V_OPS" "VALIDATE_SEED=$V_SEED" "VALIDATE_WRITE_MS=$V_WRITE_MS" \
		"VALIDATE_FAULTS=${V_FAULTS:+1}" "VALIDATE_INJECT='$(inject_words)'"
	take_log "$RUN/log.img" "$S_DIR/log.flog"
	rm -f "$RUN"/*.img
}

# Cuts at which check says that something promised can be lost, for verify to try.
aimed_cuts() { # at most 100
	sed -n '/^  "findings":/,/^  ]/s/^ *"message": *\([0-9][0-9]*\),\{0,1\}$/tick-\1/p' \
		"$S_DIR/check.json" | uniq | head -n 100 | paste -s -d , -
}

# Evenly spread instants at which an fsync returned: what a promise lacks is lost from
# then on, often only until the next flush, so that flush points would seldom show it.
spread_cuts() {
	awk -v of="$(json_number "$S_DIR/check.json" promises)" -v n="$V_REPLAYS" 'BEGIN {
		n = n < of ? n : of
		for (i = 1; i <= n; i++)
			printf "%spromise-%d", (i > 1 ? "," : ""), int(i * of / n)
	}'
}

walk_subject() { # walk_subject NAME CUTS: its report is NAME.txt; returns 0 or 1
	"$FLUXLOG" verify --cuts "$2" --images durable --json "$S_DIR/$1.json" \
		"$S_DIR/log.flog" >"$S_DIR/$1.txt" 2>&1
	walked=$?
	[ "$walked" -le 1 ] || die "$S_NAME: could not be walked: $(tail -n 1 "$S_DIR/$1.txt")"
	return "$walked"
}

# Both judges: a spread, and what check found. A status of 2 of either ends it.
judge_subject() { # sets V_BROKEN
	V_BROKEN=
	"$FLUXLOG" check --max 0 --json "$S_DIR/check.json" "$S_DIR/log.flog" >"$S_DIR/check.txt" 2>&1
	case $? in
	0) ;;
	1) V_BROKEN=1 ;;
	*) die "$S_NAME: could not be judged: $(tail -n 1 "$S_DIR/check.txt")" ;;
	esac
	walk_subject verify "$(spread_cuts)" || V_BROKEN=1
	aimed=$(aimed_cuts)
	[ -z "$aimed" ] || walk_subject aimed "$aimed" || V_BROKEN=1
}

bad_of() { # bad_of FILE: "BAD of ALL" of a report of verify; nothing if it has none
	sed -n 's/^results  *\([0-9,]*\) good, \([0-9,]*\) bad$/\1 \2/p' "$1" | tr -d , |
		awk '{ print $2 " of " $1 + $2 }'
}

V_FORM='%-20s %7s %6s %8s %8s %9s %8s %9s  %-10s %-12s %s\n'

validate_head() {
	echo "fluxlog-lab validate: kernel $KREL, $V_THREADS writers, $V_OPS writes each, seed $V_SEED;"
	echo "a flush takes $V_FLUSH_MS ms and up to $V_JITTER_MS more, a write $V_WRITE_MS ms more; faults: ${V_FAULTS:-none}"
	# shellcheck disable=SC2059 # the form of all rows
	printf "$V_FORM" xfs fsyncs failed flushes skipped 'at least' fsyncs/s findings lost aimed verdict
}

# "skipped" is what the module counted, "at least" what the log shows: fsyncs without a
# flush for each, whoever sent it. "lost" are crash images of a spread of promises,
# "aimed" those of the instants at which check found a promise broken.
row_subject() {
	fsyncs=$(count syncs "$S_DIR"/guest/results/load.*)
	flushes=$(json_number "$S_DIR/check.json" flushes)
	findings=$(json_number "$S_DIR/check.json" broken)
	lost=$(bad_of "$S_DIR/verify.txt")
	aimed=-
	[ ! -e "$S_DIR/aimed.txt" ] || aimed=$(bad_of "$S_DIR/aimed.txt")
	spent=$(said "$S_DIR/guest/results/validate" spent_ms)
	for figure in "$flushes" "$findings" "$lost" "$aimed" "$spent"; do
		if [ -z "$figure" ] || [ "$fsyncs" -eq 0 ]; then
			die "$S_NAME: no figures; see $S_DIR"
		fi
	done
	least=$((fsyncs - flushes))
	[ "$least" -gt 0 ] || least=0
	verdict=kept
	[ -z "$V_BROKEN" ] || verdict=BROKEN
	# shellcheck disable=SC2059 # the form of all rows
	printf "$V_FORM" "$S_NAME" "$fsyncs" "$(count errors "$S_DIR"/guest/results/load.*)" "$flushes" \
		"$(said "$S_DIR/guest/results/validate" skipped)" "$least" \
		"$((fsyncs * 1000 / (spent + 1)))" "$findings" "$lost" "$aimed" "$verdict"
	[ "$verdict" = kept ]
}

validate_subject() { # validate_subject KIND=VALUE: in a shell of its own
	subject_begin validate "$1"
	record_subject >&2
	judge_subject
	row_subject
}

cmd_validate() {
	each_option validate "$@"
	if [ "$V_THREADS" -lt 2 ] || [ "$V_REPLAYS" -lt 1 ] || [ "$V_OPS" -lt 1 ]; then
		die "validate: needs two threads, one write and one replay at least"
	fi
	inject_safe --faults "$V_FAULTS"
	subjects_ready validate
	validate_head
	each_subject validate_subject
	status=$?
	echo "logs and reports: build/validate/$KREL; a finding's story: fluxlog explain .../log.flog 1"
	exit "$status"
}

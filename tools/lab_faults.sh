# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_faults: which fsyncs return 0 although their data rests on a flush that failed on
# one leg of a layer? One row for each subject.
#
# Takes   subjects (lab_subject.sh), the layer, the leg that fails its flushes.
# Gives   build/faults/RELEASE/SUBJECT/: the logs above (top.flog) and of the legs
#         (leg1.flog, leg2.flog), what check --top says of them; a table.
#         Status 0: no finding with any; 1: some; 2: one could not be judged.
# Relies  on the guest for proof that the module ran. The logs are judged here.

faults_usage() {
	cat <<-'HELP'
	usage: fluxlog-lab [option]... faults [option]...

	Runs fsync writers on XFS over a layer of two legs, of which one fails its flushes,
	recorded above the layer and on both legs; says which fsyncs returned EIO, and of
	those that returned 0, which are right and which rest on a flush that failed, with
	the leg. Prints a table, a row for each subject.

	HELP
	subject_usage
	cat <<-'HELP'

	the run
	  --layer linear|mirror|raid1  what lies over the legs; raid1 is md's, through
	                     dm-raid (linear)
	  --leg 0|1|2        the leg that fails its flushes; 0: none (2)
	  --every N          each Nth of them (1)
	  --threads N        writers, each with a directory of its own (8)
	  --ops N            appends of each, each with its fsync (500)
	  --seed N           for the delays of flushes (1)
	  --flush-ms N       what a flush of a leg takes at least (4)
	  --jitter-ms N      and at most that much more, so that flushes overtake (8)

	exit status: 0 no findings   1 findings   2 could not judge
	HELP
}

F_LAYER=linear F_LEG=2 F_EVERY=1 F_THREADS=8 F_OPS=500 F_SEED=1 F_FLUSH_MS=4 F_JITTER_MS=8

faults_option() { # faults_option NAME VALUE
	! subject_option "$1" "$2" || return 0
	case $1 in
	--layer)
		case $2 in linear | mirror | raid1) ;; *) die "--layer $2: not linear, mirror or raid1" ;; esac
		F_LAYER=$2
		return ;;
	--leg)
		case $2 in 0 | 1 | 2) ;; *) die "--leg $2: not 0, 1 or 2" ;; esac
		F_LEG=$2
		return ;;
	--every | --threads | --ops | --seed | --flush-ms | --jitter-ms) six_digits "$1" "$2" ;;
	*) die "faults: $1: unknown option (see fluxlog-lab faults --help)" ;;
	esac
	case $1 in
	--every) F_EVERY=$2 ;;
	--threads) F_THREADS=$2 ;;
	--ops) F_OPS=$2 ;;
	--seed) F_SEED=$2 ;;
	--flush-ms) F_FLUSH_MS=$2 ;;
	--jitter-ms) F_JITTER_MS=$2 ;;
	esac
}

# Said before a guest is booted for nothing.
layer_at_hand() {
	case $F_LAYER in
	linear) layer_modules='' ;;
	mirror) layer_modules=dm-mirror ;;
	raid1) layer_modules='dm-raid raid1' ;;
	esac
	for module in $layer_modules; do
		modprobe -d "$KROOT" -S "$KREL" --show-depends --ignore-install "$module" \
			>/dev/null 2>&1 ||
			die "kernel $KREL has no module $module, which --layer $F_LAYER needs"
	done
}

record_legs() { # brings the logs to $S_DIR
	LAB_DISKS="leg1=$LAB_LOG_SIZE
leg2=$LAB_LOG_SIZE
top=$LAB_LOG_SIZE${LAB_DISKS:+
$LAB_DISKS}"
	record_guest "$LAB_TOP/tools/lab_faults_guest.sh" "FAULTS_LAYER=$F_LAYER" \
		"FAULTS_THREADS=$F_THREADS" "FAULTS_OPS=$F_OPS" \
		"FAULTS_LEG=$F_LEG" "FAULTS_FAIL='flush_fail $F_EVERY'" \
		"FAULTS_INJECT='seed $F_SEED flush_delay_ms $F_FLUSH_MS flush_jitter_ms $F_JITTER_MS'"
	for log in top leg1 leg2; do
		take_log "$RUN/$log.img" "$S_DIR/$log.flog"
	done
	rm -f "$RUN"/*.img
}

judge_legs() { # 0 or 1
	"$FLUXLOG" check --json "$S_DIR/check.json" --top "$S_DIR/top.flog" "$S_DIR/leg1.flog" \
		"$S_DIR/leg2.flog" >"$S_DIR/check.txt" 2>&1
	judged=$?
	[ "$judged" -le 1 ] || die "$S_NAME: could not be judged: $(tail -n 1 "$S_DIR/check.txt")"
	return "$judged"
}

# Of the log above, leg 1 and leg 2, in this order.
of_log() { # of_log above|1|2 KEY
	case $1 in above) line=1 ;; *) line=$(($1 + 1)) ;; esac
	json_numbers "$S_DIR/check.json" "$2" | sed -n "${line}p"
}

# A run in which other calls failed, or no flush did, is another run than was asked for.
run_is_as_asked() {
	others=$(sed -n '/^failed sync EIO /d; s/^failed //p' "$S_DIR"/guest/results/load.* | head -n 1)
	[ -z "$others" ] || die "$S_NAME: not only fsync failed, but also: $others"
	[ "$F_LEG" = 0 ] || [ "$(of_log "$F_LEG" leg_failed_flushes)" -gt 0 ] ||
		die "$S_NAME: no flush of leg $F_LEG failed; see $S_DIR"
}

F_FORM='%-20s %7s %7s %10s %7s %8s %7s %7s %7s  %s\n'

faults_head() {
	echo "fluxlog-lab faults: kernel $KREL, $F_THREADS writers, $F_OPS fsyncs each, on XFS over $F_LAYER of two legs;"
	case $F_LEG/$F_EVERY in
	0/*) fails="no flush fails" ;;
	*/1) fails="leg $F_LEG fails every flush" ;;
	*) fails="leg $F_LEG fails one flush in $F_EVERY" ;;
	esac
	echo "$fails; a flush takes $F_FLUSH_MS ms and up to $F_JITTER_MS more; seed $F_SEED"
	# shellcheck disable=SC2059 # the form of all rows
	printf "$F_FORM" xfs fsyncs EIO 'returned 0' right 'on failed' 'leg 1' 'leg 2' other verdict
}

# "on failed": returned 0 and rests on a flush that failed; "leg N": the findings by leg;
# "other": findings of another kind.
row_legs() {
	eio=$(count 'failed sync EIO' "$S_DIR"/guest/results/load.*)
	fine=$(count syncs "$S_DIR"/guest/results/load.*)
	right=$(json_number "$S_DIR/check.json" kept)
	broken=$(json_number "$S_DIR/check.json" broken)
	failed=$(json_number "$S_DIR/check.json" on_failed_flush)
	if [ $((eio + fine)) -ne $((F_THREADS * F_OPS)) ] || [ $((right + broken)) -ne "$fine" ]; then
		die "$S_NAME: $eio + $fine fsyncs of $((F_THREADS * F_OPS)), $right + $broken judged; see $S_DIR"
	fi
	verdict=kept
	[ "$broken" = 0 ] || verdict=BROKEN
	# shellcheck disable=SC2059 # the form of all rows
	printf "$F_FORM" "$S_NAME" "$((eio + fine))" "$eio" "$fine" "$right" "$failed" \
		"$(of_log 1 leg_broken)" "$(of_log 2 leg_broken)" "$((broken - failed))" "$verdict"
}

faults_subject() { # faults_subject KIND=VALUE: in a shell of its own
	subject_begin faults "$1"
	record_legs >&2
	judge_legs
	run_is_as_asked
	row_legs
	[ "$verdict" = kept ]
}

cmd_faults() {
	each_option faults "$@"
	if [ "$F_THREADS" -lt 1 ] || [ "$F_OPS" -lt 1 ] || [ "$F_EVERY" -lt 1 ]; then
		die "faults: needs one thread, one write and --every 1 at least"
	fi
	subjects_ready faults
	layer_at_hand
	faults_head
	each_subject faults_subject
	status=$?
	echo "logs and reports: build/faults/$KREL; a finding's story, in SUBJECT there:"
	echo "  fluxlog explain --top top.flog leg1.flog leg2.flog 1"
	exit "$status"
}

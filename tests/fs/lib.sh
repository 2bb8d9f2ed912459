# shellcheck shell=sh disable=SC2034 # variables of the cases
# SPDX-License-Identifier: GPL-2.0
#
# lib: what the cases are written in, beside tests/cli/lib.sh. Sourced before each case,
# which is in an empty folder of its own ($T). $LOGS has the recordings; $TMPDIR is for
# walks alone.

say() { echo "say: $*"; }

skip() {
	echo "SKIP: $*"
	exit 77
}

# What a walk could leave behind, with a few seconds to go: the kernel takes its time.
leftovers() {
	for environ in /proc/[0-9]*/environ; do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		# this shell and its own children know $TMPDIR as well; walks run fluxlog
		if tr '\0' '\n' <"$environ" 2>/dev/null | grep -qxF "TMPDIR=$TMPDIR" &&
		   [ "$(readlink "/proc/$pid/exe")" = "$FLUXLOG" ]; then
			echo "process $pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
		fi
	done 2>/dev/null
	grep -lF "$TMPDIR" /proc/[0-9]*/mountinfo 2>/dev/null
	for loop in $(loops); do
		case $loops_before in *" $loop "*) ;; *) echo "loop device $loop" ;; esac
	done
	ls -A "$TMPDIR"
}

# Loop devices on crash images: wherever they are mounted, cut and variant end the path.
loops() {
	for file in /sys/block/loop*/loop/backing_file; do
		[ ! -e "$file" ] || ! grep -qE '/[^/]*-[^/]*/(durable|all|drop|only|seed)' "$file" ||
			echo "${file#/sys/block/}" | cut -d / -f 1
	done 2>/dev/null
}
loops_before=" $(loops | tr '\n' ' ') "

nothing_left() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left=$(leftovers)
		[ -n "$left" ] || return 0
		sleep 1
	done
	fail "left behind: $left"
}

# finish: called when a case ends well as well as badly
finish() {
	rc=$?
	trap - EXIT
	[ "$rc" != 0 ] || nothing_left || rc=1
	exit "$rc"
}
trap finish EXIT

# good OPTION... LOG...: a walk without findings
good() {
	expect 0 "$FLUXLOG" verify "$@"
	prints "VERDICT: GOOD"
	say "$(sed -n 's/^images  *//p' "$T/out")," "$(sed -n 's/^rate  *//p' "$T/out")"
}

# findings CODE COUNT: what the last walk that printed found of it
findings() {
	n=$(awk -v code="$1" '$1 == code && $2 !~ /:$/ && NF == 3 { gsub(",", "", $3); print $3 }' \
		"$T/out")
	[ "${n:-0}" = "$2" ] || {
		cat "$T/out"
		fail "${n:-0} findings $1, should be $2"
	}
}

# results FILE: without what differs between two runs
results() {
	sed -e 's/"ms":[0-9]*//' "$1" | tail -n +2
}

# same_results A B
same_results() {
	results "$1" >"$T/a"
	results "$2" >"$T/b"
	cmp "$T/a" "$T/b" || fail "$1 and $2 differ: $(diff "$T/a" "$T/b" | head -n 4)"
	[ -s "$T/a" ] || fail "$1 has no results"
}

# ---- planting ---------------------------------------------------------------------
# A log as text with ticks ten times as far apart, so that events can be put between
# them, and without its times and units, which would contradict that.

text_of() { # text_of LOG
	"$FLUXLOG" dump "$1" | awk '$1 != "unit" {
		out = $1
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^(it|dt|at)=/)
				continue
			if ($1 != "super" && $1 != "fluxlog" && $i ~ /^[id]=/) {
				split($i, kv, "=")
				$i = kv[1] "=" kv[2] * 10
			}
			out = out " " $i
		}
		print out
	}'
}

# field NAME: of the record on standard input
field() {
	tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1
}

# nth_promise TEXT N
nth_promise() {
	grep '^promise ' "$1" | sed -n "$2p"
}

# carrier TEXT PROMISE: the write of one block that carries what that promise is about
carrier() {
	stamp="stamp:$(echo "$2" | field run):$(echo "$2" | field file):$(echo "$2" | field start):$(echo "$2" | field gen)\*"
	grep "^write .*=$stamp" "$1" | tail -n 1
}

# planted TEXT LOG
planted() {
	expect 0 "$FLUXLOG" asm "$1" -o "$2"
}

# late TEXT N UNTIL: the text with the write that carries promise N done only right
# before the message of promise UNTIL: no flush before that covers it. Sets $promise and
# $write, the two as they were.
late() {
	promise=$(nth_promise "$1" "$2")
	write=$(carrier "$1" "$promise")
	[ -n "$write" ] || fail "no write of one block carries $promise"
	done_at=$(($(nth_promise "$1" "$3" | field i) - 5))
	awk -v old="$write" -v at="$done_at" '
		$0 == old { sub(/ d=[0-9]+/, " d=" at) }
		{ print }' "$1"
}

# Flush points of a text, by rising tick
flush_points() { # flush_points TEXT
	awk '$1 == "flush" || $1 == "write" && / flags=[a-z,]*fua/ {
		for (i = 2; i <= NF; i++)
			if ($i ~ /^d=/)
				print substr($i, 3)
	}' "$1" | sort -n
}

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# lib: what the cases are written in. Sourced by tests/cli/run before each case,
# which is in an empty folder of its own ($T).

fail() {
	echo "$*"
	exit 1
}

# skip REASON: this machine cannot run the case
skip() {
	echo "$*"
	exit 77
}

# expect CODE COMMAND...: run it; stdout is in $T/out, stderr in $T/err
expect() {
	want=$1
	shift
	got=0
	"$@" >"$T/out" 2>"$T/err" || got=$?
	[ "$got" -eq "$want" ] && return
	head -n 20 "$T/out" "$T/err"
	fail "exit code $got, should be $want: $*"
}

# says WORDS: stderr of the last expect has them; silent: it has nothing
says() {
	grep -qF -- "$1" "$T/err" && return
	cat "$T/err"
	fail "stderr should say \"$1\""
}

silent() {
	[ ! -s "$T/err" ] && return
	cat "$T/err"
	fail "stderr should be empty"
}

# prints WORDS: stdout of the last expect has them
prints() {
	grep -qF -- "$1" "$T/out" && return
	cat "$T/out"
	fail "stdout should have \"$1\""
}

# make_log LOG: from the text on standard input, which lacks only its first line
make_log() {
	{ echo "fluxlog 1"; cat; } >"$1.txt"
	expect 0 "$FLUXLOG" asm "$1.txt" -o "$1"
	silent
}

# small_log LOG: one of everything, in three units at 4096, 6144 and 6656
small_log() {
	make_log "$1" <<-TEXT
	unit
	write s=8 n=3 i=1 d=2 flags=fua data=zero,stamp:1:2:0:3,hex:01
	flush i=3 d=4
	unit
	discard s=1 n=5 i=5 d=6
	zeroes s=1 n=5 i=7 d=8
	mark i=9 text="hello"
	promise i=10 file=2 run=1 len=512 gen=3 path="a/b"
	promise i=11 sector=8 n=1
	unit
	end i=12
	TEXT
}

size_of() {
	wc -c <"$1" | tr -d ' '
}

# byte_at FILE OFFSET: as a decimal number
byte_at() {
	od -An -tu1 -j"$2" -N1 "$1" | tr -d ' '
}

# poke FILE OFFSET BYTE...: overwrite with decimal numbers
poke() {
	file=$1
	at=$2
	shift 2
	for byte; do
		# shellcheck disable=SC2059 # the format is an octal escape
		printf "\\$(printf %03o "$byte")" |
			dd of="$file" bs=1 seek="$at" conv=notrunc status=none
		at=$((at + 1))
	done
}

# each_command LOG CODE WORDS...: info, dump and check of a log that is not whole
# end with CODE and say all the WORDS; check says them in its verdict, too
each_command() {
	log=$1
	code=$2
	shift 2
	for cmd in info dump check; do
		expect "$code" "$FLUXLOG" "$cmd" "$log"
		[ "$cmd" != check ] || cat "$T/out" >>"$T/err"
		for words; do
			says "$words"
		done
	done
}

# shellcheck shell=sh disable=SC2016 # no expansion is what is tested
# SPDX-License-Identifier: GPL-2.0
# What fluxlog-lab validate and tests/kernel/build refuse before they fetch anything.
lab=$BIN/fluxlog-lab
build=$(dirname "$(readlink -f "$lab")")/../tests/kernel/build

expect 0 "$lab" validate --help
grep -q -e "--variant NAME" "$T/out" || fail "help does not name --variant"
silent

refused() { # refused WORDS COMMAND...
	words=$1
	shift
	expect 2 "$@"
	says "$words"
}
refused "--bogus: unknown option" "$lab" validate --bogus 1
refused "--ops: value is missing" "$lab" validate --ops
refused "--ops 1x: not a number" "$lab" validate --ops 1x
refused "--replays 12345678: not a number" "$lab" validate --replays 12345678
refused "needs two threads" "$lab" validate --ops 0
refused "needs two threads" "$lab" validate --threads 1
refused "needs two threads" "$lab" validate --replays 0
refused "no-such.ko: no file" "$lab" validate --xfs-ko no-such.ko
refused "/: no file" "$lab" validate --xfs-ko /
refused "not words of the message inject" "$lab" validate --faults '$(id)'
refused "not words of the message inject" "$lab" validate --faults "1'; id; '"

refused "no variant named" "$build"
refused "no-such: no such variant" "$build" no-such
refused "counters: no such variant" "$build" counters
refused "../build: no such variant" "$build" ../build
refused "--bogus: unknown option" "$build" --bogus

# shellcheck shell=sh disable=SC2016 # no expansion is what is tested
# SPDX-License-Identifier: GPL-2.0
# What fluxlog-lab validate and cost, fluxlog-load and tests/kernel/build refuse before they
# fetch anything.
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

expect 0 "$lab" cost --help
prints "--scenario NAME"
refused "--bogus: unknown option" "$lab" cost --bogus 1
refused "--scenario: value is missing" "$lab" cost --scenario
refused "--scenario all: not fdatasync" "$lab" cost --scenario all
refused "--scale 0: nothing" "$lab" cost --scale 0
refused "--sizes: no size" "$lab" cost --sizes ''
refused "--sizes 0: not a multiple of 4 KiB" "$lab" cost --sizes 0
refused "--sizes 10: not a multiple of 4 KiB" "$lab" cost --sizes 10
refused "--sizes 4;id: not a number" "$lab" cost --sizes '4;id'

load=$BIN/fluxlog-load
refused "--mark: needs --promise dm:NAME" "$load" --dir . --mark begin
refused "--io tape: no such choice" "$load" --dir . --io tape
expect 0 "$load" --dir . --threads 2 --ops 2 --sync mixed --think-ms 1 --promise file:promises
for call in fsync fdatasync; do
	[ "$(grep -c " call=$call " promises)" = 2 ] || fail "not 2 of $call: $(cat promises)"
done

refused "no variant named" "$build"
refused "no-such: no such variant" "$build" no-such
refused "counters: no such variant" "$build" counters
refused "../build: no such variant" "$build" ../build
refused "--bogus: unknown option" "$build" --bogus

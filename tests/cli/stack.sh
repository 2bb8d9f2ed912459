# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Stacks as text, right and wrong: check --top says of each what its "# expect" line
# says, also on which leg; see tests/data/README.
made=0
# verdict: exit code, promises, codes and legs of the findings of the last check, in a line
verdict() {
	awk -v rc="$rc" '
		/^promises / {
			for (i = 2; i <= NF; i++) {
				if ($i ~ /^kept/) kept = $(i - 1)
				if ($i ~ /^broken/) broken = $(i - 1)
			}
		}
		/^  FL[0-9]+ / { codes = codes " " $1 "=" $NF }
		/^  above  *[a-z.]*\.flog/ { codes = codes " leg=0" }
		/^  leg  *[^ ]*\.flog/ { split($2, part, "."); codes = codes " leg=" part[2] }
		END { print "exit=" rc " kept=" kept + 0 " broken=" broken + 0 codes }' out
}

for text in "$DATA"/stack/*.top.txt; do
	name=$(basename "$text" .top.txt)
	rm -f ./*.flog
	for part in "$DATA/stack/$name".*.txt; do
		expect 0 "$FLUXLOG" asm "$part" -o "$(basename "${part#*"/$name."}" .txt).flog"
	done
	for log in [0-9].flog; do
		mv "$log" "leg.$log"
	done
	rc=0
	"$FLUXLOG" check --top top.flog leg.*.flog >out 2>err || rc=$?
	expected=$(sed -n 's/^# expect //p' "$text")
	[ "$(verdict)" = "$expected" ] || {
		cat out err
		fail "$name: verdict is $(verdict), should be $expected"
	}
	made=$((made + 1))
done
[ "$made" -ge 20 ] || fail "only $made verdicts"

stack() { # stack NAME: its logs as top.flog 1.flog 2.flog
	for part in top 1 2; do
		expect 0 "$FLUXLOG" asm "$DATA/stack/$1.$part.txt" -o "$part.flog"
	done
}

# what the table, JSON and the story say of a leg whose flush failed
stack flush-failed-on-leg
expect 1 "$FLUXLOG" check --top top.flog 1.flog 2.flog
prints "promises that rest on a flush that failed or was swallowed: 1"
prints "fluxlog explain --top TOP LOG... NUMBER"
expect 1 "$FLUXLOG" check --json - -t top.flog 1.flog 2.flog
prints '"on_failed_flush":1'
[ "$(grep -c '"leg_broken":1' out)" = 1 ] || fail "not one broken leg"
[ "$(grep -c '"log": *"2.flog"' out)" -ge 2 ] || fail "the finding does not name the leg"
expect 1 "$FLUXLOG" explain --top top.flog 1.flog 2.flog 1
prints "the leg     2.flog"
prints "failed: makes nothing durable"
prints "above the layer: is worth what the layer made of it"
# without --top, the log above counts as a device that keeps what it was given
expect 0 "$FLUXLOG" check top.flog 1.flog 2.flog

stack not-below
expect 1 "$FLUXLOG" explain --top top.flog 1.flog 2.flog 1
prints "nothing below the layer has it"

# what cannot be judged says why
stack two-in-flight
expect 2 "$FLUXLOG" check --top top.flog 1.flog 2.flog
prints "COULD NOT JUDGE 1 promises"
stack sectors
expect 2 "$FLUXLOG" check --top top.flog 1.flog 2.flog
says "a promise of sectors (tick 15)"
stack promised-below
expect 2 "$FLUXLOG" check --top top.flog 1.flog 2.flog
says "1.flog: a promise (tick 15) made below the layer"
expect 2 "$FLUXLOG" check --top top.flog
says "no log below named"
expect 2 "$FLUXLOG" check --top top.flog --above 1.flog 2.flog
says "more than one log above"
expect 2 "$FLUXLOG" check --top top.flog --map "0 8 1 0" 1.flog
says "need --above"
expect 2 "$FLUXLOG" check --rule log-writes --top top.flog 1.flog
says "not for --top"
expect 2 "$FLUXLOG" explain --top top.flog 1
says "a log and the number"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Layers as text, right and wrong: check --above --below says of each what its
# "# expect" lines say, with its "# map" lines and without; see tests/data/README.
made=0
told=0
# judged NAME LINE ARGUMENT...: the exit code and the codes are those of the line
judged() {
	what=$1
	expected=$2
	shift 2
	rc=0
	"$FLUXLOG" check "$@" >out 2>err || rc=$?
	actual="exit=$rc$(awk '/^  FL[0-9]+ / { printf " %s=%s", $1, $NF }' out)"
	[ "$actual" = "$expected" ] || {
		cat out err
		fail "$what: verdict is $actual, should be $expected"
	}
	made=$((made + 1))
	explained "$what" "$expected" "$@"
}

# explained NAME LINE ARGUMENT...: the story of each finding has a code of that line, and
# one past the last is refused
explained() {
	what=$1
	codes=$(echo "$2" | tr ' ' '\n' | sed -n 's/^\(FL[0-9]*\)=.*/\1/p')
	findings=$(echo "$2" | tr ' ' '\n' | sed -n 's/^FL[0-9]*=//p' | awk '{ n += $1 } END { print n + 0 }')
	shift 2
	for n in $(seq "$findings"); do
		expect 1 "$FLUXLOG" explain "$@" "$n"
		code=$(sed -n "s/^finding $n of $findings: \\(FL[0-9]*\\) .*/\\1/p" out)
		echo "$codes" | grep -qx "$code" || fail "$what: finding $n is told as '$code'"
		told=$((told + 1))
	done
	expect 2 "$FLUXLOG" explain "$@" $((findings + 1))
}

for text in "$DATA"/layer/*.above.txt; do
	name=$(basename "$text" .above.txt)
	rm -f ./*.flog
	for part in "$DATA/layer/$name".*.txt; do
		expect 0 "$FLUXLOG" asm "$part" -o "$(basename "$part" .txt).flog"
	done
	map=$(sed -n 's/^# expect map //p' "$text")
	content=$(sed -n 's/^# expect content //p' "$text")
	[ -n "$map$content" ] || fail "$name: no \"# expect\" lines"
	judged "$name by content" "$content" --above "$name.above.flog" ./*.[0-9].flog
	set -- --above "$name.above.flog"
	while read -r words; do
		set -- "$@" --map "$words"
	done <<-MAPS
	$(sed -n 's/^# map //p' "$text")
	MAPS
	judged "$name by map" "$map" "$@" ./*.[0-9].flog
done
[ "$made" -ge 40 ] || fail "only $made verdicts"
[ "$told" -ge 20 ] || fail "only $told stories"

# logs named by --below, as JSON; what makes no sense
for part in above 1 2; do
	expect 0 "$FLUXLOG" asm "$DATA/layer/flush-late.$part.txt" -o "$part.flog"
done
expect 1 "$FLUXLOG" check --json - --above above.flog --below 1.flog --below 2.flog
prints '"FL205"'
prints '"leg_flush"'
expect 1 "$FLUXLOG" check --json all.json --above above.flog --below 1.flog 2.flog
prints "VERDICT: BROKEN"
grep -q '"layer-flush-late"' all.json || fail "no finding in the JSON file"
expect 1 "$FLUXLOG" explain --above above.flog 1.flog 2.flog 1
prints "below       write of device 2, sectors 0 to 3, issued at tick 3, done at tick 5"
prints "done     <- makes the write below durable, too late"
prints "a flush must be done above only when it is done below"
expect 2 "$FLUXLOG" explain --map "0 8 1 0" above.flog 1.flog 1
says "--map needs --above"
expect 2 "$FLUXLOG" explain --top above.flog --above above.flog 1.flog 1
says "more than one log above"
expect 2 "$FLUXLOG" explain --above above.flog --map "0 8 0 0" 1.flog 1
says "should be four numbers"
expect 2 "$FLUXLOG" check --above above.flog
says "no log below named"
expect 2 "$FLUXLOG" check --below 1.flog
says "need --above"
expect 2 "$FLUXLOG" check --above above.flog --above 1.flog 2.flog
says "more than one --above"
expect 2 "$FLUXLOG" check --above above.flog 1.flog 1.flog
says "the same log twice"
for bad in "" "0 8 1" "0 8 1 0 0" "0 0 1 0" "0 8 0 0" "0 8 1 x" "0 18446744073709551615 1 1"; do
	expect 2 "$FLUXLOG" check --above above.flog --map "$bad" 1.flog 2.flog
	says "should be four numbers"
done
expect 2 "$FLUXLOG" check --above above.flog --map "0 16 3 0" 1.flog 2.flog
says "names lower log 3"
expect 2 "$FLUXLOG" check --above above.flog --map "0 16 1 2097150" 1.flog 2.flog
says "goes past the 2097152 sectors"
expect 2 "$FLUXLOG" check --above above.flog --map "0 8 1 100" 1.flog 2.flog
says "sector 8 was written and no --map has it"

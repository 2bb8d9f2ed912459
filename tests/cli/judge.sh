# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# One text of tests/data ($JUDGED): its verdict is what its "# expect" line says; see
# tests/data/README. Its log's text gives the same log.
expected=$(sed -n 's/^# expect //p' "$JUDGED")
base=${JUDGED%.txt}
case $expected in
"")
	fail "no \"# expect\" line" ;;
"group "*)
	expected=${expected#group }
	set -- "${base%.1}".*.txt
	[ $# -ge 2 ] || fail "a group of one log" ;;
*)
	set -- "$JUDGED" ;;
esac

for text; do
	log=$(basename "$text" .txt).flog
	expect 0 "$FLUXLOG" asm "$text" -o "$log"
	"$FLUXLOG" dump "$log" >again.txt 2>dump.err || grep -q 'cut off' dump.err
	expect 0 "$FLUXLOG" asm again.txt -o again
	cmp "$log" again
	rm again
done

rc=0
"$FLUXLOG" check ./*.flog >out 2>err || rc=$?
# "promises  2 judged: 1 kept, 1 broken" and "  FL007  name  1" as one line
actual=$(awk -v rc="$rc" '
	/^promises / {
		for (i = 2; i <= NF; i++) {
			if ($i ~ /^kept/) kept = $(i - 1)
			if ($i ~ /^broken/) broken = $(i - 1)
		}
	}
	/^  FL[0-9]+ / { codes = codes " " $1 "=" $NF }
	END { print "exit=" rc " kept=" kept + 0 " broken=" broken + 0 codes }' out)
sorted() {
	echo "$1" | tr ' ' '\n' | sort | tr '\n' ' '
}
[ "$(sorted "$actual")" = "$(sorted "$expected")" ] || {
	cat out err
	fail "verdict is $actual, should be $expected"
}

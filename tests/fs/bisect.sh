# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A planted fault where one floating write decides, one where two together do, one that
# arrives; and the flush points around them.
text_of "$LOGS/xfs-discard.flog" >text

# one: the write that promise 150 is about is done only before promise 156
promise="" write="" done_at=""
late text 150 156 >one.txt
planted one.txt one.flog
issue=$(echo "$write" | field i)
at=$(echo "$promise" | field i)
good=$(flush_points one.txt | awk -v at="$at" '$1 < at' | wc -l)
expect 1 "$FLUXLOG" verify --cuts promise-155 --images durable one.flog
expect 1 "$FLUXLOG" bisect one.flog promise-155
prints "fails when this is lost:"
[ "$(grep -c 'issued at tick' out)" = 1 ] || fail "not one write: $(cat out)"
prints "issued at tick $issue,"
prints "last good   flush-$good "
prints "first bad   flush-$((good + 1)) "
expect 0 "$FLUXLOG" bisect one.flog promise-149
prints "is good"

# two: another write of the same bytes beside it; either will do
twin=$(echo "$write" | sed -e "s/ i=$issue / i=$((issue + 1)) /" -e "s/ d=[0-9]*/ d=$((done_at + 1))/")
awk -v at=" i=$issue " -v twin="$twin" '
	{ print }
	/^write / && index($0, at) { print twin }' one.txt >two.txt
planted two.txt two.flog
expect 1 "$FLUXLOG" bisect two.flog promise-155
prints "fails when this is lost:"
[ "$(grep -c 'issued at tick' out)" = 2 ] || fail "not two writes: $(cat out)"
prints "issued at tick $issue,"
prints "issued at tick $((issue + 1)),"

# arrival: zeros over the promised block, in flight at the cut
late text 150 150 >/dev/null
awk -v after="$(nth_promise text 150)" -v at="$at" -v s="$(echo "$write" | field s)" '
	{ print }
	$0 == after { print "write s=" s " n=8 i=" at + 1 " d=" at + 2 " data=zero*8" }' text >three.txt
planted three.txt three.flog
expect 1 "$FLUXLOG" bisect three.flog "tick-$((at + 2))"
prints "fails when this arrives:"
[ "$(grep -c 'issued at tick' out)" = 1 ] || fail "not one write: $(cat out)"
prints "issued at tick $((at + 1)),"

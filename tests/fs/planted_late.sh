# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A promised block that is done before the promise, but after every flush that could
# cover it was issued: check names it, and verify finds it at the cuts in between.
text_of "$LOGS/xfs-discard.flog" >text
promise=""
late text 150 150 >planted.txt
planted planted.txt planted.flog
offset=$(echo "$promise" | field start)
name=$(echo "$promise" | field path | tr -d '"')
expect 1 "$FLUXLOG" check planted.flog
grep -qE "flush-early|not-covered" out || fail "not named: $(cat out)"
prints "($name), bytes $offset to $((offset + 4095))"
expect 1 "$FLUXLOG" verify --cuts promise-150 planted.flog
prints "$name, bytes $offset to $((offset + 4095))"
# before the promise, and once a later flush covers the block, all is well
next=$(flush_points planted.txt | awk -v at="$(echo "$promise" | field i)" '$1 > at' | sed -n 12p)
expect 0 "$FLUXLOG" verify --cuts "promise-149,tick-$next,end" --images durable,all planted.flog

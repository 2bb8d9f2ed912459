# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A walk that ends early says what it did not visit.
expect 1 "$FLUXLOG" verify --cuts flush --images durable,all,suspicious --max-findings 3 --jobs 1 "$LOGS/xfs-nosync.flog"
prints "NOT VISITED: "
prints "(enough findings)"
[ "$(sed -n 's/.* good, \([0-9]*\) bad$/\1/p' out)" = 3 ] || fail "not 3 bad images: $(cat out)"
expect 2 "$FLUXLOG" verify --time-limit 1 --json some.json "$LOGS/xfs-4000.flog"
prints "NOT VISITED: "
prints "(time limit)"
! grep -q VERDICT out || fail "a verdict on part of the walk: $(cat out)"
expect 2 "$FLUXLOG" merge some.json
# an interrupt is the same
"$FLUXLOG" verify --journal journal "$LOGS/xfs-4000.flog" >out 2>err &
walk=$!
sleep 2
kill -INT "$walk"
rc=0
wait "$walk" || rc=$?
[ "$rc" = 2 ] || fail "exit code $rc after an interrupt"
prints "(interrupted)"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A walk that is killed at random moments, ten times, and goes on from its journal ends
# like one that was left alone, and leaves nothing behind.
set -- --cuts 200 --images durable,all,seed=1 --fsck "$LOGS/xfs-discard.flog"
expect 0 "$FLUXLOG" verify --json whole.json "$@"
kills=0
while [ "$kills" -lt 10 ]; do
	"$FLUXLOG" verify --jobs 3 --journal journal "$@" >walk.out 2>&1 &
	walk=$!
	sleep "0.$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%03d", 100 + $1 % 400 }')"
	kill -9 "$walk" 2>/dev/null || fail "the walk ended after $kills kills: make it longer"
	wait "$walk" || :
	kills=$((kills + 1))
done
expect 2 "$FLUXLOG" verify --journal journal --cuts 1 "$LOGS/xfs-discard.flog"
says "the journal of another walk"
expect 0 "$FLUXLOG" verify --journal journal --json resumed.json "$@"
prints "images were judged by an earlier run"
say "$(grep 'earlier run' out)"
same_results whole.json resumed.json
# and once it is finished, nothing is mounted any more
expect 0 "$FLUXLOG" verify --journal journal --json again.json "$@"
prints "($(sed -n 's/^images  *\([0-9]*\):.*/\1/p' out) images were judged by an earlier run.)"
same_results whole.json again.json

# what a walk runs dies with it
cat >forever <<-'SH'
	#!/bin/sh
	sleep 1000
	exit 1
SH
chmod +x forever
"$FLUXLOG" verify --cuts 1 --images all --mount-cmd "$T/forever" "$LOGS/xfs-discard.flog" &
walk=$!
sleeping() { # whether a "sleep 1000" of this case lives
	for cmdline in /proc/[0-9]*/cmdline; do
		[ "$(tr '\0' ' ' <"$cmdline")" = "sleep 1000 " ] &&
			tr '\0' '\n' <"${cmdline%cmdline}environ" | grep -qxF "TMPDIR=$TMPDIR" && return
	done 2>/dev/null
	return 1
}
await() { # await COMMAND...: until it is so, for a while
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$@" && return
		sleep 0.5
	done
	fail "never: $*"
}
dead() { ! sleeping; }
await sleeping
kill -9 "$walk"
wait "$walk" || :
await dead
# the next walk sweeps the folders of killed ones
good --cuts 1 --images all "$LOGS/xfs-discard.flog"

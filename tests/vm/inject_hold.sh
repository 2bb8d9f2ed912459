# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the next flush is held until it is released, or the device suspended.
# Expected: its fsync hangs until then and succeeds; a later one overtakes it.
held_is() { # held_is N: wait for it
	for _ in $(seq 100); do
		[ "$(flux_status rec held)" = "$1" ] && return
		sleep 0.1
	done
	fail "$(flux_status rec held) flushes are held instead of $1"
}
held_fsync() { # in the background, as $job
	dmsetup message rec 0 inject flush_hold 1
	dmsetup table rec | grep -q "flush_hold 1" || fail "flush_hold is not in the table"
	xfs_io -c fsync /dev/mapper/rec &
	job=$!
	held_is 1
}
flux_create rec "$DATA" "$LOG"
later "dmsetup message rec 0 inject release 2>/dev/null"
held_fsync
expect 0 xfs_io -c fsync /dev/mapper/rec
kill -0 $job || fail "the fsync whose flush is held has returned"
held_is 1
! dmsetup table rec | grep -q flush_hold || fail "flush_hold is still in the table"
dmsetup message rec 0 inject release
wait $job || fail "the fsync failed after the release"
held_is 0
held_fsync
kill -0 $job || fail "the fsync whose flush is held has returned"
dmsetup suspend rec
wait $job || fail "the fsync failed after the suspend"
dmsetup resume rec
dm_remove rec
expect 0 fluxlog dump "$LOG"
[ "$(grep -c '^flush .*delayed' "$OUT")" = 2 ] || fail "not just the two held flushes are marked"
[ "$(flushes_overtaken "$OUT")" = 1 ] || fail "not just one flush was overtaken"

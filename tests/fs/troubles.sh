# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A fsck that is killed, a mount that fails, a mount that hangs: each its own finding,
# exit 1, and the walk goes on.
log=$LOGS/xfs-extlog.flog
log2=$LOGS/xfs-extlog-j.flog
set -- --cuts 6 --images all "$log" "$log2"

# once COMMAND: a script that does it the first time only; $1 is its argument
once() {
	printf '#!/bin/sh\nif mkdir %s/once 2>/dev/null; then\n%s\nfi\n%s\n' "$T" "$1" "$2" >script
	chmod +x script
	rm -rf once
}
# shellcheck disable=SC2016 # for the script
segv='kill -SEGV $$' mount='mount -t xfs -o nouuid "$1" "$2"'

expect 1 "$FLUXLOG" verify --fsck-cmd "$segv" "$@"
findings FL115 6
prints "fsck-killed: the fsck did not end by itself"
once "$segv" true
expect 1 "$FLUXLOG" verify --fsck-cmd "$T/script; exit \$?" "$@"
findings FL115 1
prints "5 good, 1 bad"
once "echo one; echo two; exit 4" true
expect 1 "$FLUXLOG" verify --fsck-cmd "$T/script" "$@"
findings FL114 1
prints "5 good, 1 bad"
expect 2 "$FLUXLOG" verify --fsck-cmd "no-such-fsck %d" "$@"
prints "COULD NOT JUDGE"

expect 1 "$FLUXLOG" verify --mount-opts no-such-option "$@"
findings FL111 6
once "echo no such luck; exit 32" "$mount"
expect 1 "$FLUXLOG" verify --cuts 6 --images all --mount-cmd "$T/script %d %m" "$LOGS/xfs-discard.flog"
findings FL111 1
prints "no such luck"
prints "5 good, 1 bad"

once "sleep 1000" "$mount"
begin=$(date +%s)
expect 1 "$FLUXLOG" verify --cuts 6 --images all --timeout 3 --mount-cmd "$T/script %d %m" \
	"$LOGS/xfs-discard.flog"
findings FL112 1
prints "5 good, 1 bad"
[ $(($(date +%s) - begin)) -lt 60 ] || fail "the walk waited for the mount that hangs"

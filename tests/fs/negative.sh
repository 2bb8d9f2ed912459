# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The negative control, which never synced: check and verify find broken promises.
expect 1 "$FLUXLOG" check "$LOGS/xfs-nosync.flog"
expect 1 "$FLUXLOG" verify --cuts 10 "$LOGS/xfs-nosync.flog"
prints "VERDICT: BROKEN"
prints "  FL106 missing-file: "
say "$(tail -n 1 out)"
# alone, the images of flush points tell as well
expect 1 "$FLUXLOG" verify --cuts flush --images durable,all "$LOGS/xfs-nosync.flog"

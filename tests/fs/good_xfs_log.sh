# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# XFS with an external log, two logs as a group: nothing is found. Without the second
# log there is nothing to walk.
cuts=25
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts" --images durable,all,seed=1..2 --compare both --fsck \
	"$LOGS/xfs-extlog.flog" "$LOGS/xfs-extlog-j.flog"
expect 2 "$FLUXLOG" verify "$LOGS/xfs-extlog.flog"
says "has an external log that no log of the group recorded"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# ext4 with an external journal, mounted with dioread_lock, two logs as a group: nothing is found. Without the second
# log there is nothing to walk.
cuts=25
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts" --images durable,all,seed=1..2 --compare both --fsck \
	"$LOGS/ext4-extj.flog" "$LOGS/ext4-extj-j.flog"
expect 2 "$FLUXLOG" verify "$LOGS/ext4-extj.flog"
says "has an external log that no log of the group recorded"

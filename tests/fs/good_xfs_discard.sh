# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# XFS with discards, allocations, punched holes and deletions beside the promised files: nothing is found, by either way of comparing and by fsck.
cuts=25
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts,mark" --images durable,all,seed=1..2,suspicious --compare both --fsck "$LOGS/xfs-discard.flog"

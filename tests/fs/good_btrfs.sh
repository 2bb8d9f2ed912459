# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# btrfs, with discards and churn: nothing is found, by either way of comparing and by fsck.
cuts=25
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts,mark" --images durable,all,seed=1..2,suspicious --compare both --fsck "$LOGS/btrfs.flog"

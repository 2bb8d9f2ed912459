# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# ext4, ordered, with discards and churn: nothing is found, by either way of comparing and by fsck.
cuts=25
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts,mark" --images durable,all,seed=1..2,suspicious --compare both --fsck "$LOGS/ext4.flog"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# XFS, 8 writers, 4,000 fsyncs: nothing is found, at any flush point with FS_ALL, else
# at a spread of them.
cuts=300
[ -z "${FS_ALL:-}" ] || cuts=flush
good --cuts "$cuts" --images durable,all "$LOGS/xfs-4000.flog"

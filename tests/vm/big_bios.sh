# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: writes larger than the recorder's memory bound takes many of.
# Expected: writers wait, nothing is lost, memory stays within the bound.
flux_create rec "$DATA2" "$LOG" mem_limit_kb 2048
expect 0 dd if=/dev/zero of=/dev/mapper/rec bs=8M count=16 oflag=direct conv=fsync,notrunc
peak=$(flux_status rec mem_max)
[ "$peak" -le $((2048 * 1024)) ] || fail "memory reached $peak bytes"
dm_remove rec
expect 0 fluxlog info "$LOG"

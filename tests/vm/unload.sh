# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: an empty log, and the module's way out.
# Expected: a target that never saw a write leaves a complete log; the module unloads.
flux_create rec "$DATA" "$LOG"
dm_remove rec
expect 0 fluxlog info "$LOG"
output_has "complete"
rmmod dm-fluxlog || fail "dm-fluxlog cannot be unloaded"

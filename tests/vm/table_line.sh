# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the line that dmsetup table prints, taken back by dmsetup create.
# Expected: the same line again.
flux_create rec "$DATA" "$LOG" mem_limit_kb 8192 on_log_fail stop
dmsetup table rec >/tmp/table
cat /tmp/table
grep -q "mem_limit_kb 8192" /tmp/table || fail "mem_limit_kb is missing"
grep -q "on_log_fail stop" /tmp/table || fail "on_log_fail is missing"
dm_remove rec
dmsetup create rec </tmp/table || fail "its own table line is refused"
[ "$(dmsetup table rec)" = "$(cat /tmp/table)" ] || fail "another line now: $(dmsetup table rec)"
dm_remove rec

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: rules in the table line and by message, well-formed and not.
# Expected: dmsetup table prints what is in force and create takes it back; the log's
# super tells; a refused message changes nothing; "off" ends all rules.
RULES="flush_delay_ms 3 flush_jitter_ms 9 seed 77 flush_hold 2 flush_fail 5@2-90 \
flush_swallow 7 write_fail 8+16"
rules() { dmsetup table rec | sed 's/.*on_log_fail error//;s/^ //'; }
refused() {
	! dmsetup message rec 0 inject "$@" 2>/dev/null || fail "accepted: $*"
}
# shellcheck disable=SC2086 # words
flux_create rec "$DATA" "$LOG" $RULES
[ "$(rules)" = "$RULES" ] || fail "rules are: $(rules)"
dmsetup table rec >/tmp/table
for bad in "" "nonsense 1" "flush_fail" "flush_fail x" "flush_fail 1@" "flush_fail 1@0-3" \
	"flush_fail 1@4-3" "flush_fail 1@1-3x" "flush_delay_ms 60001" "flush_delay_ms -1" \
	"write_fail 5" "write_fail 5+0" "write_fail 1+18446744073709551615" "seed x" "flush_hold -1"; do
	# shellcheck disable=SC2086 # words
	refused $bad
done
[ "$(rules)" = "$RULES" ] || fail "after refused messages the rules are: $(rules)"
dmsetup message rec 0 inject off
[ "$(rules)" = "seed 77" ] || fail "after off the rules are: $(rules)"
dm_remove rec
dmsetup create rec </tmp/table || fail "its own table line is refused"
[ "$(rules)" = "$RULES" ] || fail "now the rules are: $(rules)"
dm_remove rec
expect 0 fluxlog info --json - "$LOG"
output_has "flush_swallow 7 write_fail 8"

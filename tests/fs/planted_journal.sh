# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# XFS's journal writes are gone from some promise on: the data blocks are all there, so
# check is silent; verify finds files that end too early or are missing.
# shellcheck disable=SC2046 # three numbers
set -- $(xfs_db -r -c "sb 0" -c "p logstart logblocks blocksize" "$LOGS/xfs-discard.raw" |
	 sed 's/.*= //')
start=$(xfs_db -r -c "convert fsb $1 daddr" "$LOGS/xfs-discard.raw" | sed 's/.*(\([0-9]*\)).*/\1/')
end=$((start + $2 * $3 / 512))
text_of "$LOGS/xfs-discard.flog" >text
from=$(nth_promise text 40 | field i)
awk -v start="$start" -v end="$end" -v from="$from" '
	$1 == "write" {
		split($2, s, "=")
		split($4, i, "=")
		if (s[2] + 0 >= start && s[2] + 0 < end && i[2] + 0 > from)
			next
	}
	{ print }' text >planted.txt
gone=$(($(wc -l <text) - $(wc -l <planted.txt)))
[ "$gone" -gt 20 ] || fail "only $gone journal writes between sectors $start and $end"
planted planted.txt planted.flog
expect 0 "$FLUXLOG" check planted.flog
expect 0 "$FLUXLOG" verify --cuts promise-40 --images durable planted.flog
expect 1 "$FLUXLOG" verify --cuts promise-60,promise-80 --images durable,all planted.flog
grep -qE '^  FL10[1567] ' out || fail "no file is short, missing or lost: $(cat out)"
say "$gone journal writes gone: $(grep -E '^  FL1[0-9]* .* [0-9,]*$' out | tr -s ' ' | tr '\n' ',')"

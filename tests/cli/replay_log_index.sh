# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The entries of a long log are kept; a stale, torn or foreign index is not believed.
RL=$BIN/replay-log
{
	echo "super data_sectors=1024"
	awk 'BEGIN { for (i = 0; i < 5000; i++) print "flush" }'
	echo 'mark text="one"'
	echo end
} | make_log a.flog
expect 0 "$FLUXLOG" convert a.flog -o a.v1
export REPLAY_LOG_INDEX="$T/index"
finds() { # finds ENTRY LOG OPTION...
	entry=$1
	log=$2
	shift 2
	expect 0 "$RL" --log "$log" --find "$@"
	[ "$(cut -d@ -f1 out)" = "$entry" ] || fail "$log: $(cat out), should be $entry: $*"
}
indices() {
	find index -name '*.index' 2>/dev/null | wc -l
}
# there is none as long as a write might not show in the times of the log
finds 5000 a.v1 --end-mark one
[ "$(indices)" -eq 0 ] || fail "an index of a log that is too young"
tries=0
while [ "$(indices)" -lt 2 ]; do
	tries=$((tries + 1))
	[ "$tries" -le 20 ] || fail "no index"
	sleep 1
	finds 5000 a.v1 --end-mark one
	finds 5000 a.flog --end-mark one
done
finds 5000 a.v1 --end-mark one
finds 5000 a.flog --end-mark one
finds 5001 a.flog --end-mark dm-log-writes-end
expect 0 "$RL" --log a.v1
prints "sectorsize=512, entries=5002"

# it is used: what is changed in it shows (entry 7 becomes a FUA write)
for index in index/*.index; do
	poke "$index" $((160 + 7 * 40 + 32)) 2
done
finds 7 a.v1 --next-fua
finds 7 a.flog --next-fua
# but not with a head that is not whole, or a length that is not right
for index in index/*.index; do
	poke "$index" 150 1
done
expect 1 "$RL" --log a.v1 --find --next-fua

# a log that was written to since: in place, with the same size
mark=$((5001 * 512 + 32))
[ "$(byte_at a.v1 $mark)" = 111 ] || fail "not where the mark is"
poke a.v1 $mark 79
finds 5000 a.v1 --end-mark One
expect 1 "$RL" --log a.v1 --find --end-mark one

# nowhere, and a folder that others can write to
rm -r index
mkdir -m 777 index
finds 5000 a.flog --end-mark one
REPLAY_LOG_INDEX=
finds 5000 a.flog --end-mark one
[ "$(indices)" -eq 0 ] || fail "an index in a folder of others"

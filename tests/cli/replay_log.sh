# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# replay-log: its options and output on both kinds of logs, and what must not pass.
RL=$BIN/replay-log
make_log a.flog <<TEXT
super data_sectors=640000
write s=0 n=8 data=fill:11*8
flush
mark text="mkfs"
write s=8 n=2 flags=fua,meta data=fill:22*2
discard s=100 n=400000
write s=20 n=1 data=fill:33
mark text="a b"
flush
mark text="mkfs"
write s=4 n=8 data=fill:44*8
end
TEXT
expect 0 "$FLUXLOG" convert a.flog -o a.v1
finds() { # finds ENTRY@BLOCK OPTION...
	entry=$1
	shift
	for log in a.v1 a.flog; do
		expect 0 "$RL" --log $log --find "$@"
		silent
		[ "$(cat out)" = "$entry" ] || fail "$log: $(cat out), should be $entry: $*"
	done
}
# blocks: write 1-9, flush 10, mark 11, fua 12-14, mark 15, discard 16, write 17-18, ...
finds 1@11 --next-flush
finds 1@11 --start-entry 1 --next-flush
finds 2@12 --end-mark mkfs
finds 3@15 --next-fua
finds 3@15 --next-fua --next-flush --start-mark mkfs
finds 4@16 --end-mark "a b"
finds 7@20 --next-flush --start-entry 2
finds 8@21 --end-mark mkfs --start-mark "a b"
finds 4@16 --start-entry 3 --limit 2
finds 10@31 --end-mark dm-log-writes-end
for log in a.v1 a.flog; do
	expect 0 "$RL" --log $log --num-entries
	[ "$(cat out)" = 11 ] || fail "$(cat out) entries"
	expect 0 "$RL" --log $log
	[ "$(cat out)" = "Log version=1, sectorsize=512, entries=11" ] || fail "$(cat out)"
	for args in "--next-fua --start-entry 4" "--end-mark mkf" "--end-mark mkfss" "--end-mark a" "--limit 12" ""; do
		# shellcheck disable=SC2086 # options
		expect 1 "$RL" --log $log --find $args
		says "no such entry"
		[ ! -s out ] || fail "printed $(cat out)"
	done
	expect 2 "$RL" --log $log --find --start-mark nowhere
	says 'no mark "nowhere"'
	expect 2 "$RL" --log $log --find --start-entry 12
	says "no entry 12, it has 11"
done
expect 0 "$RL" --log a.v1 --find --next-fua -vv
prints "seek entry 3@13: 8, size 1024, flags 0x12"

new_image() {
	rm -f image
	head -c 600000 /dev/zero | tr '\0' '\377' >image
	truncate -s 327680000 image
}
bytes() { # bytes SECTOR...: the first byte of each
	for sector; do
		printf '%s ' "$(byte_at image $((sector * 512)))"
	done
}
for log in a.v1 a.flog; do
	new_image
	expect 0 "$RL" --log $log --replay image -v
	prints "replaying 0@2: sector 0, size 4096, flags 0x0(NONE)"
	prints "replaying 3@13: sector 8, size 1024, flags 0x12(FUA|METADATA)"
	prints "flags 0x4(DISCARD)"
	# 195 MiB are zeroed, not skipped
	[ "$(bytes 3 4 9 12 20 99 100 1000)" = "17 68 68 255 51 255 0 0 " ] ||
		fail "$log: $(bytes 3 4 9 12 20 99 100 1000)"
	new_image
	expect 0 "$RL" --log $log --replay image --end-mark "a b" --no-discard
	[ "$(bytes 3 4 9 100)" = "17 17 34 255 " ] || fail "$log: $(bytes 3 4 9 100)"
	new_image
	expect 0 "$RL" --log $log --replay image --start-entry 3 --limit 1
	[ "$(bytes 3 8)" = "255 34 " ] || fail "$log: $(bytes 3 8)"
	# the window, for discards too; what lies partly in it is replayed as a whole
	new_image
	expect 0 "$RL" --log $log --replay image --start-sector 9 --end-sector 110 -vv
	prints "skipping 0@2: sector 0"
	[ "$(bytes 3 4 8 99 100 110 111)" = "255 68 68 255 0 0 255 " ] ||
		fail "$log: $(bytes 3 4 8 99 100 110 111)"
	new_image
	cp image before
	expect 2 "$RL" --log $log --replay image --end-mark nowhere
	says 'no mark "nowhere"'
	cmp image before
done

# fsck: when, and what it means
new_image
for when in 1:11 5:2 flush:2 fua:1 discard:1; do
	: >ran
	expect 0 "$RL" --log a.v1 --replay image --check "${when%:*}" --fsck "echo x >>ran"
	[ "$(wc -l <ran)" -eq "${when#*:}" ] || fail "--check $when ran $(wc -l <ran) times"
done
expect 1 "$RL" --log a.v1 --replay image --check flush --fsck "exit 4"
says "fsck ended with 4 at entry 1"
expect 1 "$RL" --log a.v1 --replay image --check fua --fsck "kill -9 \$\$"
says "fsck was killed by signal 9 (Killed) at entry 3"
expect 1 "$RL" --log a.v1 --replay image --check fua --fsck "sh -c 'kill -SEGV \$\$'; exit \$?"
says "fsck was killed by signal 11"
expect 2 "$RL" --log a.v1 --replay image --check fua --fsck "$T/no-such-program"
says "fsck ended with 127"

# a log that ends early has no end to replay to
make_log cut.flog <<TEXT
super data_sectors=64
write s=0 n=1 data=fill:11
flush
TEXT
expect 2 "$RL" --log cut.flog --replay image
says "cut off at offset"
expect 0 "$RL" --log cut.flog --find --next-flush
expect 2 "$RL" --log cut.flog --num-entries

# arguments
one_line() {
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
}
expect 0 "$RL" --help
for option in log replay find num-entries start-entry start-mark end-mark next-flush next-fua \
	limit fsck check no-discard start-sector end-sector; do
	prints "--$option"
done
for args in "" "--find" "--log a.v1 --fsck true" "--log a.v1 --check flush" "--log a.v1 --check 0" \
	"--log a.v1 --limit x" "--log a.v1 --limit -1" "--log a.v1 --nothing" "--log" "--log a.v1 b"; do
	# shellcheck disable=SC2086 # options
	expect 2 "$RL" $args
	one_line
done
expect 2 "$RL" --log nowhere
says "nowhere: No such file"
expect 2 "$RL" --log a.v1 --replay nowhere
says "nowhere: No such file"
expect 2 "$RL" --log a.v1 --replay a.v1
says "a.v1: is the log"
expect 2 "$RL" --log a.v1 --replay /dev/null
says "neither a file nor a block device"

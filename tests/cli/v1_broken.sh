# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Logs of dm-log-writes that are torn, corrupt, empty, or count wrong.
make_log a.flog <<TEXT
super data_sectors=64
write s=0 n=2 data=fill:11*2
flush
mark text="m"
write s=4 n=2 flags=fua data=fill:22*2
end
TEXT
expect 0 "$FLUXLOG" convert a.flog -o good.v1
# blocks: super 0, write 1-3, flush 4, mark 5, fua 6-8, end 9
[ "$(size_of good.v1)" -eq 5120 ] || fail "not the size that this test knows"
expect 0 "$FLUXLOG" info good.v1
prints "complete"

broken() { # broken LOG WORDS...
	log=$1
	each_command "$@"
	expect 2 "$BIN/replay-log" --log "$log" --num-entries
	says "$3"
	head -c 65536 /dev/zero >image
	expect 2 "$BIN/replay-log" --log "$log" --replay image
	says "$3"
	cmp -n 65536 image /dev/zero || fail "replayed something of $log"
}
copy() { # copy NAME OFFSET BYTE...
	cp good.v1 "$1"
	poke "$@"
}
head -c 4000 good.v1 >torn.v1
broken torn.v1 2 "entry 3 of 5 at offset 3072 is torn: the file ends inside its 2 blocks of data, at offset 4000"
head -c 2600 good.v1 >torn.v1
broken torn.v1 2 "entry 2 of 5 at offset 2560 is missing: the file ends at offset 2600"
copy more.v1 16 9
broken more.v1 2 "entry 5 of 9 at offset 5120 is missing"
copy zeros.v1 2064 0
broken zeros.v1 2 "entry 1 of 5 at offset 2048 is missing: no flags and no range"
copy flags.v1 2065 1
broken flags.v1 2 "entry 1 of 5 at offset 2048 is corrupt: flags 0x101"
copy fill.v1 1023 7
broken fill.v1 2 "entry 0 of 5 at offset 512 is corrupt: its block is not filled with zeros"
copy huge.v1 527 127
broken huge.v1 2 "entry 0 of 5 at offset 512 is corrupt: range"
copy wide.v1 519 255
broken wide.v1 2 "entry 0 of 5 at offset 512 is corrupt: range"
copy mark.v1 2585 2
broken mark.v1 2 "entry 2 of 5 at offset 2560 is corrupt: a mark of 513 bytes in a block of 512"

# not even a super
for bytes in "24 0 0" "24 0 1 1" "24 1 2" "26 1" "27 255"; do
	# shellcheck disable=SC2086 # an offset and bytes
	copy super.v1 $bytes
	broken super.v1 2 "super.v1: super at offset 0: blocks of"
done
copy super.v1 8 2
broken super.v1 2 "dm-log-writes version 2, this program reads version 1"
head -c 20 good.v1 >short.v1
broken short.v1 2 "short.v1: ends at offset 20, inside the super"

# fewer counted than there are: those, and no end; whoever needs no end has them
copy fewer.v1 16 2
each_command fewer.v1 2 "the super counts 2 entries, the last of them is not the mark"
expect 0 "$BIN/replay-log" --log fewer.v1 --num-entries
[ "$(cat out)" = 2 ] || fail "not 2 entries"
# what a walk does not reach does not stop it
expect 0 "$BIN/replay-log" --log torn.v1 --find --next-flush
[ "$(cat out)" = 1@5 ] || fail "not 1@5: $(cat out)"

# an empty log has 0 entries
copy empty.v1 16 0
truncate -s 512 empty.v1
expect 0 "$BIN/replay-log" --log empty.v1 --num-entries
[ "$(cat out)" = 0 ] || fail "not 0 entries"
expect 0 "$BIN/replay-log" --log empty.v1
[ "$(cat out)" = "Log version=1, sectorsize=512, entries=0" ] || fail "$(cat out)"
expect 0 "$BIN/replay-log" --log empty.v1 --replay image
expect 1 "$BIN/replay-log" --log empty.v1 --find --next-fua
expect 2 "$BIN/replay-log" --log empty.v1 --find --start-mark m
each_command empty.v1 2 "the super counts 0 entries"

# a mark that v1 may have and a record may not
copy control.v1 2592 7
each_command control.v1 2 "entry 2 at offset 2560 cannot be a record: byte 0x07"

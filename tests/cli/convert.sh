# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# To dm-log-writes' format and back: at each flush point a replay gives the durable image,
# also where flushes overlapped; what v1 has no word for is counted.
make_log a.flog <<TEXT
super data_sectors=512
write s=0 n=8 i=1 d=2 data=fill:11*8
flush i=3 d=12
write s=8 n=8 i=4 d=5 data=fill:22*8
flush i=6 d=7
mark i=8 text="two words"
write s=0 n=16 i=13 d=14 data=fill:33*16
write s=4 n=4 i=15 d=16 flags=fua,meta data=fill:44*4
write s=40 n=4 i=17 d=18 err=EIO data=fill:55*4
zeroes s=12 n=2 i=19 d=20
write s=20 n=1 i=21 d=31 data=fill:66
write s=20 n=2 i=22 d=30 data=fill:77*2
flush i=32 d=33 err=EIO
flush i=34 d=35
promise i=36 sector=0 n=1
write s=511 n=1 i=40 d=41 data=fill:88
write s=60 n=2 i=42 d=43 data=fill:99*2
write s=60 n=2 i=44 d=45 flags=fua data=fill:aa*2
end i=50
TEXT
expect 0 "$FLUXLOG" convert a.flog -o a.v1
silent
prints "1 promises are not in it"
prints "2 writes and flushes failed"
prints "1 writes are not in it: newer data are there"

# a later flush that was done first has what it covers; the FUA write is not undone
points=$("$FLUXLOG" check a.flog | sed -n 's/^walked *\([0-9]*\) flush points.*/\1/p')
[ "$points" -eq 6 ] || fail "$points flush points"
next=0
n=0
while [ "$n" -lt "$points" ]; do
	n=$((n + 1))
	expect 0 "$BIN/replay-log" --log a.v1 --find --next-flush --next-fua --start-entry "$next"
	next=$(($(cut -d@ -f1 out) + 1))
	rm -f v1.img
	truncate -s 262144 v1.img
	expect 0 "$BIN/replay-log" --log a.v1 --replay v1.img --limit "$next"
	expect 0 "$FLUXLOG" replay --to "flush-$n/durable" a.flog flux.img
	cmp v1.img flux.img || fail "flush-$n differs"
done
expect 1 "$BIN/replay-log" --log a.v1 --find --next-flush --next-fua --start-entry "$next"

# seen as entries, the fluxlog log is the same log
expect 0 "$BIN/replay-log" --log a.v1 --find --end-mark dm-log-writes-end -vv
cp out v1.out
expect 0 "$BIN/replay-log" --log a.flog --find --end-mark dm-log-writes-end -vv
cmp out v1.out

# there and back: the same entries, and the same log whichever way it is read
expect 0 "$FLUXLOG" convert a.v1 -o b.flog --data-sectors 512
prints "no verdict is passed on"
expect 0 "$FLUXLOG" convert b.flog -o b.v1
cmp a.v1 b.v1
expect 0 "$FLUXLOG" convert a.v1 -o c.flog
"$FLUXLOG" dump a.v1 | "$FLUXLOG" asm - -o d.flog
cmp c.flog d.flog
for cut in flush-1 flush-3 end; do
	expect 0 "$FLUXLOG" replay --to $cut/durable a.v1 direct.img
	expect 0 "$FLUXLOG" replay --to $cut/durable b.flog imported.img
	cmp direct.img imported.img
done
expect 1 "$FLUXLOG" diff a.v1 start end/all
prints "8 extents, 19 sectors differ"

# what is not to be had
expect 2 "$FLUXLOG" convert a.v1 -o e.flog --data-sectors 100
says "behind --data-sectors 100"
[ ! -e e.flog ] || fail "half a log was left"
expect 2 "$FLUXLOG" convert a.flog -o e.v1 --data-sectors 512
says "tells the size of its device"
make_log odd.flog <<TEXT
super data_block=4096 data_sectors=512
write s=1 n=8 data=zero*8
end
TEXT
expect 2 "$FLUXLOG" convert odd.flog -o e.v1
says "is not in whole blocks of 4096 bytes"
make_log long.flog <<TEXT
mark text="$(printf '%0500d' 0)"
end
TEXT
expect 2 "$FLUXLOG" convert long.flog -o e.v1
says "has 500 bytes, a block of 512 has room for 480"
make_log cut.flog <<TEXT
super data_sectors=64
write s=0 n=1 data=fill:11
flush
TEXT
expect 2 "$FLUXLOG" convert cut.flog -o cut.v1
says "cut.flog: cut off"
expect 0 "$BIN/replay-log" --log cut.v1 --num-entries
prints 2
expect 2 "$FLUXLOG" check cut.v1
prints "the last of them is not the mark dm-log-writes-end"

# no verdict, neither good nor bad, on what was imported
"$FLUXLOG" dump c.flog | sed '/^end/d' >kept.txt
echo 'promise i=1000 sector=300 n=1 at=0' >>kept.txt
echo 'end i=1001 it=0' >>kept.txt
expect 0 "$FLUXLOG" asm kept.txt -o kept.flog
expect 2 "$FLUXLOG" check --json j kept.flog
prints "CANNOT KNOW"
prints "1 NOT JUDGED"
grep -q '"exit": *2' j
sed 's/ args="[^"]*"//' kept.txt >judged.txt
expect 0 "$FLUXLOG" asm judged.txt -o judged.flog
"$FLUXLOG" check judged.flog >out 2>&1 || true
grep -q VERDICT out || fail "without its arguments it should be judged"

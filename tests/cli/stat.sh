# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What flushes cost: counts that can be counted by hand. F1 (3 to 12) covers A, but F2
# (6 to 7) was issued later and done first, so F1 makes nothing new durable. The fsync of
# A returns after F3 (8 to 9), before whose issue A was durable: it could have gone without
# a flush. The fsync of B needed F4. The write at sector 64 is the journal's.
cat >log.txt <<'END'
fluxlog 1
write s=0 n=8 i=1 d=2 data=stamp:1:1:0:1*8
flush i=3 d=12
write s=64 n=1 i=4 d=5 flags=fua data=hex:feedbabe,fill:00*0
flush i=6 d=7
flush i=8 d=9
promise i=10 call=fsync run=1 file=1 start=0 len=4096 gen=1
write s=8 n=8 i=13 d=14 data=stamp:1:2:0:1*8
flush i=15 d=16
promise i=17 call=fsync run=1 file=2 start=0 len=4096 gen=1
flush i=18 d=19 err=EIO
end i=20
END
sed -i "s/data=hex:feedbabe,fill:00\*0/data=hex:feedbabe$(printf '%01016d' 0)/" log.txt
expect 0 "$FLUXLOG" asm log.txt -o log
expect 0 "$FLUXLOG" stat log --json out.json
line() { # line TEXT VALUE
	grep -E "^ *$1  +$2\$" out >/dev/null || fail "$1 is not $2: $(grep "$1" out)"
}
line "promises of syncs" 2
line writes 3
line bytes '8,704'
line "of them FUA" 1
line "of them to a journal" 1
line flushes 5
line "that failed" 1
line "that made nothing new durable" 2
line "that overtook an earlier one" 2
line "most in flight together" 2
line "flushes for each promise" '2\.500'
line 'syncs that needed no flush of their own \(about\)' '1 \(50\.0%\)'
grep -q '"skippable":1' out.json || grep -q '"skippable": *1' out.json || fail "JSON: $(cat out.json)"
expect 0 "$FLUXLOG" stat log --compare log
grep -E '^flushes +5 +5$' out >/dev/null || fail "no second column"
sed '/^end/d' log.txt >cut.txt
expect 0 "$FLUXLOG" asm cut.txt -o cut
expect 2 "$FLUXLOG" stat cut
grep -q 'cut off' err || fail "a log that ends early was not told: $(cat err)"

# What is counted between two cuts: the second fsync alone.
expect 0 "$FLUXLOG" stat --from promise-1 --to promise-2 log
line "promises of syncs" 1
line writes 1
line flushes 1
line "bytes written for each promise" '4096\.000'
expect 0 "$FLUXLOG" stat --from promise-2 log
line flushes 1
line "that failed" 1
line "bytes written for each promise" -
expect 2 "$FLUXLOG" stat --from promise-2 --to promise-1 log
says 'cut "promise-2" is not before cut "promise-1"'
expect 2 "$FLUXLOG" stat --to mark-none log
says 'no cut "mark-none"'

# Journals: of XFS from the superblock (block size 4096, AGs of 16 blocks, log at block 2
# of AG 1 with 4 blocks: sectors 144 to 175), so that the second part of a record counts;
# zeroes there are mkfs. Without the superblock only the magic is known.
zeros() { # zeros BYTES: in hexadecimal
	printf "%0$((2 * $1))d" 0
}
sb="58465342 00001000 $(zeros 40) 0000000000000012 $(zeros 28) 00000010 $(zeros 8) 00000004"
sb="$sb $(zeros 24) 04 $(zeros 387)"
journal_writes() {
	cat <<-END
	write s=144 n=2 i=3 d=4 data=zero*2
	write s=144 n=1 i=5 d=6 flags=fua,meta data=hex:feedbabe$(zeros 508)
	write s=175 n=1 i=7 d=8 flags=meta data=hex:00000001$(zeros 508)
	write s=176 n=1 i=9 d=10 flags=meta data=hex:00000001$(zeros 508)
	write s=143 n=1 i=11 d=12 data=hex:00000001$(zeros 508)
	end i=13
	END
}
{
	echo "fluxlog 1"
	echo "write s=0 n=1 i=1 d=2 flags=meta data=hex:$(echo "$sb" | tr -d ' ')"
	journal_writes
} >xfs.txt
expect 0 "$FLUXLOG" asm xfs.txt -o xfs
expect 0 "$FLUXLOG" stat --json xfs.json xfs
line "of them to a journal" 2
line "bytes of these" '1,024'
line "of them other metadata \(flag META\)" 2
line "of them the rest, data" 2
grep -q '"journal": *2' xfs.json || fail "JSON: $(cat xfs.json)"
grep -v '^write s=0 ' xfs.txt >magic.txt
expect 0 "$FLUXLOG" asm magic.txt -o magic
expect 0 "$FLUXLOG" stat magic
line "of them to a journal" 1

# ext4: blocks of 1024, journal inode 8, one extent of 2 blocks from block 80 on; the
# superblock is at sector 2.
ext4="$(zeros 56)53ef$(zeros 166)08000000$(zeros 40)"
ext4="$ext4 0af30100040000 0000000000 00000000 0200 0000 50000000 $(zeros 220)"
ext4=$(echo "$ext4" | tr -d ' ')
[ ${#ext4} = 1024 ] || fail "the superblock has $((${#ext4} / 2)) bytes"
{
	echo "fluxlog 1"
	echo "write s=0 n=3 i=1 d=2 data=zero*2,hex:$ext4"
	echo "write s=160 n=2 i=3 d=4 data=hex:c03b3998$(zeros 508),zero"
	echo "write s=162 n=2 i=5 d=6 data=zero,hex:01$(zeros 511)"
	echo "write s=164 n=2 i=7 d=8 data=zero,hex:01$(zeros 511)"
	echo "end i=9"
} >ext4.txt
expect 0 "$FLUXLOG" asm ext4.txt -o ext4
expect 0 "$FLUXLOG" stat ext4
line "of them to a journal" 2

# Two logs of one group: a column for each.
legs="$DATA/g-flush-on-both-devices"
for n in 1 2; do
	expect 0 "$FLUXLOG" asm "$legs.$n.txt" -o "leg$n"
done
expect 0 "$FLUXLOG" stat leg1 leg2
grep -E '^ +all +leg1 +leg2$' out >/dev/null || fail "no names of columns: $(head -n 1 out)"
grep -E '^flushes +([0-9]+) +([0-9]+) +([0-9]+)$' out | {
	read -r _ all one two
	[ "$all" -eq $((one + two)) ] && [ "$one" -gt 0 ] && [ "$two" -gt 0 ]
} || fail "flushes of the legs do not add up"

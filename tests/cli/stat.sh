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

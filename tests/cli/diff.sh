# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# diff goes by bytes, names the records, and asks xfs_db what an extent belongs to.
make_log a.flog <<TEXT
super data_sectors=614400
write s=0 n=8 data=fill:11*8
flush
write s=4 n=2 data=fill:11*2
write s=6 n=4 data=fill:22*4
write s=500 n=1 err=EIO data=fill:33
end
TEXT
expect 0 "$FLUXLOG" diff a.flog flush-1/durable flush-1/all
silent
prints "the same: 614400 sectors"
expect 1 "$FLUXLOG" diff a.flog end/durable end/all
silent
tr -s ' ' <out >flat
grep -q '^ 6 2 write 1 write 7, floating$' flat || fail "$(cat flat)"
grep -q '^ 8 2 base write 7, floating$' flat || fail "$(cat flat)"
grep -q '^ 500 1 base write 9, failed, floating$' flat || fail "$(cat flat)"
grep -q '^3 extents, 5 sectors differ$' flat || fail "$(cat flat)"
expect 1 "$FLUXLOG" diff a.flog start end/durable
tr -s ' ' <out | grep -q '^ 0 8 base write 1$' || fail "$(cat out)"
expect 2 "$FLUXLOG" diff a.flog start end/some
says 'no variant "some"'
expect 2 "$FLUXLOG" diff a.flog start nowhere
says 'no cut "nowhere"'
expect 2 "$FLUXLOG" diff --fs ext9 a.flog start end
says "--fs ext9: only xfs"
make_log b.flog <<TEXT
super dev=1 data_sectors=100
end i=100
TEXT
expect 2 "$FLUXLOG" diff a.flog b.flog end/all.dev0 end/all.dev1
says "devices of 614400 and 100 sectors cannot be compared"

[ "$(id -u)" = 0 ] || skip "not root, so without --fs xfs"
[ -w /dev/fuse ] || skip "no /dev/fuse, so without --fs xfs"
command -v mkfs.xfs >/dev/null || skip "no xfsprogs, so without --fs xfs"
expect 2 "$FLUXLOG" diff --fs xfs a.flog start end/all
says "xfs_db finds no XFS in it"
head -c 8192 /dev/urandom >data
printf '/\n0 0\nd--755 0 0\none ---644 0 0 data\n$\n' >proto
truncate -s 300M xfs
mkfs.xfs -q -p proto xfs
# where the file and the log are, in sectors
place() {
	xfs_db -r -c 'sb 0' -c "convert fsblock $1 daddr" xfs | sed -n 's/.*(\([0-9]*\)).*/\1/p'
}
file=$(xfs_db -r -c 'path /one' -c bmap xfs | sed -n 's/.* startblock \([0-9]*\) .*/\1/p')
log=$(xfs_db -r -c 'sb 0' -c 'p logstart' xfs | sed -n 's/logstart = //p')
file=$(place "$file")
log=$(place "$log")
make_log c.flog <<TEXT
super data_sectors=614400
write s=3 n=2 data=fill:44*2
write s=$((file + 2)) n=10 data=fill:11*10
write s=$log n=1 data=fill:22
write s=614399 n=1 data=fill:33
end
TEXT
mkdir tmp
export TMPDIR="$T/tmp"
expect 1 "$FLUXLOG" diff --fs xfs --base xfs c.flog start end/all
silent
tr -s ' ' <out >flat
tail -n +2 >want <<TEXT

 3 2 base write 1, floating
 1 AGFL
 1 behind the AG headers
 $((file + 2)) 10 base write 3, floating
 10 file data, inode 131, one
 $log 1 base write 5, floating
 1 XFS log
 614399 1 base write 7, floating
 1 free
4 extents, 14 sectors differ
TEXT
tail -n +2 flat | diff want - || fail "owners differ"
[ -z "$(ls tmp)" ] || fail "a folder is left"

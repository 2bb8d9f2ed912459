# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# replay onto a block device: nothing of what was on it is left, nor behind the image's
# end; one that is in use, or that holds the log, is refused.
[ "$(id -u)" = 0 ] || skip "not root"
losetup -f >/dev/null 2>&1 || skip "no loop devices"
loops=
cleanup() {
	umount mnt 2>/dev/null || true
	for loop in $loops; do
		losetup -d "$loop" || true
	done
}
trap cleanup EXIT
trap 'exit 2' HUP INT TERM
attach() { # attach FILE [OPTION...]: $loop
	file=$1
	shift
	loop=$(losetup -f --show "$@" "$file")
	loops="$loops $loop"
}
make_log a.flog <<TEXT
super data_sectors=2048
write s=1 n=3 data=fill:11*3
write s=100 n=1 data=fill:22
flush
discard s=100 n=1
zeroes s=300 n=700
write s=1999 n=1 data=fill:33
end
TEXT
for block in 512 4096; do
	head -c 3145728 /dev/urandom >disk
	attach disk -b $block
	for to in end/all end/durable; do
		expect 0 "$FLUXLOG" replay --to $to a.flog image
		expect 0 "$FLUXLOG" replay --to $to a.flog "$loop"
		silent
		cmp -n 1048576 image "$loop"
		cmp -n 2097152 -i 1048576:0 "$loop" /dev/zero
		sync -f disk
		cmp -n 1048576 image disk
	done
done

truncate -s 1048064 small
attach small
expect 2 "$FLUXLOG" replay a.flog "$loop"
says "1048064 bytes, the recorded device had 1048576"

cp a.flog disk2
truncate -s 2M disk2
attach disk2
expect 2 "$FLUXLOG" replay "$loop" "$loop"
says "$loop: is the log $loop"
cmp -n "$(size_of a.flog)" a.flog disk2

mkdir mnt
truncate -s 8M disk3
mkfs.ext4 -q disk3 2>/dev/null || skip "no mkfs.ext4"
attach disk3
mount "$loop" mnt || skip "no ext4 in this kernel"
expect 2 "$FLUXLOG" replay a.flog "$loop"
says "$loop: is mounted or otherwise in use"
umount mnt

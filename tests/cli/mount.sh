# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Every cut is a file for every tool: real filesystems, recorded in two steps, are
# mounted, checked, written to and converted at either. What was written is gone with
# the last user.
[ "$(id -u)" = 0 ] || skip "not root"
[ -w /dev/fuse ] || skip "no /dev/fuse"
[ -e /dev/loop-control ] || skip "no loop devices"
mkdir cuts mnt
cleanup() {
	umount mnt 2>/dev/null || true
	umount cuts 2>/dev/null || true
}
trap cleanup EXIT
trap 'exit 2' HUP INT TERM

# with_loop IMAGE OPTIONS COMMAND...: mounted on mnt while the command runs
with_loop() {
	timeout 60 mount -o "loop,$2" "$1" mnt
	shift 2
	rc=0
	"$@" || rc=$?
	umount mnt
	return $rc
}

# The sectors of image $2 that differ from image $1, as writes.
changes() {
	cmp -l "$1" "$2" | awk '{ print int(($1 - 1) / 512) }' | uniq >changed
	{ cmp -l zeros "$2" || true; } | awk '
		BEGIN {
			now = -1
			while ((getline s <"changed") > 0)
				want[s] = 1
		}
		function hex(octal, n, i) {
			for (i = 1; i <= length(octal); i++)
				n = n * 8 + substr(octal, i, 1)
			return sprintf("%02x", n)
		}
		function put() {
			if (now in want) {
				print "write s=" now " data=hex:" line
				delete want[now]
			}
		}
		{
			s = int(($1 - 1) / 512)
			if (s != now) {
				put()
				now = s
				line = ""
			}
			for (i = length(line) / 2; i < ($1 - 1) % 512; i++)
				line = line "00"
			line = line hex($3)
		}
		END {
			put()
			for (s in want)
				print "write s=" s " data=zero"
		}'
}

fill_one() { # a file that all images have
	mkdir mnt/d
	head -c 100000 /dev/urandom >mnt/d/one
	cp mnt/d/one one
}
fill_two() { echo two >mnt/two; }
has_one() { cmp one mnt/d/one && [ ! -e mnt/two ]; }
has_both() { cmp one mnt/d/one && [ -e mnt/two ]; }
spoil() { rm mnt/d/one && echo spoiled >mnt/new && sync -f mnt && [ ! -e mnt/d/one ]; }

# record FS SIZE MKFS...: images first and second, and a log of how they came about
record() {
	fs=$1
	rm -f zeros first second
	truncate -s "$2" zeros first
	shift 2
	"$@" first >mkfs.out 2>&1
	with_loop first noatime fill_one
	cp --sparse=always first second
	with_loop second noatime fill_two
	{
		echo "super data_sectors=$(($(size_of first) / 512))"
		changes zeros first
		echo "flush"
		echo "mark text=\"first\""
		changes first second
		echo "flush"
		echo "end"
	} | make_log "$fs.flog"
}

# check_images CHECK...: the command finds nothing wrong with either image
check_images() {
	cmp first cuts/mark-first/durable
	cmp second cuts/end/durable
	cmp second cuts/end/all
	with_loop cuts/mark-first/durable noatime has_one
	with_loop cuts/end/durable noatime has_both
	with_loop cuts/end/all noatime spoil
	cmp second cuts/end/all
	for image in cuts/mark-first/durable cuts/end/all; do
		timeout 60 "$@" "$image" >tool.out 2>&1 || {
			cat tool.out
			fail "$*: $image"
		}
	done
}

for fs in xfs ext4 btrfs; do
	grep -q "	$fs\$" /proc/filesystems || {
		echo "no $fs in this kernel"
		continue
	}
	case $fs in
	xfs) record xfs 300M mkfs.xfs -q ;;
	ext4) record ext4 16M mkfs.ext4 -q ;;
	btrfs) record btrfs 114294784 mkfs.btrfs -q ;;
	esac
	expect 0 timeout 60 "$FLUXLOG" mount "$fs.flog" cuts
	silent
	case $fs in
	xfs)
		check_images xfs_repair -n -f
		timeout 60 xfs_logprint -t cuts/end/all >tool.out
		timeout 60 xfs_db -r -c 'sb 0' -c 'p magicnum' cuts/end/all >tool.out
		grep -q 'magicnum = 0x58465342' tool.out
		;;
	ext4) check_images e2fsck -fn ;;
	btrfs) check_images btrfs check --readonly ;;
	esac
	if command -v qemu-img >/dev/null; then
		timeout 60 qemu-img convert -O raw cuts/mark-first/durable converted
		cmp converted first
		rm converted
	fi
	umount cuts
	done=1
done
[ -n "${done:-}" ] || skip "no filesystem to try in this kernel"

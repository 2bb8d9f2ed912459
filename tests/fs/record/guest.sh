# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: the logs that the filesystem tests walk, recorded in one guest, each on disks
# of its own: NAME-d (data) and NAME-l (its log), NAME-jd and NAME-jl for a journal
# that lies elsewhere.
# Expected: every call succeeds, every log is complete. They are judged outside.
requires xfs ext4 btrfs

dm_of() { echo "/dev/mapper/$1"; }

# Beside the promised files: allocate, punch, cut, delete, so that blocks change hands
# and are discarded.
churn() {
	n=0
	mkdir /mnt/churn
	while [ ! -e /tmp/stop ]; do
		xfs_io -f -c "falloc 0 1m" -c "pwrite -q -b 64k 0 256k" -c "fpunch 64k 96k" \
			-c "fzero 0 16k" -c "truncate 200k" "/mnt/churn/$((n % 6))" || return
		[ $((n % 3)) != 0 ] || rm "/mnt/churn/$((n % 6))" || return
		n=$((n + 1))
	done
	[ "$n" -gt 5 ] && echo "churned $n times" >/tmp/churned
}

load() { # load DM OPTION...
	load_dm=$1
	shift
	expect 0 fluxlog-load --dir /mnt --promise "dm:$load_dm" --progress 0 "$@"
}

begin() { # begin NAME MOUNT-OPTIONS MKFS...: made, mounted, recorded; / is the data device
	name=$1
	options=$2
	mkfs=$3
	shift 3
	say "recording $name: $mkfs $*"
	flux_create "$name" "/dev/lab/$name-d" "/dev/lab/$name-l"
	expect 0 "$mkfs" "$@" "$(dm_of "$name")"
	mkdir -p /mnt
	expect 0 mount -t "${mkfs#mkfs.}" -o "$options" "$(dm_of "$name")" /mnt
	later "fs_gone /mnt"
}

finish() { # finish NAME
	expect 0 umount /mnt
	say "  $(dmsetup status "$1")"
	dm_remove "$1"
}

# Half of it with the churn, half without, a mark between them.
churned() { # churned NAME
	rm -f /tmp/stop /tmp/churned
	churn &
	load "$1" --threads 4 --ops 60 --run 1
	dmsetup message "$1" 0 mark "half time"
	load "$1" --threads 4 --ops 40 --mode overwrite --file-blocks 16 --run 2
	: >/tmp/stop
	wait
	[ -e /tmp/churned ] || fail "$1: the churn had errors, or did next to nothing"
}

begin xfs-4000 defaults mkfs.xfs -q -f
load xfs-4000 --threads 8 --ops 500
finish xfs-4000

begin xfs-discard discard mkfs.xfs -q -f
churned xfs-discard
finish xfs-discard

begin xfs-nosync defaults mkfs.xfs -q -f
load xfs-nosync --threads 2 --ops 40 --io direct --no-sync
finish xfs-nosync

flux_create xfs-log /dev/lab/xfs-extlog-jd /dev/lab/xfs-extlog-jl
begin xfs-extlog logdev=/dev/mapper/xfs-log mkfs.xfs -q -f -l logdev=/dev/mapper/xfs-log
load xfs-extlog --threads 4 --ops 60
finish xfs-extlog
dm_remove xfs-log

begin ext4 discard mkfs.ext4 -q -F
churned ext4
finish ext4

# Fast commits hit two bugs of ext4 (6.1, 6.12 and 6.18 have them), which verify finds: an
# fsync that waits for another's fast commit can return although that began before its
# own file was in it; and a fast-commit area that is full to its last block cannot be
# replayed. So: one writer, and full commits in between.
begin ext4-fc defaults mkfs.ext4 -q -F -O fast_commit
for run in 1 2 3 4 5 6 7 8 9; do
	mode=append
	[ $((run % 3)) != 0 ] || mode=overwrite
	load ext4-fc --ops 30 --mode "$mode" --file-blocks 16 --run "$run"
	sync
done
finish ext4-fc

# ext4 with its journal elsewhere. Up to 6.12 at least, mounted with dioread_nolock (the
# default), nobody flushes the data device for a plain append and fsync: that is
# ext4-extn, in which check and verify must agree. dioread_lock keeps its promises.
ext4_journal() { # ext4_journal NAME OPTION
	flux_create "$1-j" "/dev/lab/$1-jd" "/dev/lab/$1-jl"
	expect 0 mkfs.ext4 -q -F -b 4096 -O journal_dev "$(dm_of "$1-j")"
	begin "$1" "$2" mkfs.ext4 -q -F -b 4096 -J "device=$(dm_of "$1-j")"
	load "$1" --threads 4 --ops 60
	finish "$1"
	dm_remove "$1-j"
}
ext4_journal ext4-extj dioread_lock
ext4_journal ext4-extn dioread_nolock

begin btrfs discard=sync mkfs.btrfs -q -f
churned btrfs
finish btrfs

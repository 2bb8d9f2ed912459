# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: dm-log-writes of this kernel and fluxlog stacked both ways, over what dm-log-writes
# is known to get wrong: a flush that overtakes another, a FUA write over an older write,
# a write that fails, a flush that fails.
# By /bin/cmp: busybox's own goes byte by byte.
# Expected: at each mark and at the end both logs, and both logs converted, replay to the
# same bytes, but for the blocks of just the defects that can show in that order; fluxlog's
# is what the device holds.
requires null_blk dm-log-writes
null_create small 4 512
later "dm_gone upper; dm_gone lower"
SMALL=/tmp/small
mkdir -p $SMALL
later "rm -rf $SMALL"

inject() { dmsetup message "$FLUX" 0 inject "$@"; }

write_block() { # write_block STATUS BLOCK BYTE [XFS_IO OPTION]: 4 KiB, past the page cache
	expect "$1" xfs_io -d ${4:+"$4"} -c "pwrite -S $3 $(($2 * 4096)) 4096" /dev/mapper/upper
}

flush() { expect "$1" xfs_io -c fsync /dev/mapper/upper; }

held() { # wait until a flush is held
	for _ in $(seq 100); do
		[ "$(flux_status "$FLUX" held)" = 1 ] && return
		sleep 0.1
	done
	fail "no flush is held"
}

# Blocks 10, 20, 30, 40: a defect each.
work() {
	write_block 0 10 0x11
	write_block 0 20 0x12
	flush 0
	both_mark sound

	write_block 0 10 0x21
	inject flush_hold 1
	xfs_io -c fsync /dev/mapper/upper &
	job=$!
	held
	flush 0
	both_mark flush-overlap
	inject release
	wait $job || fail "the flush that was held has failed"
	both_mark flush-overlap-over

	write_block 0 20 0x22
	write_block 0 20 0x23 -s
	both_mark fua-order

	inject write_fail 240+8
	write_block 1 30 0x31
	inject write_fail 0
	flush 0
	both_mark write-status

	write_block 0 40 0x41
	inject flush_fail 1
	flush 1
	inject flush_fail 0
	both_mark flush-status
	flush 0
}

record() { # record UPPER LOWER
	xfs_io -c "fzero 0 4m" "$NULL" || fail "$NULL cannot be zeroed"
	dm_create lower "$(both_table "$2" "$NULL")"
	dm_create upper "$(both_table "$1" /dev/mapper/lower)"
	FLUX=lower
	[ "$1" != fluxlog ] || FLUX=upper
	work
	dm_remove upper
	dm_remove lower
}

image() { # image LOG MARK: replayed onto zeros, as $SMALL/NAME
	image=$SMALL/$(basename "$1").img
	rm -f "$image"
	truncate -s 4M "$image"
	expect 0 replay-log --log "$1" --replay "$image" --end-mark "$2"
}

blocks_that_differ() { # blocks_that_differ A B
	/bin/cmp -l "$1" "$2" | awk '{ b = int(($1 - 1) / 4096) }
		!(b in seen) { seen[b]; printf "%s%d", sep, b; sep = " " }'
}

defect() { # defect BLOCK: what is wrong with dm-log-writes there
	case $1 in
	10) echo "overlap, a flush that was sent earlier and is not done has this write in its entry" ;;
	20) echo "order, an older write is behind the FUA write that replaced it" ;;
	30) echo "status, the write failed" ;;
	40) echo "status, the flush failed" ;;
	esac
}

at_mark() { # at_mark MARK BLOCKS: those in which the logs must differ
	image "$LOG" "$1"
	image "$LOG2" "$1"
	image $SMALL/flux.v1 "$1"
	image $SMALL/v1.flog "$1"
	got=$(blocks_that_differ $SMALL/log.img $SMALL/log2.img)
	[ "$got" = "$2" ] || fail "at $1 the logs differ in blocks '$got', not '$2'"
	/bin/cmp $SMALL/log.img $SMALL/flux.v1.img || fail "at $1 the exported log differs"
	/bin/cmp $SMALL/log2.img $SMALL/v1.flog.img || fail "at $1 the imported log differs"
	say "$order, $1: ${2:+not }the same"
	for block in $2; do
		say "  block $block: $(defect "$block")"
	done
}

judge() { # judge OVERLAP STATUS: whether flushes that overlap, and failures, reach log-writes
	expect 0 fluxlog convert "$LOG" -o $SMALL/flux.v1
	expect 0 fluxlog convert "$LOG2" -o $SMALL/v1.flog
	at_mark sound ""
	at_mark flush-overlap "${1:+10}"
	at_mark flush-overlap-over ""
	at_mark fua-order "20"
	at_mark write-status "20${2:+ 30}"
	at_mark flush-status "20${2:+ 30 40}"
	at_mark dm-log-writes-end "20${2:+ 30}"
	/bin/cmp $SMALL/log.img "$NULL" || fail "fluxlog's replay is not what the device holds"
	rm -f $SMALL/*
}

order="dm-log-writes above"
record log-writes fluxlog
judge yes yes
# What fluxlog above holds back or lets fail, dm-log-writes below never sees.
order="dm-log-writes below"
record fluxlog log-writes
judge "" ""

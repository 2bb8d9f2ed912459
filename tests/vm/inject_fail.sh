# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: flushes that fail: every one, some within a window, none.
# Expected: fsync gets EIO for just these; they are recorded as failed and injected,
# and promise nothing.
results() { # results N: what so many fsyncs come to
	for _ in $(seq "$1"); do
		xfs_io -c fsync /dev/mapper/rec >/dev/null 2>&1 && printf 0 || printf 1
	done
}
gives() { # gives RESULTS RULE
	dmsetup message rec 0 inject flush_fail "$2"
	got=$(results ${#1})
	[ "$got" = "$1" ] || fail "flush_fail $2: the fsyncs came to $got, not $1"
}
flux_create rec "$DATA" "$LOG"
gives 111 1
gives 001001 3
gives 00010100 2@3-6
gives 0000 0
[ "$(flux_status rec failed_flushes)" = 7 ] || fail "status: $(dmsetup status rec)"
mkfs.xfs -q -f /dev/mapper/rec
LAB_FS=xfs mount_fs /dev/mapper/rec /mnt
expect 0 fluxlog-load --dir /mnt --threads 4 --ops 20 --promise dm:rec
dmsetup message rec 0 inject flush_fail 1
expect 1 fluxlog-load --dir /mnt --threads 4 --ops 20 --run 2 --promise dm:rec
output_has "^failed .* EIO"
umount /mnt
dm_remove rec
expect 0 fluxlog dump "$LOG"
[ "$(grep -c '^flush .*injected.*err=EIO' "$OUT")" -gt 7 ] || fail "XFS met no injected failure"
! grep '^flush .*injected' "$OUT" | grep -v err= || fail "an injected failure has no status"

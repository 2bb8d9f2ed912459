# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: writes to a range of sectors fail.
# Expected: EIO for those that touch it and for no others; what was there stays.
write_at() { # write_at STATUS SECTOR: 8 sectors
	expect "$1" xfs_io -d -c "pwrite -S 0x5a $(($2 * 512)) 4096" /dev/mapper/rec
}
old() { dd if="$DATA" bs=4096 skip=8 count=1 iflag=direct 2>/dev/null | md5sum; }
flux_create rec "$DATA" "$LOG"
before=$(old)
dmsetup message rec 0 inject write_fail 68+2
write_at 1 64
write_at 0 56
write_at 0 72
dmsetup message rec 0 inject write_fail 71+1
write_at 1 64
[ "$(old)" = "$before" ] || fail "a write that failed has reached the device"
dmsetup message rec 0 inject write_fail 0
write_at 0 64
[ "$(old)" != "$before" ] || fail "a write that succeeded has not reached the device"
[ "$(flux_status rec failed_writes)" = 2 ] || fail "status: $(dmsetup status rec)"
dm_remove rec
expect 0 fluxlog dump "$LOG"
[ "$(grep -c '^write s=64 .*injected.*err=EIO' "$OUT")" = 2 ] || fail "not just two are recorded"
[ "$(grep -c injected "$OUT")" = 2 ] || fail "others are marked"

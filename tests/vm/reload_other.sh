# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a reload that would mix records: the log of one data device for another.
# Expected: refused; the log goes on as if nothing had been.
flux_create rec "$DATA" "$LOG"
dd if=/dev/zero of=/dev/mapper/rec bs=4096 count=16 oflag=direct conv=fsync,notrunc
if dmsetup load rec --table "$(flux_table "$DATA2" "$LOG")"; then
	dmsetup clear rec
	fail "accepted"
fi
dmesg | tail -n 3
dd if=/dev/zero of=/dev/mapper/rec bs=4096 count=16 oflag=direct conv=fsync,notrunc
dm_remove rec
expect 0 fluxlog info "$LOG"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: messages, well-formed and not.
# Expected: the good ones are in the log after "sync", the others are refused.
message() { dmsetup message rec 0 "$@"; }
refused() {
	! message "$@" 2>/dev/null || fail "accepted: $*"
}
flux_create rec "$DATA" "$LOG"
message mark before the write
dd if=/dev/zero of=/dev/mapper/rec bs=4096 count=1 oflag=direct conv=fsync,notrunc
message promise run=7 file=3 start=4096 len=512 gen=9 at=12345 call=fdatasync path=a/b
message promise sector=8 n=8 at=12346 call=syncfs
message sync
expect 2 fluxlog dump "$LOG"
output_has 'mark .*text="before the write"'
output_has "promise .*call=fdatasync.*file=3"
output_has "promise .*call=syncfs.*sector=8"
refused nonsense
refused mark
refused promise
refused promise file=1 start=0 len=512 gen=1
refused promise file=1 start=0 len=513 gen=1 at=1
refused promise file=1 start=1 len=512 gen=1 at=1
refused promise file=1 start=0 len=0 gen=1 at=1
refused promise file=1 file=1 start=0 len=512 gen=1 at=1
refused promise file=x start=0 len=512 gen=1 at=1
refused promise file=1 start=0 len=512 gen=1 at=1 what=2
refused promise file=1 start=0 len=512 gen=1 at=1 call=later
refused promise file=1 start=18446744073709551104 len=1024 gen=1 at=1
refused promise file=18446744073709551616 start=0 len=512 gen=1 at=1
refused promise sector=0 n=0 at=1
refused promise sector=0 n=1 at=1 gen=2
refused mark "$(head -c 1025 /dev/zero | tr '\0' x)"
message mark "$(head -c 1024 /dev/zero | tr '\0' x)"
dm_remove rec
expect 0 fluxlog dump "$LOG"
[ "$(grep -c ^promise "$OUT")" = 2 ] || fail "a refused promise is in the log"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: table lines that must be refused.
# Expected: each is, with a sentence of its own in the kernel's log.
refused() { # refused PATTERN TABLE
	pattern=$1
	shift
	dmesg -c >/dev/null
	if dmsetup create bad --table "$*" 2>/dev/null; then
		dmsetup remove bad
		fail "accepted: $*"
	fi
	dmesg | grep 'fluxlog' | tee -a /tmp/sentences
	dmesg | grep 'fluxlog' | grep -q -i -E "$pattern" || fail "no sentence with '$pattern' for: $*"
}
modprobe dm-fluxlog || fail "dm-fluxlog cannot be loaded"
size=$(sectors "$DATA")
dm_create tiny "0 8 linear $LOG 0"
refused "wanted" "0 $size fluxlog"
refused "wanted" "0 $size fluxlog $DATA"
refused "data device" "0 $size fluxlog /dev/lab/none $LOG"
refused "log device" "0 $size fluxlog $DATA /dev/lab/none"
refused "same|differ" "0 $size fluxlog $DATA $DATA"
refused "small|room|short" "0 $size fluxlog $DATA /dev/mapper/tiny"
refused "optional arguments" "0 $size fluxlog $DATA $LOG 1"
refused "optional arguments" "0 $size fluxlog $DATA $LOG 2 nonsense 1"
refused "mem_limit_kb" "0 $size fluxlog $DATA $LOG 2 mem_limit_kb x"
refused "mem_limit_kb" "0 $size fluxlog $DATA $LOG 2 mem_limit_kb 1"
refused "flush_fail must" "0 $size fluxlog $DATA $LOG 2 flush_fail x"
refused "write_fail must" "0 $size fluxlog $DATA $LOG 4 mem_limit_kb 8192 write_fail 5"
refused "on_log_fail" "0 $size fluxlog $DATA $LOG 2 on_log_fail maybe"

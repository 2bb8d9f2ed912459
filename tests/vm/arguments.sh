# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
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
refused "argument" "0 $size fluxlog"
refused "argument" "0 $size fluxlog $DATA"
refused "data|device" "0 $size fluxlog /dev/lab/none $LOG"
refused "log" "0 $size fluxlog $DATA /dev/lab/none"
refused "same" "0 $size fluxlog $DATA $DATA"
refused "small" "0 $size fluxlog $DATA /dev/mapper/tiny"
refused "argument|feature|number" "0 $size fluxlog $DATA $LOG 1"
refused "argument|unknown|nonsense" "0 $size fluxlog $DATA $LOG 2 nonsense 1"
refused "mem_limit_kb" "0 $size fluxlog $DATA $LOG 2 mem_limit_kb x"
refused "mem_limit_kb" "0 $size fluxlog $DATA $LOG 2 mem_limit_kb 1"
refused "on_log_fail" "0 $size fluxlog $DATA $LOG 2 on_log_fail maybe"

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs the scenarios, in the guest, one after the other.
#
# Takes   /lab/scen/*.sh, fd 9 to the host, NONCE, SCENARIO_TIMEOUT.
# Gives   for each scenario "ok", "not" or "skip" with its name and the reason, its
#         output and its kernel log in /results. Status 0 iff none failed.
#
# A scenario is a shell script run with -eu after /lab/lib.sh. Status 77 is a skip.
# It fails also if the kernel printed a splat or a device-mapper device is left.

# shellcheck source=/dev/null
. /lab/conf

say() { echo "$NONCE $*" >&9; }

splat_in() { # splat_in FILE -> the first one
	grep -m 1 -E -f /lab/lab_splats "$1"
}

leftovers() {
	dmsetup ls 2>/dev/null | grep -v '^No devices found' | cut -f 1 | tr '\n' ' '
}

# Why the scenario failed; empty if it did not.
reason() { # reason STATUS NAME
	if splat=$(splat_in "/results/$2.dmesg"); then
		echo "kernel splat: $splat"
	elif [ "$1" = 143 ] || [ "$1" = 124 ]; then
		echo "not finished after $SCENARIO_TIMEOUT s"
	elif [ "$1" != 0 ] && [ "$1" != 77 ]; then
		why=$(sed -n 's/^FAIL: //p' "/results/$2.log" | head -n 1)
		echo "${why:-exit status $1}"
	elif left=$(leftovers) && [ -n "$left" ]; then
		echo "device-mapper devices left: $left"
	fi
}

show_log() { # show_log NAME: the end of it, for the host to print
	tail -n 40 "/results/$1.log" | while read -r line; do
		say say "    $1: $line"
	done
}

run_one() { # run_one FILE
	name=$(basename "$1" .sh)
	name=${name#*-}
	begin=$(cut -d . -f 1 /proc/uptime)
	say start "$name"
	dmesg -c >/dev/null
	echo "fluxlog-lab: scenario $name" >/dev/kmsg
	# shellcheck disable=SC2016 # for the inner shell
	timeout "$SCENARIO_TIMEOUT" sh -eu -c '. /lab/lib.sh; . "$0"' "$1" >"/results/$name.log" 2>&1
	status=$?
	dmesg -c >"/results/$name.dmesg"
	why=$(reason "$status" "$name")
	seconds=$(($(cut -d . -f 1 /proc/uptime) - begin))
	if [ -n "$why" ]; then
		say not "$name ($seconds s): $why"
		show_log "$name"
		return 1
	elif [ "$status" = 77 ]; then
		say skip "$name: $(sed -n 's/^SKIP: //p' "/results/$name.log" | head -n 1)"
	else
		say ok "$name ($seconds s)"
	fi
}

failed=0
for scenario in /lab/scen/*.sh; do
	run_one "$scenario" || failed=1
done
exit "$failed"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A verdict or a text that could not be written is not a 0.
small_log a.flog
for cmd in info dump check; do
	expect 2 sh -c "\"\$1\" $cmd a.flog >/dev/full" sh "$FLUXLOG"
	says "No space left on device"
done
expect 2 "$FLUXLOG" info --json /dev/full a.flog
says "/dev/full: No space left on device"

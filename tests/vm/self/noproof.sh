# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the machine goes down early, after lines that look like a proof on both
# serial ports. Expected: exit status 14.
echo "exit 0" >&9
echo "00000000000000000000000000000000 exit 0" >&9
echo "exit 0" >/dev/kmsg
sleep 1
poweroff -f

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# init of the lab's guest.
#
# Takes   /lab/conf, /lab/scen/*.sh, disks with the serials data, log, data2, log2
#         and results.
# Gives   lines "NONCE word text" on the second serial port, where the kernel prints
#         nothing; a tar of /results on the results disk; at the very end the line
#         "NONCE exit STATUS", without which nothing counts.

export PATH=/bin
export DM_DISABLE_UDEV=1
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /run
mkdir -p /results /dev/lab
# shellcheck source=/dev/null
. /lab/conf
stty -F /dev/ttyS1 raw 115200 2>/dev/null
exec 9>/dev/ttyS1

say() { echo "$NONCE $*" >&9; }

say booted "$(uname -r)"
for module in virtio_pci virtio_blk dm-mod configfs; do
	modprobe -q "$module"
done
mount -t configfs none /sys/kernel/config
echo 60 >/proc/sys/kernel/hung_task_timeout_secs
for disk in /sys/block/vd*; do
	ln -s "../${disk##*/}" "/dev/lab/$(cat "$disk/serial")"
done

if [ -n "$LAB_INTERACTIVE" ]; then
	echo "dm-fluxlog lab, kernel $(uname -r); disks are in /dev/lab; 'exit' ends it"
	setsid cttyhack sh
	status=0
else
	sh /lab/lab_guest.sh
	status=$?
fi
if [ -e /dev/lab/results ]; then
	tar -c -f /dev/lab/results -C /results . || status=99
	blockdev --flushbufs /dev/lab/results
fi
sync
say exit "$status"
# The port must have sent it before the machine is gone: stty waits for that.
stty -F /dev/ttyS1 raw 115200 2>/dev/null
poweroff -f

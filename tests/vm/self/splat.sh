# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the kernel prints a backtrace and goes on. Expected: not ok, exit status 11.
echo 9 >/proc/sys/kernel/printk
echo l >/proc/sysrq-trigger
sleep 1

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the kernel panics. Expected: exit status 10.
echo c >/proc/sysrq-trigger

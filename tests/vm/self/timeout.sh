# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What: a guest that talks and does not end. Expected: exit status 12.
while :; do
	say "still here"
	sleep 1
done

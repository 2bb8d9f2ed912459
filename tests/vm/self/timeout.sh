# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a guest that talks and does not end. Expected: exit status 12.
while :; do
	say "still here"
	sleep 1
done

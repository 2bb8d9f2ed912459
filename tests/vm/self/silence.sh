# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a guest that says nothing any more. Expected: exit status 13.
sleep 1000

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a scenario that fails with a reason. Expected: not ok, exit status 1.
fail "on purpose"

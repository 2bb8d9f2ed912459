# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: a scenario that does nothing. Expected: it passes.
uname -a

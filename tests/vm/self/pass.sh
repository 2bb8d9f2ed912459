# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What: a scenario that does nothing. Expected: it passes.
uname -a

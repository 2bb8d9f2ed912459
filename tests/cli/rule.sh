# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# By the rule of dm-log-writes a later flush that is done first does not count: what is
# right is called broken, and that is no verdict (exit 2). Where flushes are done in the
# order in which they were issued, both rules say the same.
expect 0 "$FLUXLOG" asm "$DATA/a-later-flush-first.txt" -o later.flog
expect 0 "$FLUXLOG" check later.flog
expect 0 "$FLUXLOG" check --rule true later.flog
expect 2 "$FLUXLOG" check --rule log-writes later.flog
prints "NO VERDICT"
prints "1 of 2 promises would be called broken"
expect 0 "$FLUXLOG" asm "$DATA/d-and-another-flush.txt" -o order.flog
expect 2 "$FLUXLOG" check --rule log-writes order.flog
prints "0 of 1 promises would be called broken"
expect 2 "$FLUXLOG" check --rule other order.flog
says "--rule other"

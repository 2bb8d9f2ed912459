# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# info counts, names the end, writes JSON; one bad log among several is a 2.
small_log a.flog
expect 0 "$FLUXLOG" info a.flog
silent
prints "a.flog: complete"
prints "8: 1 write, 1 flush, 1 discard, 1 zeroes, 1 mark, 2 promise, 1 end"
prints "1536 bytes in writes, 1 writes with FUA, 0 events failed"
prints "1 to 12"
prints "complete, at offset 7168"
expect 0 "$FLUXLOG" info --json - a.flog
prints '"end":"complete"'
prints '"all":8'
make_log gap.flog <<TEXT
flush
gap err=ENOSPC
TEXT
expect 2 "$FLUXLOG" info --json all.json gap.flog a.flog nothing.flog
says "gap.flog: stopped at offset 4608: recording stopped at tick 3: the log device is full (ENOSPC)"
says "nothing.flog: No such file or directory"
prints "a.flog: complete"
grep -q '"end":"stopped"' all.json
grep -q '"end":"complete"' all.json
grep -q '"end":"unreadable"' all.json

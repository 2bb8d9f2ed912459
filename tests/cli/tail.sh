# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What follows the end: zeros come back as a hole, anything else is told.
small_log a.flog
truncate -s 3G a.flog
expect 0 "$FLUXLOG" dump a.flog
silent
prints "size bytes=3221225472"
cp out b.txt
expect 0 "$FLUXLOG" asm b.txt -o b.flog
[ "$(size_of b.flog)" = 3221225472 ] || fail "b.flog has $(size_of b.flog) bytes"
[ "$(du -k b.flog | cut -f1)" -lt 1000 ] || fail "b.flog is not sparse"
cmp -n 8000 a.flog b.flog
poke a.flog 5000000 1
expect 0 "$FLUXLOG" dump a.flog
says "a.flog: the log ends at offset 7168; what follows, from offset 5000000 on, is not in the text"
expect 0 "$FLUXLOG" info a.flog
silent

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A log's text gives the same log, from a file and through a pipe.
small_log a.flog
expect 0 "$FLUXLOG" dump a.flog
silent
cp out a2.txt
expect 0 "$FLUXLOG" asm a2.txt -o a2.flog
cmp a.flog a2.flog
"$FLUXLOG" dump a.flog | "$FLUXLOG" asm - -o a3.flog
cmp a.flog a3.flog
[ "$(ls ./*.flog)" = "./a.flog
./a2.flog
./a3.flog" ] || fail "other files were left: $(ls)"

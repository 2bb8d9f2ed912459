# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A wrong text names its line, leaves no file, and does not harm an older one.
printf 'fluxlog 1\nflush i=1 d=2\nwrite s=1 n=1 i=5 d=4\n' >bad.txt
expect 2 "$FLUXLOG" asm bad.txt -o x.flog
says "bad.txt:3: issue tick 5 is not before done tick 4"
[ "$(ls)" = "bad.txt
err
out
sanitizer" ] || fail "files were left: $(ls)"
small_log old.flog
cp old.flog copy.flog
expect 2 "$FLUXLOG" asm bad.txt -o old.flog
cmp old.flog copy.flog
expect 2 "$FLUXLOG" asm nothing.txt -o x.flog
says "nothing.txt: No such file or directory"
expect 2 "$FLUXLOG" asm old.flog.txt -o nowhere/x.flog
says "nowhere/x.flog: No such file or directory"
expect 2 "$FLUXLOG" asm old.flog.txt -o .
says ".: exists and is not a file"

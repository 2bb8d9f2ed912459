# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What cannot be judged is said in one line, or loudly, with exit code 2.
one_line() {
	[ "$(wc -l <err)" = 1 ] || fail "not one line: $(cat err)"
}
half=$(($(size_of "$LOGS/ext4.flog") * 3 / 4))
head -c "$half" "$LOGS/ext4.flog" >early.flog
expect 2 "$FLUXLOG" verify --cuts 5 early.flog
prints "COULD NOT JUDGE the whole run: a log ends before the run does"
! grep -q VERDICT out || fail "a verdict on a log that ends early"

small_log small.flog
expect 2 "$FLUXLOG" verify small.flog
says "small.flog: no XFS, ext4 or btrfs on it"
one_line
expect 2 "$FLUXLOG" bisect small.flog end
says "small.flog: no XFS, ext4 or btrfs on it"

chmod 755 . .. ../..
cp "$LOGS/ext4-fc.flog" readable.flog
chmod 644 readable.flog
cp "$FLUXLOG" program
expect 2 setpriv --reuid 65534 --regid 65534 --clear-groups ./program verify readable.flog
says "needs root; fluxlog-lab verify walks in a guest"
one_line
# merging needs neither root nor a mount
good --cuts 2 --json two.json readable.flog
chmod 644 two.json
expect 0 setpriv --reuid 65534 --regid 65534 --clear-groups ./program merge two.json

expect 2 "$FLUXLOG" verify --cuts start readable.flog
prints "no cut was asked for that has a filesystem"
expect 2 "$FLUXLOG" verify --cuts promise-9999 readable.flog
says "promise-9999"
one_line
expect 2 "$FLUXLOG" verify --json /nowhere/file --cuts 1 readable.flog
says "/nowhere/file"
TMPDIR=/nowhere expect 2 "$FLUXLOG" verify --cuts 1 readable.flog
says "/nowhere"

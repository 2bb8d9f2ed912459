# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The man pages format without warnings, and fluxlog(8) knows every finding.
top=$DATA/../..
for page in "$top"/replay/*.[58] "$top"/tools/*.1; do
	man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | tee err
	[ ! -s err ] || fail "$page has warnings"
done
sed -n 's/^\t\t"\(FL[0-9]*\)", "\([a-z-]*\)",.*/\1;\2;/p' "$top/replay/finding.c" >codes
[ -s codes ] || fail "no codes found in finding.c"
while read -r code; do
	grep -q "^$code" "$top/replay/fluxlog.8" || fail "fluxlog.8 lacks $code"
done <codes

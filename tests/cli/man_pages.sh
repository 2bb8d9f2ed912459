# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# The man pages format without warnings and know every finding and every command.
top=$DATA/../..
for page in "$top"/replay/*.[58] "$top"/tools/*.1; do
	man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | tee err
	[ ! -s err ] || fail "$page has warnings"
done
codes() { # codes FILE: "CODE;name;" of the table in it
	tr '\n' ' ' <"$1" | grep -o '"FL[0-9]*",[[:space:]]*"[a-z-]*"' | tr -d '",' | tr -s ' \t' ';'
}
in_page() { # in_page PAGE TABLE...
	page=$1
	shift
	: >known
	for table; do
		codes "$top/replay/$table" >found
		[ "$(grep -c ';' found)" -ge 7 ] || fail "few codes found in $table"
		cat found >>known
	done
	while read -r code; do
		grep -q "^$code;" "$top/replay/$page" || fail "$page lacks $code"
	done <known
	[ "$(grep -c '^FL[0-9]*;' "$top/replay/$page")" = "$(wc -l <known)" ] ||
		fail "$page has codes that its tables do not have"
}
in_page fluxlog.8 finding.c layer.c
in_page fluxlog-verify.8 fs_finding.c
expect 0 "$FLUXLOG" --help
sed -n 's/^  \([a-z]*\)  *.*/\1/p' out >commands
[ "$(wc -l <commands)" -ge 11 ] || fail "few commands: $(cat commands)"
while read -r command; do
	grep -qE "fluxlog $command\b|BR .*\b$command\b" "$top"/replay/fluxlog.8 ||
		fail "fluxlog.8 lacks $command"
done <commands
for command in verify bisect; do
	expect 0 "$FLUXLOG" help "$command"
	grep -o -- '--[a-z-]*[a-z]' out | sort -u | while read -r option; do
		[ "$option" = --help ] || grep -qF -- "$(echo "$option" | sed 's/-/\\-/g')" \
			"$top/replay/fluxlog-verify.8" || fail "fluxlog-verify.8 lacks $option"
	done
done

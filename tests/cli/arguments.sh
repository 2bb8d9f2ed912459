# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Every command has help; what makes no sense is one line and a 2.
one_line() {
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
}
expect 0 "$FLUXLOG" --help
for cmd in info dump asm check explain replay mount diff; do
	prints "  $cmd "
done
for cmd in info dump asm check explain replay mount diff; do
	expect 0 "$FLUXLOG" help "$cmd"
	prints "usage: fluxlog $cmd"
	cp out help
	expect 0 "$FLUXLOG" "$cmd" --help
	cmp out help
	expect 2 "$FLUXLOG" "$cmd" --no-such-option
	says "fluxlog $cmd: unknown option --no-such-option"
	one_line
	expect 2 "$FLUXLOG" "$cmd"
	one_line
done
expect 0 "$FLUXLOG" --version
prints "fluxlog "
expect 2 "$FLUXLOG"
one_line
expect 2 "$FLUXLOG" frobnicate
says 'unknown command "frobnicate"'
expect 2 "$FLUXLOG" help frobnicate
says 'unknown command "frobnicate"'
expect 2 "$FLUXLOG" info --json
says "fluxlog info: option --json needs a value"
expect 2 "$FLUXLOG" dump a b
says "one log, please, not 2"
expect 2 "$FLUXLOG" asm a
says "no -o LOG"

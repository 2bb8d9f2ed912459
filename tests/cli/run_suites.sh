# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# tests/run-suites adds up what suites say; none can fail unseen, and only a suite that
# may be run again is.
suites=$(dirname "$(readlink -f "$BIN/fluxlog-lab")")/../tests/run-suites

cat >Makefile <<'EOT'
good:; @echo "suite: 3 passed, 0 failed"
bad:; @echo "not ok always"; echo "1 passed, 1 failed"; exit 1
odd:; @test -e odd.ran || { touch odd.ran; echo "not ok the first time"; \
	echo "1 passed, 1 failed"; exit 1; }; echo "2 passed, 0 failed"
silent:; @exit 3
liar:; @echo "4 passed, 0 failed"; exit 1
EOT

total() { # total LINE: alone at the end
	[ "$(tail -n 1 "$T/out")" = "$1" ] || { cat "$T/out"; fail "the last line is not '$1'"; }
}

expect 0 "$suites" make good good+good
total "9 passed, 0 failed"
expect 1 "$suites" make good bad
total "4 passed, 1 failed"
expect 1 "$suites" make silent good
total "3 passed, 1 failed"
expect 1 "$suites" make liar
total "4 passed, 1 failed"
expect 1 "$suites" make odd
total "1 passed, 1 failed"
rm odd.ran
expect 0 "$suites" make odd@2+good
total "5 passed, 0 failed"
prints "at first: not ok the first time"
expect 1 "$suites" make bad@2
total "1 passed, 1 failed"
prints "at first: not ok always"
expect 1 "$suites" make silent@2
total "0 passed, 1 failed"

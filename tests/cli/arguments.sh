# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Every command has help; what makes no sense is one line and a 2.
one_line() {
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
}
expect 0 "$FLUXLOG" --help
for cmd in info dump asm convert check explain replay mount diff verify merge bisect; do
	prints "  $cmd "
done
for cmd in info dump asm convert check explain replay mount diff verify merge bisect; do
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
# verify, merge, bisect: before anything is opened
for option in cuts images base shard compare fsck-cmd mount-cmd mount-opts timeout jobs order \
	journal max-findings time-limit json max; do
	expect 2 "$FLUXLOG" verify "--$option"
	says "fluxlog verify: option --$option needs a value"
	one_line
done
for words in "--shard 1" "--shard 0/2" "--shard 3/2" "--shard a/b" "--shard 1/2/3" "--compare some" \
	"--order sideways" "--order random=x" "--timeout 0" "--timeout 1s" "--jobs 0" "-j x" \
	"--time-limit -1" "--max-findings x" "--max x" "-m 1,2"; do
	# shellcheck disable=SC2086 # an option and its value
	expect 2 "$FLUXLOG" verify $words a.flog
	says "makes no sense; see fluxlog help verify"
	says "${words%% *}"
	one_line
done
expect 2 "$FLUXLOG" bisect a.flog
says "a log and a cut are needed"
for words in "--timeout x" "--timeout 0" "-j 0" "--jobs 1x"; do
	# shellcheck disable=SC2086 # an option and its value
	expect 2 "$FLUXLOG" bisect $words a.flog end
	says "makes no sense; see fluxlog help bisect"
	one_line
done
expect 2 "$FLUXLOG" merge --max x a.json
says "--max x"
one_line
expect 2 "$FLUXLOG" merge nothing.json
says "nothing.json: No such file"
one_line
echo '{"walk":1' >torn.json
expect 2 "$FLUXLOG" merge torn.json
says "torn.json:1: not the results of a walk"
one_line
if [ "$(id -u)" = 0 ]; then
	expect 2 "$FLUXLOG" verify nothing.flog
	says "nothing.flog"
	one_line
fi
expect 2 "$FLUXLOG" convert a
says "no -o OUT"
expect 2 "$FLUXLOG" convert a -o b --data-sectors 0
says "--data-sectors 0 is no size"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# KTAP is well-formed, JSON lines are JSON, and the command beside a finding shows it
# again.
valid_ktap() { # valid_ktap FILE GOOD BAD: their numbers
	awk -v good="$2" -v bad="$3" '
		NR == 1 { if ($0 != "KTAP version 1") exit 1; next }
		NR == 2 { if ($0 !~ /^1\.\.[0-9]+$/) exit 1; plan = substr($0, 4); next }
		/^# / { next }
		/^(not )?ok [0-9]+ [^ ]+$/ {
			n++
			ok += $1 == "ok"
			if ($($1 == "ok" ? 2 : 3) != n)
				exit 1
			next
		}
		{ exit 1 }
		END { if (n != plan || ok != good || n - ok != bad) exit 1 }' "$1" ||
		fail "not KTAP: $(head -n 20 "$1")"
}
nosync=$LOGS/xfs-nosync.flog
expect 1 "$FLUXLOG" verify --ktap \
	--cuts promise-20,promise-40,promise-60,promise-80 --images durable,all --json some.json "$nosync"
bad=$(grep -c '"verdict":"bad"' some.json)
valid_ktap out $((8 - bad)) "$bad"
expect 1 "$FLUXLOG" merge --ktap some.json
valid_ktap out $((8 - bad)) "$bad"
expect 1 "$FLUXLOG" verify --ktap --cuts 2 --images all --fsck-cmd "printf 'two\nlines\n'; exit 1" "$LOGS/ext4.flog"
valid_ktap out 0 2

expect 1 "$FLUXLOG" verify -m 1 --fsck --cuts 8 "$nosync"
again=$(sed -n 's/^  again: fluxlog //p' out)
grep -A 4 '^image ' out | grep -v again >first
[ -n "$again" ] || fail "no command: $(cat out)"
expect 1 eval "$FLUXLOG $again"
grep -A 4 '^image ' out | grep -v again >second
cmp first second || fail "$again shows something else: $(cat first second)"

# a command with quotes in it
expect 1 "$FLUXLOG" verify -m 1 --cuts 1 --images all --fsck-cmd "echo 'it is'; exit 1" "$LOGS/ext4.flog"
again=$(sed -n 's/^  again: fluxlog //p' out)
expect 1 eval "$FLUXLOG $again"
prints "it is"

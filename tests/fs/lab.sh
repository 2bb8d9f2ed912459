# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# fluxlog-lab verify: the same walk in a guest, with the kernel that is asked for, logs
# as disks, and verify's exit code.
lab() { "$TOP/tools/fluxlog-lab" --append rcupdate.rcu_cpu_stall_suppress=1 "$@"; }
expect 2 lab verify
says "verify: no log named"
expect 2 lab verify nothing.flog
says "nothing.flog: cannot be read"
expect 2 lab verify "$LOGS/ext4.flog" -- --json here
says "which the guest does not have"

expect 0 lab --kernel 6.12 --out good verify "$LOGS/xfs-extlog.flog" "$LOGS/xfs-extlog-j.flog" \
	-- --cuts 3 --images durable,all --fsck
says "booted 6.12"
prints "VERDICT: GOOD. All 6 crash images"
[ "$(grep -c '"verdict":"\(good\|same\)"' good/results/verify.json)" = 6 ] || fail "not 6 results"

# btrfs of 6.1 mounts one image at a time, and none that is older than the last one
expect 0 lab --kernel 6.1 --out btrfs verify "$LOGS/btrfs.flog" -- --cuts 4 --order down
says "booted 6.1"
prints "VERDICT: GOOD. All 8 crash images"

cp "$LOGS/xfs-nosync.flog" "a log.flog"
expect 1 lab --out bad verify "a log.flog" -- --cuts promise-40 --images durable --fsck-cmd "echo 'it is'"
prints "VERDICT: BROKEN"
prints "again: fluxlog-lab --kernel 6.1 verify 'a log.flog' -- --cuts promise-40 --images durable"
grep -q '"id":"FL106"' bad/results/verify.json || fail "no results from the guest"

expect 2 lab --out none verify "$LOGS/ext4.flog" -- --cuts promise-9999
says "promise-9999"

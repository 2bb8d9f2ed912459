# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Shards, merged, are the walk; what does not belong together is refused.
set -- --cuts 21 --images durable,all --fsck "$LOGS/ext4-fc.flog"
expect 0 "$FLUXLOG" verify --json whole.json "$@"
for k in 1 2 3; do
	expect 0 "$FLUXLOG" verify --shard $k/3 --json $k.json "$@"
	prints "shard       $k of 3"
done
expect 0 "$FLUXLOG" merge --json merged.json 2.json 3.json 1.json
prints "VERDICT: GOOD"
# which of several images with the same bytes was mounted depends on the shards
for f in whole merged; do
	results $f.json | sed -e 's/"verdict":"same"/"verdict":"good"/' \
		-e 's/"as":"[^"]*"//' -e 's/"bytes":[0-9]*//' -e 's/,*}$//' -e 's/,,*/,/g' >$f
done
cmp whole merged || fail "merged shards differ: $(diff whole merged | head -n 4)"
[ "$(wc -l <whole)" = 42 ] || fail "$(wc -l <whole) images"

expect 2 "$FLUXLOG" merge 1.json 3.json
says "shard 2 of 3 is missing"
expect 2 "$FLUXLOG" merge 1.json 2.json 3.json 2.json
says "shard 2 a second time"
expect 0 "$FLUXLOG" verify --shard 2/3 --json other.json --cuts 22 --images durable,all --fsck "$LOGS/ext4-fc.flog"
expect 2 "$FLUXLOG" merge 1.json other.json 3.json
says "other.json: the results of another walk"
sed '$d' 2.json >short.json
expect 2 "$FLUXLOG" merge 1.json short.json 3.json
prints "NOT VISITED: 1 of 42"
head -c 200 2.json >torn.json
expect 2 "$FLUXLOG" merge 1.json torn.json 3.json
expect 2 "$FLUXLOG" merge "$LOGS/ext4-fc.flog"
says "not the results of a walk"
# findings survive the merge
for k in 1 2; do
	expect 1 "$FLUXLOG" verify --shard $k/2 --cuts 4 --json bad$k.json "$LOGS/xfs-nosync.flog"
done
expect 1 "$FLUXLOG" merge bad1.json bad2.json
prints "VERDICT: BROKEN"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: fsync writers on XFS over a layer of two legs, of which one fails its flushes;
# recorded above the layer and on both legs.
# Expected: the module asked for ran, all writers came to their end, the three logs are
# complete. They are judged outside.
#
# Each writer appends in a directory of its own, so that XFS deals them out to all of its
# allocation groups and both legs of a linear layer get data. The journal lies in the first
# one, on leg 1: what fails then are flushes and no journal writes.
: "${FAULTS_LAYER:=linear}" "${FAULTS_THREADS:=8}" "${FAULTS_OPS:=500}"
: "${FAULTS_LEG:=2}" "${FAULTS_INJECT:=}" "${FAULTS_FAIL:=flush_fail 1}"

inject() { # inject LEG WORDS
	[ -z "$2" ] || dmsetup message "low$1" 0 "inject $2" || fail "refused: inject $2"
}

export LAB_FS=xfs
layer_requires "$FAULTS_LAYER"
right_module
half=$(($(sectors "$DATA") / 2 & ~2047))
legs_create "$half" /dev/lab/leg1 /dev/lab/leg2
layer_create "$(layer_table "$FAULTS_LAYER" "$half")" /dev/lab/top
mkfs.xfs -q -f -l agnum=0 /dev/mapper/top || fail "mkfs.xfs failed"
mount_fs /dev/mapper/top /mnt
n=0
while [ $((n += 1)) -le "$FAULTS_THREADS" ]; do
	mkdir "/mnt/$n"
done
sync
for leg in 1 2; do
	inject $leg "$FAULTS_INJECT"
done
[ "$FAULTS_LEG" = 0 ] || inject "$FAULTS_LEG" "$FAULTS_FAIL"

n=0
while [ $((n += 1)) -le "$FAULTS_THREADS" ]; do
	load_beside $n --dir "/mnt/$n" --promise dm:top --ops "$FAULTS_OPS" --give-up 0 \
		--progress $((n == 1 ? 20 : 0))
done
wait
for leg in 1 2; do
	inject $leg off
done
for n in top low1 low2; do
	dmsetup status $n
done
for load in /results/load.*; do
	grep -q ' syncs ' "$load" || fail "a writer did not come to its end: $(cat "$load")"
done
umount /mnt || fail "/mnt cannot be unmounted"
layer_remove

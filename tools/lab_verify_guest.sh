# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: fluxlog verify of logs that are disks, /dev/lab/verify1 and so on.
# Expected: it comes to an end; what it found is judged outside.
: "${VERIFY_OPTIONS:=}" "${VERIFY_DISKS:=1}"
requires loop fuse
for fs in xfs ext4 btrfs; do
	modprobe -q "$fs" || say "  this kernel has no $fs"
done

eval "set -- $VERIFY_OPTIONS"
n=1
while [ "$n" -le "$VERIFY_DISKS" ]; do
	set -- "$@" "/dev/lab/verify$n"
	n=$((n + 1))
done
{
	rc=0
	fluxlog verify --json /results/verify.json "$@" 2>&1 >/results/verify.txt || rc=$?
	echo "$rc" >/results/verify.status
} | while read -r line; do
	say "  $line"
done
[ -s /results/verify.status ] || fail "fluxlog verify did not end"

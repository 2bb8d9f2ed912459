# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Reading and asking find the same planted loss, with the same words; and where they do
# not agree, that is a finding.
text_of "$LOGS/xfs-discard.flog" >text
late text 150 150 >planted.txt
planted planted.txt planted.flog
for how in read ask; do
	expect 1 "$FLUXLOG" verify --cuts promise-150 --images durable --compare "$how" --json "$how.json" planted.flog
	findings FL101 1
done
same_results read.json ask.json
expect 1 "$FLUXLOG" verify --cuts promise-150 --images durable --compare both planted.flog
findings FL108 0

# another device in the image's place, with the same files at the same sectors and one
# of their blocks wiped: who reads sees it, who asks does not
write=$(carrier text "$(nth_promise text 464)")
cp --sparse=always "$LOGS/xfs-discard.raw" other
dd if=/dev/zero of=other bs=512 seek="$(echo "$write" | field s)" count=8 conv=notrunc status=none
expect 1 "$FLUXLOG" verify --cuts end --images all --compare both \
	--mount-cmd "mount -t xfs -o ro,loop,nouuid $T/other %m" "$LOGS/xfs-discard.flog"
findings FL101 1
findings FL108 1

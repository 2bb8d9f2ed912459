# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A log that begins on a device with a filesystem on it is walked over a base: the second
# half of a recording, over the image at its middle.
log=$LOGS/xfs-discard.flog
expect 0 "$FLUXLOG" replay --to mark-half_time/all "$log" base
text_of "$log" >text
middle=$(grep '^mark ' text | field i)
awk -v middle="$middle" '
	$1 != "fluxlog" && $1 != "super" {
		for (i = 2; i <= NF && $i !~ /^i=/; i++)
			;
		if (substr($i, 3) + 0 <= middle)
			next
	}
	{ print }' text >half.txt
planted half.txt half.flog
good --base base --cuts 12 --images durable,all,seed=1 --compare both --fsck half.flog
expect 2 "$FLUXLOG" verify --base nothing half.flog
says "nothing: No such file"
# over another base, files are not what was promised
cp --sparse=always "$LOGS/xfs-nosync.raw" other
expect 1 "$FLUXLOG" verify --base other --cuts end --images all half.flog

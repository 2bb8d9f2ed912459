# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: data and log devices with blocks of 512 and 4096 bytes, mixed.
# Expected: a complete log and no findings, whichever it is.
null_create d512 400 512
D512=$NULL
null_create d4k 400 4096
D4K=$NULL
null_create l512 200 512
L512=$NULL
for pair in "$D512 $D4K 512/4096" "$D4K $L512 4096/512"; do
	# shellcheck disable=SC2086 # three words
	set -- $pair
	echo "data/log: $3"
	flux_create rec "$1" "$2"
	make_fs /dev/mapper/rec
	mount_fs /dev/mapper/rec /mnt
	expect 0 fluxlog-load --dir /mnt --threads 2 --ops 100 --io direct --promise dm:rec
	umount /mnt
	dm_remove rec
	expect 0 fluxlog check "$2"
	output_has "promise"
done

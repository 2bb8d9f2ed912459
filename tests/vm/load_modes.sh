# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What: the workload in each of its modes, over one log.
# Expected: no findings; each run makes its promises.
flux_create rec "$DATA" "$LOG"
make_fs /dev/mapper/rec
mount_fs /dev/mapper/rec /mnt
run=1
for mode in append overwrite; do
	for sync in fsync fdatasync dsync mixed; do
		for io in buffered direct; do
			for files in own shared; do
				expect 0 fluxlog-load --dir /mnt --threads 3 --ops 20 --run $run \
					--mode $mode --sync $sync --io $io --files $files \
					--file-blocks 8 --bs 8192 --promise dm:rec
				output_has "promises [1-9][0-9]* errors 0"
				run=$((run + 1))
			done
		done
	done
done
expect 0 fluxlog-load --dir /mnt --threads 3 --ops 100 --sync-every 8 --run 100 --promise dm:rec
umount /mnt
dm_remove rec
expect 0 fluxlog check "$LOG"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: the demo's two recordings, in one guest: fsync writers, then the negative
# control on disks of its own.
# Expected: every call succeeds, both logs are complete. They are judged outside.
: "${DEMO_THREADS:=8}" "${DEMO_OPS:=6006}" "${DEMO_CONTROL_OPS:=100}"

# Run the workload; its progress goes to the host as it comes.
load() { # load DM OPTION...
	load_dm=$1
	shift
	{
		fluxlog-load --dir /mnt --promise "dm:$load_dm" "$@" 2>&1 >"/results/$load_dm.load" ||
			echo $? >/tmp/failed
	} | while read -r line; do
		say "  ${line#fluxlog-load: }"
	done
	say "  $(tail -n 1 "/results/$load_dm.load")"
	[ ! -e /tmp/failed ] || fail "the workload had errors: $(head -n 1 "/results/$load_dm.load")"
}

# Write metadata back every second instead of every 30: what is active of the journal
# is what each crash image has to recover, and the walk mounts hundreds.
short_journal() {
	modprobe -q "$LAB_FS"
	[ ! -w /proc/sys/fs/xfs/xfssyncd_centisecs ] ||
		echo 100 >/proc/sys/fs/xfs/xfssyncd_centisecs
}

record() { # record DM DATA LOG LOAD-OPTION...
	dm=$1
	flux_create "$dm" "$2" "$3"
	shift 3
	make_fs "/dev/mapper/$dm"
	short_journal
	mount_fs "/dev/mapper/$dm" /mnt
	load "$dm" "$@"
	umount /mnt
	say "  recorder: $(dmsetup status "$dm")"
	dm_remove "$dm"
}

say "recording: $DEMO_THREADS writers on $LAB_FS, each $DEMO_OPS times: append 4 KiB, fsync"
record fsync "$DATA" "$LOG" --threads "$DEMO_THREADS" --ops "$DEMO_OPS"
say "recording the negative control: the same writers promise and never call fsync"
record nosync "$DATA2" "$LOG2" --threads "$DEMO_THREADS" --ops "$DEMO_CONTROL_OPS" \
	--io direct --no-sync

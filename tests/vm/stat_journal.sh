# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
#
# What: which writes fluxlog stat takes for the journal's, on real ext4 and XFS.
# Expected: appends with fsync write it each time (ext4 a descriptor, at least one block and
# the commit, of which the block in between carries no magic), overwrites with fdatasync
# hardly ever, and nothing that holds the files' data is taken for the journal's.

figure() { # figure KEY: of the JSON of the last stat
	sed -n 's/^ *"'"$1"'": *\([0-9]*\),\{0,1\}$/\1/p' /tmp/stat.json
}

window() { # window N: between its marks
	expect 0 fluxlog stat --json /tmp/stat.json --from "mark-begin-$1" --to "mark-end-$1" "$LOG"
}

writes_of() { # writes_of N OPTION...
	run=$1
	shift
	expect 0 fluxlog-load --dir /mnt --run "$run" --promise dm:rec --mark "begin-$run" \
		--progress 0 --ops 40 "$@"
	dmsetup message rec 0 mark "end-$run"
}

at_least() { # at_least KEY N
	[ "$(figure "$1")" -ge "$2" ] || fail "$LAB_FS: $1 is $(figure "$1"), less than $2"
}

at_most() { # at_most KEY N
	[ "$(figure "$1")" -le "$2" ] || fail "$LAB_FS: $1 is $(figure "$1"), more than $2"
}

journal_is_seen() { # journal_is_seen LEAST: journal writes of an append
	flux_create rec "$DATA" "$LOG"
	make_fs /dev/mapper/rec
	mount_fs /dev/mapper/rec /mnt
	writes_of 1 --mode append
	writes_of 2 --mode overwrite --sync fdatasync --file-blocks 8
	umount /mnt
	dm_remove rec
	window 1
	at_least journal $((40 * $1))
	at_least data 40
	at_most data 44
	window 2
	at_most journal 8
	at_least data 40
}

# Metadata that the kernel writes back while a window is open would count as data.
sysctl_set() { # sysctl_set NAME VALUE: until the end
	later "echo $(cat "/proc/sys/vm/$1") >/proc/sys/vm/$1"
	echo "$2" >"/proc/sys/vm/$1"
}
sysctl_set dirty_writeback_centisecs 0
sysctl_set dirty_expire_centisecs 360000
LAB_FS=ext4
requires ext4
journal_is_seen 3
LAB_FS=xfs
journal_is_seen 1

# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # variables of the scenarios
#
# What scenarios use; read before each, in the guest.
#
# A scenario makes devices through these functions, which register their removal at
# once: "later" runs its commands in reverse order when the scenario ends, however it
# ends. It fails through "fail" and says what it needs through "requires".

DATA=/dev/lab/data
LOG=/dev/lab/log
CLEANUP=

say() { echo "$NONCE say $*" >&9; }

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

requires() { # requires MODULE...: or skip
	for module; do
		modprobe -q "$module" || skip "this kernel has no $module"
	done
}

run_cleanup() {
	status=$?
	set +e
	cd /
	while [ -n "$CLEANUP" ]; do
		command=${CLEANUP%%
*}
		CLEANUP=${CLEANUP#*
}
		eval "$command"
	done
	exit "$status"
}

later() { # later COMMAND
	CLEANUP="$*
$CLEANUP"
}

trap run_cleanup EXIT
# shellcheck source=/dev/null
. /lab/conf

sectors() { blockdev --getsz "$1"; }

# A name for a device-mapper device, removed at the end if it is still there.
dm_create() { # dm_create NAME TABLE...
	name=$1
	shift
	echo "dmsetup create $name: $*"
	dmsetup create "$name" --table "$*" || fail "dmsetup create $name refused: $*"
	later "dm_gone $name"
}

dm_gone() { # remove it if it is there
	! dmsetup info "$1" >/dev/null 2>&1 || dmsetup remove --retry "$1"
}

dm_remove() { dmsetup remove --retry "$1" || fail "$1 cannot be removed"; }

flux_table() { # flux_table DATA LOG [ARG...]
	flux_len=$(sectors "$1")
	flux_devs="$1 $2"
	shift 2
	echo "0 $flux_len fluxlog $flux_devs${*:+ $# $*}"
}

flux_create() { # flux_create NAME DATA LOG [ARG...]
	flux_name=$1
	shift
	dm_create "$flux_name" "$(flux_table "$@")"
}

# Fields of the status line, by the names of the admin guide.
flux_status() { # flux_status NAME FIELD
	dmsetup status "$1" | awk -v field="$2" '{
		split("state records flushes log_used log_total mem mem_max", names, " ")
		for (i in names) if (names[i] == field) print $(i + 3)
	}'
}

make_fs() { # make_fs DEVICE
	case $LAB_FS in
	xfs) mkfs.xfs -q -f "$1" ;;
	ext4) mkfs.ext4 -q -F "$1" ;;
	btrfs) mkfs.btrfs -q -f "$1" ;;
	esac || fail "mkfs of $LAB_FS on $1 failed"
}

fs_gone() { # unmount it if it is there
	! grep -q " $1 " /proc/mounts || umount "$1"
}

mount_fs() { # mount_fs DEVICE DIR
	mkdir -p "$2"
	mount -t "$LAB_FS" "$1" "$2" || fail "$1 cannot be mounted"
	later "fs_gone $2"
}

# A command must end with this status; its output goes to the log and to $OUT.
OUT=/tmp/out
expect() { # expect STATUS COMMAND...
	want=$1
	shift
	got=0
	"$@" >"$OUT" 2>&1 || got=$?
	sed 's/^/  /' "$OUT"
	[ "$got" = "$want" ] || fail "exit status $got instead of $want: $*"
}

output_has() { # output_has PATTERN: the output of the last expect
	grep -q -E "$1" "$OUT" || fail "no '$1' in the output of the last command"
}

# null_blk with memory behind it: every geometry, fast, gone at the end.
null_create() { # null_create NAME MIB BLOCKSIZE -> /dev/NAME is printed
	requires null_blk
	dir=/sys/kernel/config/nullb/$1
	mkdir "$dir"
	echo "$2" >"$dir/size"
	echo "$3" >"$dir/blocksize"
	echo 1 >"$dir/memory_backed"
	[ ! -e "$dir/discard" ] || echo 1 >"$dir/discard"
	echo 1 >"$dir/power"
	later "rmdir $dir"
	NULL=/dev/nullb$(cat "$dir/index")
	for try in 1 2 3 4 5; do
		[ -b "$NULL" ] && return
		[ -b "/dev/$1" ] && NULL=/dev/$1 && return
		sleep 1
	done
	fail "null_blk device $1 does not appear"
}

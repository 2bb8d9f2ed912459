# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_subject: what the commands that judge XFS have in common: subjects, their
# recording in a guest, figures out of reports.
#
# Takes   options that name subjects: variants of tests/kernel, xfs.ko files, or the
#         kernel as it is.
# Gives   for each subject S_NAME, LAB_XFS_KO and S_DIR, build/COMMAND/RELEASE/NAME.
# Relies  on the guest for proof that the module ran. Logs are judged on this machine.

S_SUBJECTS='' S_KERNEL=''

subject_usage() {
	cat <<-'HELP'
	subjects
	  --variant NAME     a variant of tests/kernel (vanilla, skip-covered, ...), built
	                     for this kernel; again for more
	  --xfs-ko FILE      an xfs module for this kernel; again for more
	  --kernel VERSION|FILE   this kernel with its own xfs, if nothing else is named;
	                     a bzImage needs --modules DIR (6.12)
	HELP
}

six_digits() { # six_digits OPTION VALUE
	case $2 in "" | *[!0-9]* | ???????*) die "$1 $2: not a number of at most six digits" ;; esac
}

add_subject() { # add_subject KIND=VALUE
	S_SUBJECTS="$S_SUBJECTS${S_SUBJECTS:+
}$1"
}

subject_option() { # subject_option NAME VALUE: 1 if it is another's
	case $1 in
	--variant) add_subject "variant=$2" ;;
	--xfs-ko)
		if [ ! -f "$2" ] || [ ! -r "$2" ]; then
			die "--xfs-ko $2: no file that can be read"
		fi
		add_subject "file=$(readlink -f "$2")" ;;
	--kernel) S_KERNEL=$2 ;;
	--modules) LAB_MODULES=${2%/} ;;
	*) return 1 ;;
	esac
}

# Options of a command, each with a value: to COMMAND_option.
each_option() { # each_option COMMAND ARG...
	command_name=$1
	shift
	while [ $# -gt 0 ]; do
		case $1 in --help) "${command_name}_usage"; exit 0 ;; esac
		[ $# -ge 2 ] || die "$command_name: $1: value is missing"
		"${command_name}_option" "$1" "$2"
		shift 2
	done
}

# Words of a rule of the target's message "inject" go through a shell in the guest.
inject_safe() { # inject_safe OPTION WORDS
	case $2 in *[!a-z0-9_@\ -]*) die "$1 $2: not words of the message inject" ;; esac
}

# After the options: programs, kernel, subjects are there.
subjects_ready() { # subjects_ready COMMAND
	FLUXLOG=$LAB_BUILD/bin/fluxlog
	[ -n "$S_SUBJECTS" ] || add_subject stock
	[ -x "$FLUXLOG" ] || die "$1: $FLUXLOG is not built (make)"
	S_KERNEL=${S_KERNEL:-${LAB_KERNEL_TOLD:-6.12}}
	LAB_KERNEL=$S_KERNEL
	kernel_find "$LAB_KERNEL"
}

subject_module() { # subject_module KIND=VALUE: sets S_NAME and LAB_XFS_KO
	LAB_XFS_KO=
	case $1 in
	variant=*)
		S_NAME=${1#*=}
		LAB_XFS_KO=$("$LAB_TOP/tests/kernel/build" --kernel "$S_KERNEL" "$S_NAME") ||
			die "$S_NAME: no such module to be had" ;;
	file=*)
		S_NAME=$(basename "${1#*=}" .ko)
		LAB_XFS_KO=${1#*=} ;;
	stock)
		S_NAME=stock ;;
	esac
}

subject_begin() { # subject_begin COMMAND KIND=VALUE
	subject_module "$2"
	S_DIR=$LAB_BUILD/$1/$KREL/$S_NAME
	rm -rf "$S_DIR"
	mkdir -p "$S_DIR" || die "$S_DIR: cannot be made"
}

# Each in a shell of its own; the worst status is what counts.
each_subject() { # each_subject FUNCTION: called with KIND=VALUE
	worst=0
	words_ifs=$IFS
	IFS='
'
	for subject in $S_SUBJECTS; do
		(IFS=$words_ifs; "$1" "$subject")
		got=$?
		[ "$got" -le "$worst" ] || worst=$got
	done
	IFS=$words_ifs
	return "$worst"
}

# Boots; what the guest says is in S_DIR/guest.txt, its disks are RUN/*.img.
record_guest() { # record_guest SCENARIO SETTING...
	scenario=$1
	shift
	LAB_ENV="$(printf '%s\n' "$@")
$LAB_ENV"
	[ -z "$LAB_XFS_KO" ] || LAB_ENV="$LAB_ENV
SUBJECT_XFS=$(sha256sum "$LAB_XFS_KO" | cut -d ' ' -f 1)"
	LAB_OUT=$S_DIR/guest
	LAB_SCENARIO_TIMEOUT=$LAB_TIMEOUT
	prepare
	initrd_build "$scenario"
	boot >"$S_DIR/guest.txt"
	# shellcheck disable=SC2153 # boot sets it
	[ "$VERDICT" = 0 ] || {
		cat "$S_DIR/guest.txt" >&2
		die "$S_NAME: the recording failed (status $VERDICT); see $S_DIR/guest"
	}
}

# The guest's disk as a log that ends where its records do.
take_log() { # take_log IMAGE LOG
	used=$("$FLUXLOG" info "$1" | sed -n 's/^ *log  *\([0-9][0-9]*\) of .* sectors used.*/\1/p')
	[ -n "$used" ] || die "$S_NAME: no complete log: $("$FLUXLOG" info "$1" 2>&1)"
	mv "$1" "$2" || die "$2: cannot be written"
	truncate -s "$((used * 512))" "$2"
}

# A value "N" from a line of a report, for each line with that name.
json_numbers() { # json_numbers FILE KEY
	sed -n 's/^ *"'"$2"'": *\([0-9][0-9]*\),\{0,1\}$/\1/p' "$1"
}

json_number() { # json_number FILE KEY: the last of that name
	json_numbers "$1" "$2" | tail -n 1
}

said() { # said FILE WORD: the number after it
	sed -n 's/^'"$2"' \([0-9-]*\)$/\1/p' "$1"
}

count() { # count WORDS FILE...: the numbers after them in fluxlog-load's lines, added
	words=$1
	shift
	sed -n "s/.*$words \\([0-9]*\\)\\( .*\\)*\$/\\1/p" "$@" | awk '{ n += $1 } END { print n + 0 }'
}

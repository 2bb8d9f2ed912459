# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_verify: fluxlog verify in a guest, with the kernel under test.
#
# Takes   LOG... [-- OPTION...], the options of fluxlog verify.
# Gives   what it prints, with the logs' names of this machine; with --out DIR its
#         results as DIR/results/verify.json; its exit status.
# Relies  on a log being readable as a disk as it is. If the guest fails, the status is
#         that of the lab, whatever verify said until then.

# Logs as disks, options as one word of a shell; files of this machine are not there.
verify_arguments() { # verify_arguments LOG... [-- OPTION...]: sets VERIFY_LOGS
	VERIFY_LOGS=
	verify_options=
	verify_n=0
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		case $1 in -*) die "verify: $1: options of fluxlog verify come after --" ;; esac
		[ -r "$1" ] || die "$1: cannot be read"
		verify_n=$((verify_n + 1))
		add_disk "verify$verify_n=$(readlink -f "$1")"
		VERIFY_LOGS="$VERIFY_LOGS $(quoted "$1")"
		shift
	done
	[ "$verify_n" -gt 0 ] || die "verify: no log named"
	[ $# -eq 0 ] || shift
	for word; do
		case $word in
		--base* | --journal* | --json*)
			die "verify: $word names a file, which the guest does not have (results: --out DIR)" ;;
		esac
		verify_options="$verify_options $(quoted "$word")"
	done
	LAB_ENV="$LAB_ENV
VERIFY_OPTIONS=$(quoted "$verify_options")
VERIFY_DISKS=$verify_n"
}

quoted() { # quoted WORD: as a shell takes it
	case $1 in
	"" | *[!A-Za-z0-9_./,=:@%+-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf %s "$1" ;;
	esac
}

# What the guest printed, with commands for this machine instead of the guest's.
verify_output() { # verify_output FILE
	logs=$(printf %s "$VERIFY_LOGS" | sed 's/[&#\\]/\\&/g')
	sed -e "/^  again: fluxlog verify/{
		s# /dev/lab/verify[0-9]*##g
		s#fluxlog verify#fluxlog-lab --kernel $LAB_KERNEL verify$logs --#
	}" "$1"
}

cmd_verify() {
	verify_arguments "$@"
	LAB_NO_MODULE=1
	LAB_SCENARIO_TIMEOUT=$LAB_TIMEOUT
	prepare
	initrd_build "$LAB_TOP/tools/lab_verify_guest.sh"
	boot >&2
	verify_status=$(cat "$RUN/results/verify.status" 2>/dev/null)
	[ ! -e "$RUN/results/verify.txt" ] || verify_output "$RUN/results/verify.txt"
	# verify sees the kernel's complaints as well: they are findings then
	case $VERDICT/$verify_status in
	0/[012] | 1/[12] | "$EXIT_SPLAT"/[12]) VERDICT=$verify_status ;;
	esac
	exit "$VERDICT"
}

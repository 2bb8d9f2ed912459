# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_accel: which accelerator of qemu works on this machine.
#
# Takes   /dev/kvm, KIMAGE.
# Gives   ACCEL (kvm or tcg) and ACCEL_WHY.
# Relies  on a timed boot: a /dev/kvm may accept a machine and never run it. The
#         answer holds until this machine boots anew.

ACCEL_PROOF_SECONDS=20

accel_cache() {
	echo "$LAB_BUILD/lab/accel.$(cat /proc/sys/kernel/random/boot_id)"
}

# The kernel has no root filesystem here: that it panics for lack of one proves that
# it ran.
accel_proof_boot() { # accel_proof_boot CONSOLE
	timeout -k 2 "$ACCEL_PROOF_SECONDS" qemu-system-x86_64 -accel kvm -cpu max -m 512 \
		-display none -no-reboot -nodefaults -kernel "$KIMAGE" -serial "file:$1" \
		-append "console=ttyS0 panic=-1" </dev/null >/dev/null 2>&1
	grep -a -q 'Kernel panic' "$1"
}

accel_find_out() { # -> "kvm reason" or "tcg reason"
	if [ ! -w /dev/kvm ]; then
		echo "tcg there is no /dev/kvm that may be used"
		return
	fi
	console=$(mktemp)
	if accel_proof_boot "$console"; then
		echo "kvm a guest booted with it"
	else
		echo "tcg no guest came up with kvm ($ACCEL_PROOF_SECONDS s allowed)"
	fi
	rm -f "$console"
}

accel_find() { # sets ACCEL and ACCEL_WHY
	ACCEL_WHY="as told"
	[ -z "$ACCEL" ] || return 0
	cache=$(accel_cache)
	if [ ! -s "$cache" ]; then
		mkdir -p "$LAB_BUILD/lab"
		[ ! -w /dev/kvm ] || note "trying kvm, for at most $ACCEL_PROOF_SECONDS s"
		accel_find_out >"$cache.new"
		mv "$cache.new" "$cache"
	fi
	read -r ACCEL ACCEL_WHY <"$cache"
}

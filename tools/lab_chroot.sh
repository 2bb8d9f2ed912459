# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_chroot: a folder with a newer Debian, for kernels that this machine's apt lacks.
#
# Takes   the mirror from this machine's apt, mmdebstrap; root.
# Gives   build/kernels/chroot, made once: trixie and its backports, with a compiler, since
#         the build tools of newer kernels need a newer libc than this machine may have.
#         chroot_run runs a command in it, chroot_kernel names the newest kernel of a series.
# Relies  on a mount namespace of its own for each command: no mount is ever left behind.
#         This machine's apt never learns of those suites.

CHROOT_SUITE=trixie
CHROOT_PACKAGES=gcc,make,xz-utils,bc,bison,flex,libelf-dev,libssl-dev,kmod,cpio

chroot_dir() { echo "$LAB_BUILD/kernels/chroot"; }

chroot_mirror() { # where this machine's own Debian packages come from
	# shellcheck disable=SC2016 # apt's own variable
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
		grep '/debian/$' | head -n 1
}

chroot_build() { # chroot_build DIR
	mirror=$(chroot_mirror)
	[ -n "$mirror" ] || die "chroot: apt of this machine has no Debian mirror"
	note "making a chroot of Debian $CHROOT_SUITE (a minute, 400 MB)"
	mmdebstrap --quiet --variant=apt --include="$CHROOT_PACKAGES" "$CHROOT_SUITE" "$1" \
		"deb $mirror $CHROOT_SUITE main" "deb $mirror $CHROOT_SUITE-backports main" \
		>"$1.log" 2>&1 || {
		tail -n 5 "$1.log" >&2
		die "chroot: mmdebstrap cannot make it"
	}
	chroot "$1" apt-get -q update >"$1.log" 2>&1 || die "chroot: no package lists: $(tail -n 1 "$1.log")"
}

# Once, whoever comes first; the others wait.
chroot_make() {
	[ ! -e "$(chroot_dir)/.ready" ] || return 0
	[ "$(id -u)" = 0 ] || die "chroot: a kernel that this machine's apt lacks needs root"
	command -v mmdebstrap >/dev/null || die "mmdebstrap is not installed (see tools/fluxlog-deps)"
	mkdir -p "$LAB_BUILD/kernels"
	(
		flock 9
		[ ! -e "$(chroot_dir)/.ready" ] || exit 0
		rm -rf "$(chroot_dir)" "$(chroot_dir).new"
		chroot_build "$(chroot_dir).new"
		mv "$(chroot_dir).new" "$(chroot_dir)" && : >"$(chroot_dir)/.ready"
	) 9>"$LAB_BUILD/kernels/chroot.lock" || exit $?
}

# The project's folders are at their own paths in it. objtool of 7.x reads /proc.
chroot_run() { # chroot_run COMMAND...: in the current directory
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -c '
		root=$1 here=$2
		shift 2
		mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev" || exit 2
		while [ "$1" != -- ]; do
			mkdir -p "$root$1" && mount --bind "$1" "$root$1" || exit 2
			shift
		done
		shift
		exec chroot "$root" sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$here" "$@"' \
		sh "$(chroot_dir)" "$PWD" "$LAB_TOP" "$LAB_BUILD" -- env DEBIAN_FRONTEND=noninteractive "$@"
}

chroot_kernel() { # chroot_kernel SERIES -> the newest linux-image package of it
	chroot_run apt-cache pkgnames "linux-image-$1" | sort -V |
		grep "^linux-image-$(printf %s "$1" | sed 's/\./\\./g')[.+-].*-cloud-amd64\$" | tail -n 1
}

chroot_install() { # chroot_install PACKAGE: once
	! chroot_run dpkg -s "$1" 2>/dev/null | grep -q '^Status: .* installed$' || return 0
	note "installing $1 in the chroot"
	(
		flock 9
		chroot_run apt-get -q -y --no-install-recommends install "$1" >"$LAB_BUILD/kernels/install.log" 2>&1
	) 9>"$LAB_BUILD/kernels/chroot.lock" || {
		tail -n 5 "$LAB_BUILD/kernels/install.log" >&2
		die "package $1: cannot be installed in the chroot"
	}
}

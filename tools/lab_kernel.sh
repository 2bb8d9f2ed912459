# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_kernel: finds a kernel, its modules and our module for it.
#
# Takes   --kernel 6.1 | 6.12 | 7.3 | any version that Debian has a cloud kernel of,
#         or a bzImage file with --modules DIR.
# Gives   KREL (release), KIMAGE (bzImage), KROOT (holds lib/modules/KREL),
#         KMODULE (dm-fluxlog.ko), all from build/kernels and build/module; KCHROOT, set if
#         the kernel is one that only the chroot's apt knows.
# Relies  on apt's lists, dpkg, kmod. Nothing is installed on this machine: packages are
#         unpacked, or installed in the chroot.

# shellcheck source-path=SCRIPTDIR source=lab_chroot.sh
. "$LAB_TOP/tools/lab_chroot.sh"

KCHROOT=

where_built() { # where_built COMMAND...: where the kernel's packages and tools are
	if [ -n "$KCHROOT" ]; then
		chroot_run "$@"
	else
		"$@"
	fi
}

apt_get() { # apt_get ARG...: in the current directory, with root's rights or none
	where_built apt-get -q -o APT::Sandbox::User=root "$@"
}

package_field() { # package_field FIELD PACKAGE
	where_built apt-cache show --no-all-versions "$2" 2>/dev/null | sed -n "s/^$1: //p"
}

# Debian's meta package of a version: 6.1 is bookworm's own, others carry a number.
kernel_package() { # kernel_package VERSION -> package of today's ABI; nothing if unknown
	for meta in "linux-image-$1-cloud-amd64" "linux-image-cloud-amd64"; do
		apt-cache show --no-all-versions "$meta" 2>/dev/null |
			sed -n 's/^Depends:[^,]*\(linux-image-[^ ,]*\).*/\1/p' |
			grep "^linux-image-$(printf %s "$1" | sed 's/\./\\./g')[.+-]" && return
	done
}

fetch_package() { # fetch_package DIR PACKAGE: unpack it there, once
	[ ! -e "$1/.unpacked-$2" ] || return 0
	note "fetching $2"
	mkdir -p "$1/.deb"
	# lists that are too old name versions that are gone
	(cd "$1/.deb" && { apt_get download "$2" || { apt_get update && apt_get download "$2"; }
		} >/dev/null) ||
		die "package $2: cannot be downloaded"
	dpkg -x "$1/.deb/$2"_*.deb "$1" || die "package $2: cannot be unpacked"
	rm -r "$1/.deb"
	: >"$1/.unpacked-$2"
}

# An installed header package serves as it is; else unpack one and correct the
# absolute include path in its Makefile.
kernel_headers() { # kernel_headers RELEASE -> what "make module KERNEL=" takes
	if [ -n "$KCHROOT" ]; then
		chroot_install "linux-headers-$1" >&2
		echo "/usr/src/linux-headers-$1"
		return
	fi
	if [ -e "/lib/modules/$1/build/Makefile" ]; then
		echo "$1"
		return
	fi
	dir=$LAB_BUILD/kernels/$1/headers
	if [ ! -e "$dir/.ready" ]; then
		common=$(echo "$1" | sed 's/-cloud-amd64$//')-common
		kbuild=$(package_field Depends "linux-headers-$1" |
			 sed -n 's/.*\(linux-kbuild-[^ ,]*\).*/\1/p')
		for package in "linux-headers-$1" "linux-headers-$common" "$kbuild"; do
			fetch_package "$dir" "$package" >&2
		done
		sed -i "s#/usr/src/#$dir/usr/src/#g" "$dir/usr/src/linux-headers-$1/Makefile"
		# BTF for the module would need pahole, and buys nothing here
		rm -f "$dir/usr/src/linux-headers-$1/vmlinux"
		ln -sfn "$dir/usr/lib/$kbuild/scripts" "$dir/usr/src/linux-headers-$1/scripts"
		ln -sfn "$dir/usr/lib/$kbuild/tools" "$dir/usr/src/linux-headers-$1/tools"
		: >"$dir/.ready"
	fi
	echo "$dir/usr/src/linux-headers-$1"
}

# From 7.2 on the image, its modules and their lists are packages that linux-image depends on.
fetch_kernel() { # fetch_kernel PACKAGE: into KROOT
	fetch_package "$KROOT" "$1"
	for part in base binary modules; do
		case $(package_field Depends "$1") in
		*linux-$part-$KREL*) fetch_package "$KROOT" "linux-$part-$KREL" ;;
		esac
	done
	# newer packages have their modules in usr/lib
	[ -e "$KROOT/lib" ] || ln -s usr/lib "$KROOT/lib"
}

kernel_from_package() { # kernel_from_package VERSION
	KCHROOT=
	package=$(kernel_package "$1")
	if [ -z "$package" ]; then
		chroot_make
		KCHROOT=1
		package=$(chroot_kernel "$1")
		[ -n "$package" ] || die "kernel $1: neither this machine's apt nor the one in $(chroot_dir) knows a cloud kernel of that version"
	fi
	KREL=${package#linux-image-}
	KROOT=$LAB_BUILD/kernels/$KREL
	fetch_kernel "$package"
	KIMAGE=$KROOT/boot/vmlinuz-$KREL
	[ -e "$KIMAGE" ] || KIMAGE=$KROOT/lib/modules/$KREL/vmlinuz
	if [ ! -e "$KROOT/lib/modules/$KREL/modules.dep" ]; then
		depmod -b "$KROOT" "$KREL" || die "kernel $KREL: depmod failed"
	fi
}

kernel_from_file() { # kernel_from_file BZIMAGE: modules from --modules
	[ -n "$LAB_MODULES" ] || die "kernel $1: a file needs --modules DIR"
	KREL=$(basename "$LAB_MODULES")
	KIMAGE=$1
	KROOT=${LAB_MODULES%/lib/modules/*}
	[ -e "$KROOT/lib/modules/$KREL/modules.dep" ] ||
		die "$LAB_MODULES: not a lib/modules/RELEASE with a modules.dep"
}

kernel_find() { # kernel_find VERSION|FILE
	if [ -f "$1" ]; then
		kernel_from_file "$1"
	else
		kernel_from_package "$1"
	fi
}

kernel_module() { # our module for KREL
	headers=$(kernel_headers "$KREL") || exit $?
	log=$(mktemp)
	if ! where_built make -s -C "$LAB_TOP" module KERNEL="$headers" >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		die "kernel $KREL: dm-fluxlog does not build"
	fi
	rm -f "$log"
	KMODULE=$LAB_BUILD/module/$KREL/dm-fluxlog.ko
	[ -e "$KMODULE" ] || die "$KMODULE: make module has not built it"
}

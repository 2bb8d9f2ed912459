# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_kernel: finds a kernel, its modules and our module for it.
#
# Takes   --kernel 6.1 | 6.12 | any version that Debian has a cloud kernel of,
#         or a bzImage file with --modules DIR.
# Gives   KREL (release), KIMAGE (bzImage), KROOT (holds lib/modules/KREL),
#         KMODULE (dm-fluxlog.ko), all from build/kernels and build/module.
# Relies  on apt's lists, dpkg, kmod. Nothing is installed: packages are unpacked.

apt_get() { # apt_get ARG...: in the current directory, with root's rights or none
	apt-get -q -o APT::Sandbox::User=root "$@"
}

# Debian's meta package of a version: 6.1 is bookworm's own, others carry a number.
kernel_package() { # kernel_package image|headers VERSION -> package of today's ABI
	for meta in "linux-$1-$2-cloud-amd64" "linux-$1-cloud-amd64"; do
		apt-cache show --no-all-versions "$meta" 2>/dev/null |
			sed -n 's/^Depends:[^,]*\(linux-'"$1"'-[^ ,]*\).*/\1/p' |
			grep "^linux-$1-$(printf %s "$2" | sed 's/\./\\./g')[.+-]" && return
	done
	die "kernel $2: apt knows no cloud kernel of that version (try apt-get update)"
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
	if [ -e "/lib/modules/$1/build/Makefile" ]; then
		echo "$1"
		return
	fi
	dir=$LAB_BUILD/kernels/$1/headers
	if [ ! -e "$dir/.ready" ]; then
		common=$(echo "$1" | sed 's/-cloud-amd64$//')-common
		kbuild=$(apt-cache show --no-all-versions "linux-headers-$1" |
			 sed -n 's/^Depends:.*\(linux-kbuild-[^ ,]*\).*/\1/p')
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

kernel_from_package() { # kernel_from_package VERSION
	package=$(kernel_package image "$1") || exit $?
	KREL=${package#linux-image-}
	KROOT=$LAB_BUILD/kernels/$KREL
	KIMAGE=$KROOT/boot/vmlinuz-$KREL
	fetch_package "$KROOT" "$package"
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
	if ! make -s -C "$LAB_TOP" module KERNEL="$headers" >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		die "kernel $KREL: dm-fluxlog does not build"
	fi
	rm -f "$log"
	KMODULE=$LAB_BUILD/module/$KREL/dm-fluxlog.ko
	[ -e "$KMODULE" ] || die "$KMODULE: make module has not built it"
}

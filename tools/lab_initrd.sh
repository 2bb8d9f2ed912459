# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_initrd: what the guest boots into, as layers of uncompressed cpio.
#
# Takes   KREL, KROOT, KMODULE; the machine's own programs; the scenarios.
# Gives   INITRD: base layer (busybox, programs, libraries, modules), a layer with
#         fio where wanted, and one with the scenarios and the settings of this run.
# Relies  on busybox-static and cpio. The first two layers are cached in build/lab
#         and made anew when any of their inputs has changed.

LAB_PROGRAMS="dmsetup mkfs.xfs xfs_repair mkfs.ext4 e2fsck mkfs.btrfs btrfs xfs_io
	cmp"
LAB_KMODULES="dm-mod dm-flakey dm-log-writes dm-delay dm-mirror dm-crypt dm-raid raid1 dm-thin-pool dm-writecache
	null_blk brd loop fuse virtio_blk
	virtio_pci xfs ext4 btrfs crc32c_generic crc32c_intel configfs"

find_program() {
	command -v "$1" || PATH=/usr/local/sbin:/usr/sbin:/sbin command -v "$1" ||
		die "$1: not installed (see tools/fluxlog-deps)"
}

libraries() { # libraries FILE... -> the shared libraries that they need
	ldd "$@" 2>/dev/null | sed -n 's/.*\(=> \|^[[:space:]]*\)\(\/[^ ]*\) (.*/\2/p' | sort -u
}

add_program() { # add_program ROOT FILE: with its libraries, at their own paths
	install -D "$2" "$1/bin/$(basename "$2")"
	libraries "$2" | while read -r lib; do
		[ -e "$1$lib" ] || install -D "$lib" "$1$lib"
	done
}

# Files of the named modules and of those that they depend on
module_files() { # module_files NAME...
	for name; do
		modprobe -d "$KROOT" -S "$KREL" --show-depends --ignore-install "$name" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p'
	done | sort -u
}

add_modules() { # add_modules ROOT
	dir=$1/lib/modules/$KREL
	mkdir -p "$dir"
	# shellcheck disable=SC2086 # a list of words
	module_files $LAB_KMODULES | while read -r file; do
		case $file in
		*.xz) xz -dc "$file" >"$dir/$(basename "$file" .xz)" ;;
		*.zst) zstd -q -dc "$file" >"$dir/$(basename "$file" .zst)" ;;
		*) cp "$file" "$dir/" ;;
		esac
	done
	cp "$KROOT/lib/modules/$KREL/modules.builtin" "$KROOT/lib/modules/$KREL/modules.builtin.modinfo" \
		"$KROOT/lib/modules/$KREL/modules.order" "$dir/"
	[ -z "$KMODULE" ] || cp "$KMODULE" "$dir/"
	depmod -b "$1" "$KREL" || die "kernel $KREL: depmod of the initramfs failed"
}

pack() { # pack ROOT CPIO
	(cd "$1" && find . -print0 | cpio --quiet -0 -o -H newc -R 0:0) >"$2.new" &&
		mv "$2.new" "$2"
}

base_inputs() {
	for program in $LAB_PROGRAMS busybox; do
		find_program "$program"
	done
	echo "$LAB_TOP/build/bin/fluxlog"
	echo "$LAB_TOP/build/bin/fluxlog-load"
	echo "$LAB_TOP/build/bin/replay-log"
	echo "$LAB_TOP/tools/lab_initrd.sh"
	[ -z "$KMODULE" ] || echo "$KMODULE"
}

build_base() { # build_base ROOT
	mkdir -p "$1/bin" "$1/proc" "$1/sys" "$1/dev" "$1/tmp" "$1/run" "$1/mnt" "$1/etc"
	ln -s bin "$1/sbin"
	install "$(find_program busybox)" "$1/bin/busybox"
	"$1/bin/busybox" --list | while read -r applet; do
		[ -e "$1/bin/$applet" ] || ln -s busybox "$1/bin/$applet"
	done
	for program in $LAB_PROGRAMS; do
		rm -f "$1/bin/$program"
		add_program "$1" "$(readlink -f "$(find_program "$program")")"
		# mkfs.ext4 is a link to mke2fs, which goes by its name
		[ "$(basename "$(readlink -f "$(find_program "$program")")")" = "$program" ] ||
			ln -sf "$(basename "$(readlink -f "$(find_program "$program")")")" "$1/bin/$program"
	done
	for program in fluxlog fluxlog-load replay-log; do
		[ ! -e "$LAB_TOP/build/bin/$program" ] ||
			add_program "$1" "$LAB_TOP/build/bin/$program"
	done
	ln -sf /proc/mounts "$1/etc/mtab"
	add_modules "$1"
}

build_fio() { # build_fio ROOT
	add_program "$1" "$(find_program fio)"
}

# A layer is rebuilt when the list of its inputs, sizes and times has changed.
layer() { # layer NAME INPUTS... -> build/lab/NAME.cpio, by build_NAME
	name=$1
	cpio=$LAB_BUILD/lab/$KREL/$name.cpio
	shift
	mkdir -p "$LAB_BUILD/lab/$KREL"
	stat -L -c '%n %s %Y' "$@" >"$cpio.inputs.new" 2>/dev/null || :
	if [ ! -e "$cpio" ] || ! cmp -s "$cpio.inputs" "$cpio.inputs.new"; then
		root=$(mktemp -d)
		"build_$name" "$root" || die "initramfs: layer $name cannot be built"
		pack "$root" "$cpio" || die "$cpio: cannot be written"
		rm -r "$root"
	fi
	mv "$cpio.inputs.new" "$cpio.inputs"
}

scenario_layer() { # scenario_layer CPIO SCENARIO...: and the settings of this run
	out=$1
	shift
	root=$(mktemp -d)
	mkdir -p "$root/lab/scen"
	install "$LAB_TOP/tools/lab_init.sh" "$root/init"
	cp "$LAB_TOP/tools/lab_guest.sh" "$LAB_TOP/tools/lab_splats" "$root/lab/"
	cp "$LAB_TOP/tests/vm/guest-lib" "$root/lab/lib.sh"
	n=100
	for scenario; do
		cp "$scenario" "$root/lab/scen/$n-$(basename "$scenario")"
		n=$((n + 1))
	done
	cat >"$root/lab/conf" <<-CONF
		NONCE=$NONCE
		SCENARIO_TIMEOUT=$LAB_SCENARIO_TIMEOUT
		LAB_FS=$LAB_FS
		LAB_INTERACTIVE=$LAB_INTERACTIVE
	CONF
	[ -z "$LAB_ENV" ] || printf '%s\n' "$LAB_ENV" >>"$root/lab/conf"
	pack "$root" "$out"
	rm -r "$root"
}

# Another xfs.ko than the kernel's: the later of two files with one name is what stays.
xfs_layer() { # xfs_layer CPIO
	root=$(mktemp -d)
	install -D -m 644 "$LAB_XFS_KO" "$root/lib/modules/$KREL/xfs.ko"
	pack "$root" "$1"
	rm -r "$root"
}

initrd_build() { # initrd_build SCENARIO...: sets INITRD
	# shellcheck disable=SC2046 # paths without spaces
	layer base $(base_inputs)
	scenario_layer "$RUN/scenario.cpio" "$@"
	INITRD=$RUN/initrd
	cat "$LAB_BUILD/lab/$KREL/base.cpio" >"$INITRD"
	if [ -n "$LAB_FIO" ]; then
		layer fio "$(find_program fio)" "$LAB_TOP/tools/lab_initrd.sh"
		cat "$LAB_BUILD/lab/$KREL/fio.cpio" >>"$INITRD"
	fi
	if [ -n "$LAB_XFS_KO" ]; then
		xfs_layer "$RUN/xfs.cpio" || die "$LAB_XFS_KO: cannot be put into the initramfs"
		cat "$RUN/xfs.cpio" >>"$INITRD"
		rm "$RUN/xfs.cpio"
	fi
	cat "$RUN/scenario.cpio" >>"$INITRD"
}

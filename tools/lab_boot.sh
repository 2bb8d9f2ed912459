# shellcheck shell=sh disable=SC2034 # variables of the other pieces
# SPDX-License-Identifier: GPL-2.0
#
# lab_boot: one guest from start to verdict.
#
# Takes   KIMAGE, INITRD, the options; RUN, a directory of this run.
# Gives   RUN/console (kernel), RUN/status (lines of the guest), RUN/results/ (its
#         files), the disks' images; what happened, in words and as an exit status.
# Relies  on nothing that the guest's kernel prints: only the line "NONCE exit N" on
#         the second serial port proves that the guest came to its end.

# Exit statuses. 1 and 2 as everywhere: scenarios failed; could not run.
EXIT_PANIC=10
EXIT_SPLAT=11
EXIT_TIMEOUT=12
EXIT_SILENCE=13
EXIT_NO_PROOF=14

make_disk() { # make_disk NAME SIZE
	[ -e "$RUN/$1.img" ] || truncate -s "$2" "$RUN/$1.img" ||
		die "$RUN/$1.img: cannot be made"
}

# A disk of one's own: made new if its value is a size; a path is a file, read only.
each_own_disk() { # each_own_disk FUNCTION: called with NAME and VALUE
	[ -n "$LAB_DISKS" ] || return 0
	printf '%s\n' "$LAB_DISKS" | while IFS='=' read -r disk value; do
		"$1" "$disk" "$value" || exit
	done
}

make_own_disk() { # make_own_disk NAME VALUE
	case $2 in
	*/*) [ -r "$2" ] || die "$2: cannot be read" ;;
	*) make_disk "$1" "$2" ;;
	esac
}

own_disk_args() { # own_disk_args NAME VALUE
	case $2 in
	*/*)	# a comma within a name is written twice
		printf '%s\n' -drive \
			"file=$(readlink -f "$2" | sed 's/,/,,/g'),format=raw,if=none,id=$1,readonly=on" \
			-device "virtio-blk-pci,drive=$1,serial=$1" ;;
	*)	disk_args "$1" "num-queues=$LAB_QUEUES" ;;
	esac
}

disk_args() { # disk_args NAME [DEVICE OPTION]
	printf '%s\n' -drive \
		"file=$RUN/$1.img,format=raw,if=none,id=$1,cache=unsafe,discard=unmap" \
		-device "virtio-blk-pci,drive=$1,serial=$1${2:+,$2}"
}

# Kernels from 7 on sometimes oops under tcg with a thread for each CPU.
accel_args() {
	case $ACCEL in
	kvm) echo kvm ;;
	*)
		case $KREL in
		[1-6].*) echo tcg,thread=multi ;;
		*) echo tcg,thread=single ;;
		esac ;;
	esac
}

# The IO-APIC timer check of a guest fails at times when this machine is busy.
qemu_args() { # one a line
	printf '%s\n' -accel "$(accel_args)" -cpu max -m "$LAB_MEM" -smp "$LAB_CPUS" \
		-display none -no-reboot -nodefaults -kernel "$KIMAGE" -initrd "$INITRD" \
		-append "console=ttyS0 loglevel=5 panic=-1 tsc=reliable no_timer_check $LAB_APPEND" \
		-serial "${LAB_CONSOLE:-file:$RUN/console}" -serial "file:$RUN/status"
	disk_args data "num-queues=$LAB_QUEUES"
	disk_args log "num-queues=$LAB_QUEUES"
	disk_args data2
	disk_args log2
	disk_args results
	each_own_disk own_disk_args
}

start_qemu() {
	make_disk data "$LAB_DATA_SIZE"
	make_disk log "$LAB_LOG_SIZE"
	make_disk data2 512M
	make_disk log2 512M
	make_disk results 256M
	each_own_disk make_own_disk || exit 2
	: >"$RUN/console"
	: >"$RUN/status"
	qemu_args >"$RUN/qemu.args"
	old_ifs=$IFS
	IFS='
'
	set -f
	# shellcheck disable=SC2046 # an argument a line
	set -- $(cat "$RUN/qemu.args")
	set +f
	IFS=$old_ifs
	if [ -n "$LAB_INTERACTIVE" ]; then
		qemu-system-x86_64 "$@" 2>"$RUN/qemu.err"
		QEMU=
	else
		qemu-system-x86_64 "$@" >"$RUN/qemu.out" 2>"$RUN/qemu.err" </dev/null &
		QEMU=$!
	fi
}

stop_qemu() {
	[ -n "${QEMU:-}" ] || return 0
	kill "$QEMU" 2>/dev/null
	wait "$QEMU" 2>/dev/null
	QEMU=
}

guest_lines() { # what the guest said, without the nonce; other lines do not count
	tr -d '\r' <"$RUN/status" | sed -n "s/^$NONCE //p"
}

# A line of the guest, for people; TAP where it is a scenario's verdict.
show_line() { # show_line WORD TEXT
	case $1 in
	ok)
		passed=$((passed + 1))
		echo "ok $2" ;;
	not)
		failed=$((failed + 1))
		echo "not ok $2" ;;
	skip)
		skipped=$((skipped + 1))
		echo "skip $2" ;;
	say) echo "$2" ;;
	booted) note "booted $2" ;;
	start | exit) ;;
	*) note "unknown line from the guest: $1 $2" ;;
	esac
}

show_new_lines() {
	total=$(guest_lines | wc -l)
	[ "$total" -gt "$shown" ] || return 0
	guest_lines | sed -n "$((shown + 1)),${total}p" >"$RUN/new"
	while read -r word text; do
		show_line "$word" "$text"
	done <"$RUN/new"
	shown=$total
}

bytes_said() {
	cat "$RUN/console" "$RUN/status" | wc -c
}

# Until qemu ends, the guest is silent for too long, or the time is over.
watch_qemu() {
	begin=$(date +%s)
	heard=$begin
	said=0
	while kill -0 "$QEMU" 2>/dev/null; do
		sleep 0.3
		now=$(date +%s)
		show_new_lines
		bytes=$(bytes_said)
		if [ "$bytes" != "$said" ]; then
			said=$bytes
			heard=$now
		fi
		if [ $((now - begin)) -ge "$LAB_TIMEOUT" ]; then
			WATCH=timeout
			return
		elif [ $((now - heard)) -ge "$LAB_SILENCE" ]; then
			WATCH=silence
			return
		fi
	done
	show_new_lines
	WATCH=ended
}

splat_line() { # the first splat on the console, as it stands there
	grep -a -m 1 -E -f "$LAB_TOP/tools/lab_splats" "$RUN/console" | tr -d '\r'
}

# What became of the guest: the worst first.
judge_run() {
	status=$(guest_lines | sed -n 's/^exit //p' | tail -n 1)
	if grep -a -q 'Kernel panic' "$RUN/console"; then
		verdict "$EXIT_PANIC" "the guest's kernel panicked: $(grep -a -m 1 'Kernel panic' "$RUN/console" | tr -d '\r')"
	elif splat_line >/dev/null && [ -n "$(splat_line)" ]; then
		verdict "$EXIT_SPLAT" "the guest's kernel complained: $(splat_line)"
	elif [ "$WATCH" = timeout ]; then
		verdict "$EXIT_TIMEOUT" "the guest was not done after $LAB_TIMEOUT s and was stopped"
	elif [ "$WATCH" = silence ]; then
		verdict "$EXIT_SILENCE" "the guest said nothing for $LAB_SILENCE s and was stopped"
	elif [ -z "$status" ]; then
		verdict "$EXIT_NO_PROOF" "the guest ended without proof that it came to its end: $(tail -n 1 "$RUN/qemu.err")"
	elif [ "$status" != 0 ]; then
		verdict 1 ""
	else
		verdict 0 ""
	fi
}

verdict() { # verdict STATUS WORDS
	VERDICT=$1
	[ -z "$2" ] || note "$2"
}

unpack_results() {
	mkdir -p "$RUN/results"
	[ -z "$(guest_lines | sed -n 's/^exit //p')" ] ||
		tar -x -f "$RUN/results.img" -C "$RUN/results" ||
		note "the guest's results cannot be unpacked"
}

boot() { # boot: sets VERDICT, passed, failed, skipped
	shown=0
	passed=0
	failed=0
	skipped=0
	start_qemu
	if [ -n "$QEMU" ]; then
		watch_qemu
		stop_qemu
		judge_run
	else
		VERDICT=0
	fi
	unpack_results
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# big_log.sh: how fast crash images open and read.
#
# usage: tests/big_log.sh BIN [RECORDS [KIB-EACH]]
#
# BIN is a folder with fluxlog and big-log. Makes a log of RECORDS writes of KIB-EACH KiB
# on average (125000 and 8: an eighth of a large one) in a folder of its own, opens a
# cut of it, and reads 1 GiB of an image through the mount and of a plain file with the
# same bytes, as cat does, three times, with the log in the page cache:
#   cold   the image was not read before: the server makes every byte
#   warm   it was: the kernel has it
# Needs root and /dev/fuse. Exit status 0 iff opening takes under 3 s and 400 MiB, the
# median of cold is 500 MB/s or better and that of warm a third of the plain file's; 1 if not; 2 if
# it could not run.
set -u
BIN=$(cd "$1" && pwd) || exit 2
records=${2:-125000}
kib=${3:-8}
work=$(mktemp -d) || exit 2
log=$work/log
cuts=$work/cuts
server=
end() {
	umount "$cuts" 2>/dev/null
	[ -z "$server" ] || wait "$server"
	rm -rf "$work"
}
trap end EXIT
trap 'exit 2' HUP INT TERM

die() {
	echo "big_log: $*" >&2
	exit 2
}

now() { date +%s%N; }

# rate FILE: MB/s of a reader that does nothing with what it gets
rate() {
	from=$(now)
	timeout 120 dd if="$1" of=/dev/null bs=128K count=$((bytes / 131072)) 2>/dev/null ||
		die "$1: cannot be read"
	echo $((bytes * 1000 / ($(now) - from)))
}

median() { printf '%s\n' "$@" | sort -n | sed -n 2p; }

[ "$(id -u)" = 0 ] || die "needs root"
[ -w /dev/fuse ] || die "needs /dev/fuse"
mkdir "$cuts"
"$BIN/big-log" "$log" "$records" "$kib" || die "no log"
sync "$log"
cat "$log" >/dev/null

from=$(now)
"$BIN/fluxlog" mount --foreground "$log" "$cuts" >/dev/null 2>&1 &
server=$!
until [ -e "$cuts/end/all" ]; do
	kill -0 "$server" 2>/dev/null || die "the mount is gone"
	sleep 0.02
done
head -c 1 "$cuts/end/all" >/dev/null
open_ms=$((($(now) - from) / 1000000))
rss=$(awk '/^VmHWM:/ { print $2 }' "/proc/$server/status")

size=$(wc -c <"$cuts/end/all")
bytes=$((size < 1073741824 ? size / 131072 * 131072 : 1073741824))
head -c "$bytes" "$cuts/end/all" >"$work/plain"
cat "$work/plain" >/dev/null
plain=
cold=
warm=
last=$((records * 2 - 100))
for round in 1 2 3; do
	image=$cuts/tick-$((last + round))/all
	cold="$cold $(rate "$image")"
	warm="$warm $(rate "$image")"
	plain="$plain $(rate "$work/plain")"
done
# shellcheck disable=SC2086 # lists of numbers
plain=$(median $plain) cold=$(median $cold) warm=$(median $warm)

echo "log      $records records, $(wc -c <"$log") bytes"
echo "open     $open_ms ms, $((rss / 1024)) MiB at the most"
echo "plain    $plain MB/s"
echo "cold     $cold MB/s, $((cold * 100 / plain))% of plain"
echo "warm     $warm MB/s, $((warm * 100 / plain))% of plain"
[ "$open_ms" -lt 3000 ] && [ "$rss" -lt 409600 ] && [ "$cold" -ge 500 ] &&
	[ $((warm * 3)) -ge "$plain" ]

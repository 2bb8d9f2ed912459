# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Logs of qemu's blklogwrites, in blocks of 512 and 4096 bytes: no end mark, no FUA,
# zeroes as data. They import, and replay to what qemu wrote.
command -v qemu-io >/dev/null || skip "no qemu-io"
for block in 512 4096; do
	rm -f disk log
	truncate -s 4M disk
	truncate -s 16M log
	qemu-io --image-opts "driver=blklogwrites,file.driver=file,file.filename=disk,log.driver=file,log.filename=log,log-sector-size=$block" >qemu.out <<-COMMANDS
	write -P 17 0 64k
	flush
	write -z 8k 512k
	write -f -P 34 4k 4k
	discard 16k 8k
	write -P 51 1M 1M
	flush
	write -P 68 3M 4k
	COMMANDS
	expect 2 "$FLUXLOG" info log
	says "the last of them is not the mark dm-log-writes-end"
	prints "blocks of $block bytes"
	expect 2 "$FLUXLOG" convert log -o log.flog --data-sectors 8192
	prints "no verdict is passed on"
	expect 2 "$FLUXLOG" check log
	prints "CANNOT KNOW"
	truncate -s 0 image
	truncate -s 4M image
	expect 0 "$BIN/replay-log" --log log --replay image
	cmp image disk || fail "a replay is not what qemu wrote"
	expect 2 "$FLUXLOG" replay log.flog flux.img
	cmp flux.img disk || fail "the imported log is not what qemu wrote"
	# as of the first flush
	truncate -s 0 image
	truncate -s 4M image
	expect 0 "$BIN/replay-log" --log log --replay image --next-flush
	expect 2 "$FLUXLOG" replay --to flush-1/durable log.flog flux.img
	cmp image flux.img || fail "flush-1 differs"
	[ "$(byte_at image 8192)" = 17 ] || fail "flush-1 is not the first flush"
done

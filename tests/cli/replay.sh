# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# replay --to writes any image, to a new sparse file or over a whole device; it leaves
# alone what it must not touch.
make_log a.flog <<TEXT
super dev=3 data_sectors=2048
write s=0 n=8 data=fill:11*8
flush
mark text="early"
write s=4 n=8 data=fill:22*8
write s=2000 n=1 err=EIO data=fill:33
discard s=0 n=2
end
TEXT
image() { # image ARGUMENT...: replay to the file image, whose first bytes it prints
	expect 0 "$FLUXLOG" replay "$@" image
	silent
	[ "$(size_of image)" -eq 1048576 ] || fail "not as large as the device: $*"
}
bytes() { # bytes SECTOR...: the first byte of each
	for sector; do
		printf '%s ' "$(byte_at image $((sector * 512)))"
	done
}
head -c 2000000 /dev/urandom >image
image a.flog
prints "image: 2048 sectors, 4 writes issued by then, 3 of them floating"
[ "$(bytes 0 2 4 11 12 2000)" = "0 17 34 34 0 51 " ] || fail "end/all: $(bytes 0 2 4 11 12 2000)"
[ "$(du -k image | cut -f 1)" -le 64 ] || fail "not sparse"
image --to end/durable a.flog
[ "$(bytes 0 2 4 11 2000)" = "17 17 17 0 0 " ] || fail "end/durable: $(bytes 0 2 4 11 2000)"
image --to mark-early a.flog
[ "$(bytes 0 4 11)" = "17 17 0 " ] || fail "mark-early: $(bytes 0 4 11)"
image --to end/torn=6:2 --dev 3 a.flog
[ "$(bytes 4 5 6)" = "17 34 17 " ] || fail "torn: $(bytes 4 5 6)"
image --to start a.flog
cmp -n 1048576 image /dev/zero
head -c 600000 /dev/urandom >base
image --to start --base base a.flog
cmp -n 600000 image base
cmp -n 448576 -i 600000:0 image /dev/zero

# what makes no sense
cp image before
expect 2 "$FLUXLOG" replay --to flush-2 a.flog image
says 'no cut "flush-2"'
expect 2 "$FLUXLOG" replay --to end/only=1 a.flog image
says "no write was issued at tick 1 that floats"
expect 2 "$FLUXLOG" replay --dev 4 a.flog image
says "none of the logs is of device 4"
expect 2 "$FLUXLOG" replay a.flog nowhere/image
says "nowhere/image: No such file or directory"
expect 2 "$FLUXLOG" replay a.flog /dev/null
says "/dev/null: neither a file nor a block device"
cmp image before

# the log itself and the base are not touched
cp a.flog copy
ln a.flog link
expect 2 "$FLUXLOG" replay a.flog link
says "link: is the log a.flog"
cmp a.flog copy
cp base copy
expect 2 "$FLUXLOG" replay --base base a.flog base
says "base: is the base image"
cmp base copy

# a group
make_log b.flog <<TEXT
super dev=5 data_sectors=2048
write s=0 n=1 i=100 data=fill:44
end
TEXT
expect 2 "$FLUXLOG" replay a.flog b.flog image
says "of which of the 2 devices?"
expect 2 "$FLUXLOG" replay --dev 3 --to end/all.dev5 a.flog b.flog image
says "is of another device than 3"
image --dev 5 a.flog b.flog
[ "$(bytes 0)" = "68 " ] || fail "device 5: $(bytes 0)"
image --to end/all.dev3 a.flog b.flog
[ "$(bytes 4)" = "34 " ] || fail "device 3: $(bytes 4)"

# of a log that ends early, what there is
make_log cut.flog <<TEXT
super data_sectors=2048
write s=0 n=1 data=fill:55
flush
TEXT
expect 2 "$FLUXLOG" replay cut.flog image
says "cut.flog: cut off"
[ "$(bytes 0)" = "85 " ] || fail "cut off: $(bytes 0)"

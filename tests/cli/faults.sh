# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# What fluxlog-lab faults refuses before it boots anything.
lab=$BIN/fluxlog-lab

expect 0 "$lab" faults --help
for option in --variant --xfs-ko --kernel --layer --leg --every --threads --ops --seed \
	--flush-ms --jitter-ms; do
	grep -q -e "$option " out || fail "help does not name $option"
done
silent

refused() { # refused WORDS OPTION...
	words=$1
	shift
	expect 2 "$lab" faults "$@"
	says "$words"
}
refused "--bogus: unknown option" --bogus 1
refused "--ops: value is missing" --ops
refused "--ops 1x: not a number" --ops 1x
refused "--layer raid5: not linear, mirror or raid1" --layer raid5
refused "--leg 3: not 0, 1 or 2" --leg 3
refused "needs one thread" --threads 0
refused "needs one thread" --ops 0
refused "needs one thread" --every 0
refused "no-such.ko: no file" --xfs-ko no-such.ko

# a kernel without the layer's module
mkdir -p root/lib/modules/1.0-none
: >root/lib/modules/1.0-none/modules.dep
: >bzImage
for layer in mirror:dm-mirror raid1:dm-raid; do
	refused "kernel 1.0-none has no module ${layer#*:}, which --layer ${layer%:*} needs" \
		--kernel bzImage --modules root/lib/modules/1.0-none --layer "${layer%:*}"
done

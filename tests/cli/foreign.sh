# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Things that are no log, or only in part ours.
: >empty
each_command empty 2 "empty: is empty: no super at offset 0"
cp "$FLUXLOG" elf
each_command elf 2 "elf: not a fluxlog log: magic 0x" "at offset 0"
head -c 100000 /dev/zero >zeros
each_command zeros 2 "not a fluxlog log: magic 0x0000000000000000 at offset 0"
mkdir folder
each_command folder 2 "folder: neither a file nor a block device"
mkfifo fifo
each_command fifo 2 "fifo: neither a file nor a block device"

small_log a.flog
cp a.flog huge.flog
poke huge.flog 4128 255 255 255 255
each_command huge.flog 2 "unit 0 at offset 4096 is torn: a length of 4294967295 blocks"

make_log old.flog <<TEXT
super uuid=00000000-0000-0000-0000-0000000000aa log_sectors=100
unit
flush
unit
flush
end
TEXT
make_log ours.flog <<TEXT
super log_sectors=100
unit
flush
TEXT
{ cat ours.flog; tail -c +4609 old.flog; } >both.flog
each_command both.flog 2 "unit 1 at offset 4608 belongs to another log (uuid 00000000-0000-0000-0000-0000000000aa)"

{ cat ours.flog; head -c 5000 /dev/zero; } >zero_tail.flog
each_command zero_tail.flog 2 "unit 1 at offset 4608 is missing: there are zeros"

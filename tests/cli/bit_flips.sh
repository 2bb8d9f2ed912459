# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A flipped bit in the super, a unit's head, a record or a payload (the unit tests
# flip every bit): 2, with the offset.
small_log a.flog
flip() { # flip OFFSET BIT
	cp a.flog bad.flog
	poke bad.flog "$1" $(($(byte_at a.flog "$1") ^ (1 << $2)))
}
for at in 0 8 12 16 40 48 60 72 95 160 500 4092 4095; do
	flip "$at" $((at % 8))
	each_command bad.flog 2 "bad.flog: " "offset 0"
done
for at in 4096 4104 4120 4128 4132 4136 4140 4144 4152 4160 4161 4168 4216 4220 4608 6143; do
	flip "$at" $((at % 7))
	each_command bad.flog 2 "bad.flog: cut off" "unit 0 at offset 4096"
done
for at in 6656 6680 6720 6784; do
	flip "$at" 3
	each_command bad.flog 2 "unit 2 at offset 6656"
done

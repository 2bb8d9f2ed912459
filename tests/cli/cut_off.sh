# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Cut off anywhere (the unit tests cut at each byte): 2, with offset and reason.
small_log a.flog
for at in 1 7 8 100 4095; do
	head -c "$at" a.flog >cut.flog
	each_command cut.flog 2 "cut.flog: ends at offset $at, inside the super"
done
for at in 4096 4097 4159 4160 4607 6000 6143; do
	head -c "$at" a.flog >cut.flog
	each_command cut.flog 2 "at offset 4096" "the file ends"
done
for at in 6144 6145 6655; do
	head -c "$at" a.flog >cut.flog
	each_command cut.flog 2 "at offset 6144" "the file ends"
done
for at in 6656 7167; do
	head -c "$at" a.flog >cut.flog
	each_command cut.flog 2 "at offset 6656" "the file ends"
done
# explain and replay do not take it for whole either
expect 2 "$FLUXLOG" explain cut.flog 99
expect 2 "$FLUXLOG" replay cut.flog image
says "at offset 6656"
# what was whole before the cut is in the text
expect 2 "$FLUXLOG" dump cut.flog
prints 'promise i=11 call=fsync dev=0 sector=8 n=1'

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# A data block that no promise covers is gone: nobody says anything.
text_of "$LOGS/xfs-discard.flog" >text
promise=$(nth_promise text 100)
file=$(echo "$promise" | field file)
write=$(carrier text "$promise")
[ -n "$write" ] || fail "no write of one block carries $promise"
grep -vxF "$write" text | grep -v "^promise .* run=1 file=$file " >planted.txt
planted planted.txt planted.flog
expect 0 "$FLUXLOG" check planted.flog
expect 0 "$FLUXLOG" verify --cuts 20,promise-60,promise-80 --images durable,all planted.flog
# and with the promise, both do
grep -vxF "$write" text >planted.txt
planted planted.txt planted.flog
expect 1 "$FLUXLOG" check planted.flog
expect 1 "$FLUXLOG" verify --cuts promise-100 --images all planted.flog

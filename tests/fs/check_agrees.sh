# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# ext4 with an external journal as it is mounted by default: whether this kernel keeps
# its promises there or not, check and verify say the same.
set -- "$LOGS/ext4-extn.flog" "$LOGS/ext4-extn-j.flog"
rc=0
"$FLUXLOG" check "$@" >check.out || rc=$?
[ "$rc" != 2 ] || fail "check could not judge: $(cat check.out)"
expect "$rc" "$FLUXLOG" verify --cuts 10 "$@"
say "check and verify end with $rc: $(tail -n 1 out)"

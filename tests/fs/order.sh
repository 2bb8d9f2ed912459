# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# Recovery never sees the future: up, down and at random the results are the same.
set -- --cuts 40 --images durable,all,seed=1 "$LOGS/xfs-discard.flog"
expect 0 "$FLUXLOG" verify --order up --json up.json "$@"
expect 0 "$FLUXLOG" verify --order down --json down.json "$@"
expect 0 "$FLUXLOG" verify --order random=7 --json random.json "$@"
same_results up.json down.json
same_results up.json random.json
# also where there are findings
set -- --cuts flush --images durable,all,seed=1 "$LOGS/xfs-nosync.flog"
expect 1 "$FLUXLOG" verify --order up --json up.json "$@"
expect 1 "$FLUXLOG" verify --order down --json down.json "$@"
expect 1 "$FLUXLOG" verify --order random --json random.json "$@"
same_results up.json down.json
same_results up.json random.json

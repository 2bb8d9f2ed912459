# shellcheck shell=sh
# says: lasted longer than 1 s
# limit: 1
sleep 30

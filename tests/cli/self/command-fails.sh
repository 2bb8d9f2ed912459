# shellcheck shell=sh
# says: exit code 0, should be 1
expect 1 true

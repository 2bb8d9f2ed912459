# shellcheck shell=sh
# says: stdout should have "good bye"
expect 0 echo hello
prints "good bye"

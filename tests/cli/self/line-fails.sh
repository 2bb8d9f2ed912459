# shellcheck shell=sh
# says: No such file
cat nothing
true

# shellcheck shell=sh disable=SC2154
# says: parameter not set
echo "$no_such_variable"

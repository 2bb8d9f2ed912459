# shellcheck shell=sh
# says: a report
echo "a report" >"$T/sanitizer/asan.1"

# shellcheck shell=sh
# says: stderr should say "no such words"
expect 0 echo hello
says "no such words"

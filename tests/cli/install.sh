# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# make install puts programs that run, manuals and completion; make uninstall leaves
# nothing of it, and what is not ours.
top=$DATA/../..
case $BIN in
*/asan/bin) variant=asan ;;
*) variant=plain ;;
esac
mk() {
	make -C "$top" --no-print-directory VARIANT=$variant DESTDIR="$T/root" PREFIX=/usr "$@" >make.out 2>&1 ||
		fail "$(cat make.out)"
}
mkdir -p root/usr/bin
: >root/usr/bin/other
mk install
for file in bin/fluxlog bin/replay-log bin/fluxlog-load share/man/man8/fluxlog.8 \
	share/man/man8/replay-log.8 share/man/man5/fluxlog-log.5 share/man/man1/fluxlog-load.1 \
	share/bash-completion/completions/fluxlog; do
	[ -s "root/usr/$file" ] || fail "no $file"
done
expect 0 root/usr/bin/fluxlog --version
expect 0 root/usr/bin/replay-log --help
[ "$(stat -c %a root/usr/bin/fluxlog)" = 755 ] || fail "mode of fluxlog"

# completes WORD WORDS...: at the end of the command line WORDS, WORD is offered
completes() {
	want_word=$1
	shift
	# shellcheck disable=SC2016 # for bash
	PATH=$T/root/usr/bin:$PATH bash -c '. "$0"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		case $1 in fluxlog) _fluxlog ;; *) _replay_log ;; esac
		printf "%s\n" "${COMPREPLY[@]}"' \
		root/usr/share/bash-completion/completions/fluxlog "$@" >out
	grep -qxF -- "$want_word" out || fail "$want_word is not offered: $*: $(cat out)"
}
completes check fluxlog ch
completes convert fluxlog ""
completes convert fluxlog help con
completes --data-sectors fluxlog convert --d
completes --next-fua replay-log --next
completes discard replay-log --log x --check d
completes make.out fluxlog info make
! (completes check fluxlog xx) >/dev/null || fail "check is offered for xx"

mk uninstall
left=$(find root ! -type d)
[ "$left" = root/usr/bin/other ] || fail "left: $left"

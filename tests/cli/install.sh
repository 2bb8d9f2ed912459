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

for program in fluxlog replay-log fluxlog-load; do
	cmp "$top/tools/completion" root/usr/share/bash-completion/completions/$program
done
for page in root/usr/share/man/man*/*; do
	man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null | tee err
	[ ! -s err ] || fail "$page has warnings"
done

mk uninstall
left=$(find root ! -type d)
[ "$left" = root/usr/bin/other ] || fail "left: $left"

# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0
# bash completion offers each command and option that the programs' help names, and
# nothing that it does not name.
completion=$DATA/../../tools/completion

# offers WORDS...: what is offered at the end of this command line, into offered
offers() {
	# shellcheck disable=SC2016 # for bash
	PATH=$BIN:$PATH bash -c '. "$0"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		set -- $(complete -p -- "$1" | sed "s/.*-F \([^ ]*\).*/\1/")
		"$1"
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$@" | sort -u >offered
}

# completes WORD WORDS...: at the end of the command line WORDS, WORD is offered
completes() {
	want_word=$1
	shift
	offers "$@"
	grep -qxF -- "$want_word" offered || {
		echo "$want_word is not offered: $*: $(cat offered)"
		return 1
	}
}

# same_words WANTED WORDS...: these are offered, no more and no fewer
same_words() {
	wanted=$1
	shift
	[ -s "$wanted" ] || { echo "the help names nothing for $*"; return 1; }
	offers "$@"
	diff -u "$wanted" offered || { echo "$* offers other words than the help has"; return 1; }
}

# options HELP-COMMAND...: every option that the help names, into options
options() {
	"$@" >help.txt || return
	grep -oE -- '(^|[^a-zA-Z0-9-])--[a-zA-Z0-9-]+' help.txt | sed 's/^[^-]//' | sort -u >options
}

commands_of_fluxlog() { sed -n 's/^  \([a-z]*\)  .*/\1/p' "$1"; }
commands_of_lab() { sed -n '/^commands/,/^$/s/^  \([a-z]*\) .*/\1/p' "$1"; }

# Each program and each command against its own help.
all_agree() {
	"$FLUXLOG" --help >fluxlog.help
	commands_of_fluxlog fluxlog.help >commands
	[ "$(wc -l <commands)" -ge 13 ] || { echo "few commands"; return 1; }
	{ cat commands; echo help; echo --version; } | sort -u >words
	same_words words fluxlog "" || return
	while read -r command; do
		options "$FLUXLOG" help "$command" || return
		[ ! -s options ] || same_words options fluxlog "$command" -- || return
	done <commands
	for program in replay-log fluxlog-load fluxlog-lab; do
		options "$BIN/$program" --help || return
		same_words options "$program" -- || return
	done
	"$BIN/fluxlog-lab" --help >lab.help
	commands_of_lab lab.help | sort -u >words
	[ "$(wc -l <words)" -ge 7 ] || { echo "few commands of the lab"; return 1; }
	same_words words fluxlog-lab --kernel 6.1 "" || return
	options "$BIN/fluxlog-lab" validate --help || return
	same_words options fluxlog-lab validate --
}
all_agree || exit 1

# One option or command less, and it is seen.
good=$completion
completion=$T/lacking
# shellcheck disable=SC2016 # the last is for the completion's shell
for lack in 's/| sort -u)/| sort -u | grep -vx -- --json)/' 's/| sort -u)/| sort -u | grep -vx -- --bs)/' \
	's/help --version"/--version"/' 's/{values:-\$2}/{values:-}/'; do
	sed "$lack" "$good" >"$completion"
	! cmp -s "$good" "$completion" || fail "$lack changes nothing"
	! (all_agree) >agreed 2>&1 || fail "this lack is not seen: $lack"
done
completion=$good

: >some.log
completes convert fluxlog help con
completes --data-sectors fluxlog convert --d
completes discard replay-log --log x --check d
completes append fluxlog-load --mode ""
completes overwrite fluxlog-load --mode over
completes fdatasync fluxlog-load --sync fd
completes btrfs fluxlog-lab --fs b
completes 6.12 fluxlog-lab --kernel ""
completes --xfs-ko fluxlog-lab --kernel 6.12 validate --x
completes some.log fluxlog info some
completes some.log fluxlog-lab run some
! (completes check fluxlog xx) >/dev/null || fail "check is offered for xx"

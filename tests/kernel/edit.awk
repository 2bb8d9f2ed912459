# SPDX-License-Identifier: GPL-2.0
#
# edit: one replacement in a source file.
#
# Takes   OLD, NEW and COUNT from the environment, whole lines of text each.
# Gives   the file with every OLD replaced by NEW; status 1 and nothing of worth if OLD
#         does not occur exactly COUNT times: the source is not what the edit is for.

{ text = text $0 "\n" }

END {
	old = ENVIRON["OLD"]
	while ((at = index(text, old)) > 0) {
		done = done substr(text, 1, at - 1) ENVIRON["NEW"]
		text = substr(text, at + length(old))
		found++
	}
	printf "%s%s", done, text
	exit found + 0 != ENVIRON["COUNT"] + 0
}

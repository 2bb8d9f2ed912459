# SPDX-License-Identifier: GPL-2.0
#
# make install     the programs, their manuals and bash completion
# make uninstall   takes away what install put there
# make deb         Debian packages of them and of the module, into build/deb/
# make check-pkg   these packages, installed and purged in a chroot
#
# PREFIX [/usr/local] and DESTDIR as usual. The module is installed by DKMS (README.md);
# fluxlog-lab works from the source tree.

PREFIX ?= /usr/local
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions

INSTALL_BIN := fluxlog replay-log fluxlog-load
INSTALL_MAN := $(wildcard replay/*.[58]) tools/fluxlog-load.1
# bash-completion looks for a file by the name of the program
INSTALL_COMPLETION := fluxlog replay-log fluxlog-load

man_path = $(MANDIR)/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
INSTALLED := $(INSTALL_BIN:%=$(PREFIX)/bin/%) $(foreach m,$(INSTALL_MAN),$(call man_path,$(m))) \
	$(INSTALL_COMPLETION:%=$(COMPLETIONDIR)/%)

.PHONY: install uninstall
install: all
	$(foreach p,$(INSTALL_BIN),install -D -m 755 $(BIN)/$(p) $(DESTDIR)$(PREFIX)/bin/$(p) &&) :
	$(foreach m,$(INSTALL_MAN),install -D -m 644 $(m) $(DESTDIR)$(call man_path,$(m)) &&) :
	$(foreach c,$(INSTALL_COMPLETION),install -D -m 644 tools/completion \
		$(DESTDIR)$(COMPLETIONDIR)/$(c) &&) :
uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)%)

.PHONY: deb check-pkg
deb:
	tools/fluxlog-deps deb
	tools/package
check-pkg:
	tests/pkg/run

# SPDX-License-Identifier: GPL-2.0
#
# make            programs into build/bin/
# make module     the kernel module (KERNEL=release or headers directory)
# make check      everything: unit, command line, guests, filesystems; ends with the totals
# make verify-all every flush point of the filesystem tests' recordings
# make lint       shellcheck of all shell; sparse and checkpatch on the module
# make demo, make bench: see README.md
# make install, uninstall   the programs (PREFIX, DESTDIR)
# make deb        Debian packages: the module for DKMS, the programs
# make bench-images   how fast crash images open and read (BIG_LOG="1000000 8": all of it)
#
# V=1 shows whole commands. VARIANT=asan builds the same programs with sanitizers into build/asan/bin/.

VARIANT ?= plain
CC ?= gcc
PKG_CONFIG ?= pkg-config

ifeq ($(VARIANT),asan)
OUT := build/asan
VARIANT_FLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
OUT := build
VARIANT_FLAGS := -O2
endif
OBJ := $(OUT)/obj
BIN := $(OUT)/bin

CFLAGS ?= -g
Q = $(if $(V),,@)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wunused-const-variable -Werror
FL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) $(VARIANT_FLAGS) $(CFLAGS) -MMD -MP
pkg_cflags = $(shell $(PKG_CONFIG) --cflags $(1))
pkg_libs = $(shell $(PKG_CONFIG) --libs $(1))

# Everything in replay/ but the program's main is also what the unit tests link.
REPLAY_SRC := $(wildcard replay/*.c)
REPLAY_OBJ := $(REPLAY_SRC:%.c=$(OBJ)/%.o)
REPLAY_LIB := $(filter-out $(OBJ)/replay/fluxlog.o,$(REPLAY_OBJ))
REPLAY_PKG := libisal json-c fuse3
LOAD_SRC := $(wildcard tools/fluxlog_load*.c)
LOAD_OBJ := $(LOAD_SRC:%.c=$(OBJ)/%.o)
LOAD_PKG := libisal devmapper
RLOG_SRC := $(wildcard tools/replay_log*.c)
RLOG_OBJ := $(RLOG_SRC:%.c=$(OBJ)/%.o)
# The workload shares these with the programs that judge it.
LOAD_SHARED := $(OBJ)/replay/stamp.o $(OBJ)/replay/err.o

PROGRAMS := $(BIN)/fluxlog $(BIN)/replay-log $(if $(LOAD_SRC),$(BIN)/fluxlog-load)
SCRIPTS := $(patsubst tools/%,$(BIN)/%,$(wildcard tools/fluxlog-*[!.1]))

.PHONY: all
all: $(PROGRAMS) $(SCRIPTS)

$(BIN)/fluxlog: $(REPLAY_OBJ)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LINK   $@")
	$(Q)$(CC) $(VARIANT_FLAGS) $(LDFLAGS) -pthread -o $@ $^ $(call pkg_libs,$(REPLAY_PKG))

$(BIN)/replay-log: $(RLOG_OBJ) $(REPLAY_LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LINK   $@")
	$(Q)$(CC) $(VARIANT_FLAGS) $(LDFLAGS) -pthread -o $@ $^ $(call pkg_libs,$(REPLAY_PKG))

$(BIN)/fluxlog-load: $(LOAD_OBJ) $(LOAD_SHARED)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LINK   $@")
	$(Q)$(CC) $(VARIANT_FLAGS) $(LDFLAGS) -pthread -o $@ $^ $(call pkg_libs,$(LOAD_PKG))

$(OBJ)/replay/image_fuse.o $(OBJ)/replay/image_fuse_ops.o: FL_CFLAGS += $(call pkg_cflags,fuse3)

$(SCRIPTS): $(BIN)/%: tools/%
	@mkdir -p $(@D)
	$(Q)ln -sfn $(abspath $<) $@

$(OBJ)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC     $@")
	$(Q)$(CC) $(FL_CFLAGS) -c -o $@ $<

# Unit tests: tests/unit/test_NAME.c gives Suite *NAME_suite(void). The list of
# suites follows from the file names, so that none can be left out.
UNIT_SRC := $(wildcard tests/unit/*.c)
UNIT_OBJ := $(UNIT_SRC:%.c=$(OBJ)/%.o)
UNIT_NAMES := $(patsubst tests/unit/test_%.c,%,$(wildcard tests/unit/test_*.c))
UNIT_LIST := $(OBJ)/tests/unit/suites.h

$(UNIT_OBJ): FL_CFLAGS += -Wno-missing-prototypes -Ireplay -I$(OBJ)/tests/unit $(call pkg_cflags,check)
$(OBJ)/tests/unit/check_all.o: $(UNIT_LIST)
$(UNIT_LIST): FORCE
	@mkdir -p $(@D)
	@printf 'SUITE(%s)\n' $(UNIT_NAMES) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: FORCE

$(BIN)/unit-tests: $(UNIT_OBJ) $(REPLAY_LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LINK   $@")
	$(Q)$(CC) $(VARIANT_FLAGS) $(LDFLAGS) -pthread -o $@ $^ \
		$(call pkg_libs,check $(REPLAY_PKG))

# How fast crash images open and read, on a log made for it; see tests/big_log.sh.
$(BIN)/big-log: $(OBJ)/tests/big_log.o $(REPLAY_LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo "  LINK   $@")
	$(Q)$(CC) $(VARIANT_FLAGS) $(LDFLAGS) -pthread -o $@ $^ $(call pkg_libs,$(REPLAY_PKG))

.PHONY: bench-images
bench-images: $(BIN)/fluxlog $(BIN)/big-log
	tests/big_log.sh $(BIN) $(BIG_LOG)

.PHONY: unit-tests
unit-tests: $(BIN)/unit-tests

.PHONY: check-unit check-cli check-unit-one check-cli-one
check-unit-one: $(BIN)/unit-tests
	$(BIN)/unit-tests
check-cli-one: all
	tests/cli/run $(abspath $(BIN))
check-unit check-cli: %:
	$(MAKE) --no-print-directory $*-one
	$(MAKE) --no-print-directory VARIANT=asan $*-one

# Each suite is a make target whose output ends with "...N passed, N failed". The guest
# tests leave half of the machine idle, so the sanitizer builds are tested beside them.
CHECK_SUITES := check-unit-plain check-cli-plain
.PHONY: check-unit-plain check-unit-asan check-cli-plain check-cli-asan
check-unit-plain check-unit-asan check-cli-plain check-cli-asan: check-%:
	$(MAKE) --no-print-directory VARIANT=$(lastword $(subst -, ,$*)) \
		check-$(firstword $(subst -, ,$*))-one

-include dm-fluxlog/module.mk
-include tools/lab.mk
include tools/install.mk

CHECK_SUITES += check-vm@2+check-unit-asan+check-cli-asan

# Filesystem tests record with the lab and mount on this machine. verify-all leaves no
# flush point out, which takes long.
.PHONY: check-fs verify-all
check-fs: all
	tests/fs/run
verify-all: all
	FS_ALL=1 tests/fs/run every_point $(notdir $(wildcard tests/fs/good_*.sh))
CHECK_SUITES += check-fs@2

.PHONY: check
check:
	$(if $(wildcard tools/fluxlog-deps),tools/fluxlog-deps)
	tests/run-suites '$(MAKE)' $(CHECK_SUITES)

SHELL_FILES = $(shell git ls-files -co --exclude-standard -- tools tests .ci | \
	while read -r f; do if head -n 1 "$$f" | grep -qE '^\#!.*/(ba|da)?sh\b|^\# shellcheck shell='; \
	then echo "$$f"; fi; done)
# The module is checked against installed headers, which need not be those of the
# kernel that runs here.
LINT_KERNEL ?= $(patsubst %/build/Makefile,%,$(lastword $(wildcard /lib/modules/*/build/Makefile)))
.PHONY: lint
lint:
	shellcheck -x -P SCRIPTDIR $(SHELL_FILES)
	$(MAKE) --no-print-directory lint-module KERNEL=$(notdir $(LINT_KERNEL))

.PHONY: clean
clean:
	rm -rf build

-include $(REPLAY_OBJ:.o=.d) $(LOAD_OBJ:.o=.d) $(RLOG_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(OBJ)/tests/big_log.d

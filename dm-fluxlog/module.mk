# SPDX-License-Identifier: GPL-2.0
#
# The kernel module, included by the top Makefile.
#
#   make module [KERNEL=<release or headers directory>]   build one
#   make module-all                                       one for each headers package
#   make lint-module                                      sparse and checkpatch
#
# The sources are copied to build/module/<release>/ and built there, so that the
# source tree stays clean and several kernels can be built side by side.

MODULE_SRC := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
MODULE_OUT := build/module
MODULE_FILES := Kbuild target.c inject.c capture.c pool.c checksum.c record.c recorder.c unit.c writer.c fluxlog.h \
	compat/compat.h uapi/fluxlog_format.h
KERNEL ?= $(shell uname -r)

# the headers directory for $(1), a release or a directory
module_headers = $(if $(wildcard $(1)/Makefile),$(abspath $(1)),/lib/modules/$(1)/build)
# the release of a headers directory
module_release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(1)/include/generated/utsrelease.h 2>/dev/null)

MODULE_HEADERS = $(call module_headers,$(KERNEL))
MODULE_RELEASE = $(call module_release,$(MODULE_HEADERS))
MODULE_DIR = $(MODULE_OUT)/$(MODULE_RELEASE)
MODULE_MAKE = $(MAKE) --no-print-directory -C $(MODULE_HEADERS) M=$(abspath $(MODULE_DIR))

.PHONY: module module-all module-tree lint-module

module-tree:
	@test -n "$(MODULE_RELEASE)" || { \
		echo "module: no kernel headers in $(MODULE_HEADERS)" >&2; exit 2; }
	@mkdir -p $(MODULE_DIR)/compat $(MODULE_DIR)/uapi
	@for f in $(MODULE_FILES); do \
		cmp -s $(MODULE_SRC)/$$f $(MODULE_DIR)/$$f || \
		cp $(MODULE_SRC)/$$f $(MODULE_DIR)/$$f || exit 2; \
	done

module: module-tree
	$(MODULE_MAKE) modules

module-all:
	@set -- /lib/modules/*/build/Makefile; \
	test -e "$$1" || { echo "module-all: no kernel headers installed" >&2; exit 2; }; \
	for f; do $(MAKE) --no-print-directory module KERNEL="$${f%/Makefile}" || exit 2; done

# W=1, sparse with endian checks, and checkpatch, which only the full sources of a
# kernel have: CHECKPATCH=<.../scripts/checkpatch.pl>. Any line of theirs is an error.
# The format's header is for programs too: there is no __packed, and --strict would take
# _Static_assert for CamelCase.
CHECKPATCH ?= $(firstword $(wildcard $(MODULE_HEADERS)/scripts/checkpatch.pl \
	/usr/src/linux-source-*/scripts/checkpatch.pl))
CHECKPATCH_FLAGS := --no-tree --terse --no-summary
LINT_LOG = $(MODULE_DIR)/lint.log

lint-module: module-tree
	@command -v sparse >/dev/null || { echo "lint-module: sparse is missing" >&2; exit 2; }
	@touch $(MODULE_DIR)/*.c
	@$(MODULE_MAKE) C=1 W=1 CF=-D__CHECK_ENDIAN__ modules >$(LINT_LOG) 2>&1 || \
		{ cat $(LINT_LOG); exit 1; }
	@! grep -E '(warning|error):' $(LINT_LOG)
ifeq ($(CHECKPATCH),)
	@echo "lint-module: no checkpatch.pl, set CHECKPATCH: that part is left out" >&2
else
	perl $(CHECKPATCH) $(CHECKPATCH_FLAGS) --strict -f \
		$(addprefix $(MODULE_SRC)/,$(filter-out Kbuild uapi/%,$(MODULE_FILES)))
	perl $(CHECKPATCH) $(CHECKPATCH_FLAGS) --ignore PREFER_DEFINED_ATTRIBUTE_MACRO -f \
		$(addprefix $(MODULE_SRC)/,$(filter uapi/%,$(MODULE_FILES)))
endif

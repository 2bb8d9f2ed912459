# SPDX-License-Identifier: GPL-2.0
#
# make demo        the whole path: record, judge, negative control (a guest, 2 CPUs)
# make check-vm    the guest tests
# make bench       the recorder's speed against dm-linear and dm-log-writes
# make validate    six variants of XFS judged, of which some are wrong on purpose
# make faults      which fsyncs rest on a flush that failed, for three of them
# make costs       what syncs cost, on four kernels and one that is wrong on purpose
# make check-kernel  two of them, with few fsyncs: part of make check
# make check-cost  a short form of costs: part of make check

.PHONY: demo check-vm bench validate faults costs check-kernel check-cost
demo:
	tools/fluxlog-deps demo
	$(MAKE) --no-print-directory all
	tools/demo

check-vm: all
	tests/vm/run

bench:
	tools/fluxlog-deps bench
	$(MAKE) --no-print-directory all
	tools/bench

validate:
	tools/fluxlog-deps demo
	$(MAKE) --no-print-directory all
	tests/kernel/run

faults:
	tools/fluxlog-deps demo
	$(MAKE) --no-print-directory all
	tests/kernel/run faults

check-kernel: all
	tests/kernel/run short
# The guests of check-kernel leave room for the packages, which are built apart.
CHECK_SUITES += check-kernel@2+check-pkg

costs:
	tools/fluxlog-deps bench
	$(MAKE) --no-print-directory all
	tests/kernel/costs

check-cost: all
	tests/kernel/costs short
CHECK_SUITES += check-cost@2

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sorted: numbers in rising order.
 */
#ifndef SORTED_H
#define SORTED_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline int fl_cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static inline void fl_sort_u64(uint64_t *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), fl_cmp_u64);
}

/* How many of the @n sorted numbers are at most @x. */
static inline size_t fl_up_to(const uint64_t *v, size_t n, uint64_t x)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (v[mid] <= x)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * pool: pages that hold payloads, used again and again.
 *
 * Takes   pages that the writer has done with.
 * Gives   them back to captures, without a lock for most of them.
 * Relies  on the writer being the only one that puts pages in.
 *
 * Where the kernel clears each page that it hands out (init_on_alloc), that costs
 * more than to copy a payload into it; and a page that is freed on another CPU
 * than it was taken from keeps the allocator's locks busy. So pages go in circles:
 * the writer ties them into bundles, and each CPU takes a bundle at a time.
 *
 * A new page is allocated only if the CPU and the pool have none. So all pages
 * together are never more than captures held at their highest, which mem_limit_kb
 * bounds, and a bundle for each CPU. When nothing is recorded for a while, the
 * writer frees what the pool has.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "fluxlog.h"

#define BUNDLE_PAGES	16

/* Stands in the page itself, as long as the page is spare. */
struct fluxlog_spare {
	struct fluxlog_spare *next;		/* in its bundle */
	struct fluxlog_spare *next_bundle;	/* in the first of each bundle */
};

int fluxlog_pool_init(struct fluxlog_pool *pool)
{
	raw_spin_lock_init(&pool->lock);
	pool->local = alloc_percpu(struct fluxlog_spare *);
	return pool->local ? 0 : -ENOMEM;
}

static struct fluxlog_spare *bundle_take(struct fluxlog_pool *pool)
{
	struct fluxlog_spare *bundle;

	raw_spin_lock(&pool->lock);
	bundle = pool->bundles;
	if (bundle)
		pool->bundles = bundle->next_bundle;
	raw_spin_unlock(&pool->lock);
	return bundle;
}

static void bundle_give(struct fluxlog_pool *pool, struct fluxlog_spare *bundle)
{
	raw_spin_lock(&pool->lock);
	bundle->next_bundle = pool->bundles;
	pool->bundles = bundle;
	raw_spin_unlock(&pool->lock);
}

static void bundle_free(struct fluxlog_spare *spare)
{
	struct fluxlog_spare *next;

	for (; spare; spare = next) {
		next = spare->next;
		free_page((unsigned long)spare);
	}
}

struct page *fluxlog_pool_get(struct fluxlog_pool *pool)
{
	struct fluxlog_spare **local = get_cpu_ptr(pool->local);
	struct fluxlog_spare *spare;

	if (!*local && READ_ONCE(pool->bundles))
		*local = bundle_take(pool);
	spare = *local;
	if (spare)
		*local = spare->next;
	put_cpu_ptr(pool->local);
	return spare ? virt_to_page(spare) : alloc_page(GFP_NOIO | __GFP_NOWARN);
}

void fluxlog_pool_put(struct fluxlog_pool *pool, struct page *page)
{
	struct fluxlog_spare *spare = page_address(page);

	spare->next = pool->filling;
	pool->filling = spare;
	if (++pool->nr_filling < BUNDLE_PAGES)
		return;
	bundle_give(pool, spare);
	pool->filling = NULL;
	pool->nr_filling = 0;
}

void fluxlog_pool_trim(struct fluxlog_pool *pool)
{
	struct fluxlog_spare *bundle;

	while ((bundle = bundle_take(pool)))
		bundle_free(bundle);
	bundle_free(pool->filling);
	pool->filling = NULL;
	pool->nr_filling = 0;
}

void fluxlog_pool_exit(struct fluxlog_pool *pool)
{
	int cpu;

	if (!pool->local)
		return;
	fluxlog_pool_trim(pool);
	for_each_possible_cpu(cpu)
		bundle_free(*per_cpu_ptr(pool->local, cpu));
	free_percpu(pool->local);
}

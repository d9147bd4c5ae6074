/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/access_cost_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int usable;

static void key_create(void)
{
	usable = !pthread_key_create(&key, free);
}

struct sim_memo_table *sim_memo_table(void)
{
	struct sim_memo_table *table;

	pthread_once(&once, key_create);
	if (!usable)
		return NULL;
	table = pthread_getspecific(key);
	if (table)
		return table;
	table = aligned_alloc(64, sizeof(*table));
	if (!table)
		return NULL;
	for (unsigned int i = 0; i < SIM_MEMOS; i++)
		table->memo[i].key = 0;
	memset(table->last, 0, sizeof(table->last));
	if (pthread_setspecific(key, table)) {
		free(table);
		return NULL;
	}
	return table;
}

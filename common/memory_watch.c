/* SPDX-License-Identifier: MIT */
#include "common/memory_watch.h"

#include <stdatomic.h>

static atomic_bool ran_out;

void probe_memory_note_failure(void)
{
	atomic_store_explicit(&ran_out, true, memory_order_relaxed);
}

bool probe_memory_ran_out(void)
{
	return atomic_load_explicit(&ran_out, memory_order_relaxed);
}

/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/collector/collector_wakeup.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t sleeping; /* futex word */

void probe_collector_sleep(bool (*busy)(void))
{
	atomic_store_explicit(&sleeping, 1, memory_order_seq_cst);
	/*
	 * Pairs with the fence in probe_collector_wake(): at least one of the two threads sees the
	 * other's store.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (!busy())
		syscall(SYS_futex, &sleeping, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	atomic_store_explicit(&sleeping, 0, memory_order_seq_cst);
}

void probe_collector_wake(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&sleeping, memory_order_relaxed))
		return;
	atomic_store_explicit(&sleeping, 0, memory_order_seq_cst);
	syscall(SYS_futex, &sleeping, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void probe_collector_wakeup_reset(void)
{
	atomic_store(&sleeping, 0);
}

/* SPDX-License-Identifier: MIT */
#include "simgpu/event/hsa_signal.h"

#include <stdatomic.h>
#include <stddef.h>

#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/event/interrupt_events.h"

amd_signal_t *sim_signal(hsa_signal_t handle)
{
	if (!handle.handle || handle.handle % sizeof(uint64_t) ||
	    !sim_mem_allows(handle.handle, sizeof(amd_signal_t), SIM_MEM_READ | SIM_MEM_WRITE,
			    NULL))
		return NULL;
	return sim_mem_pointer(handle.handle);
}

static _Atomic int64_t *value_of(const amd_signal_t *signal)
{
	return (_Atomic int64_t *)(uintptr_t)&signal->value;
}

int64_t sim_signal_value(const amd_signal_t *signal)
{
	/* Pairs with the release of the signalling side: host, kernel or another queue. */
	return atomic_load_explicit(value_of(signal), memory_order_acquire);
}

/*
 * The packet processor writes the event's id to its mailbox and raises the interrupt. ROCr may free
 * the signal as soon as the value is stored, so both fields are read before.
 */
static void interrupt(uint64_t mailbox, uint32_t event)
{
	if (!mailbox)
		return;
	if (sim_mem_allows(mailbox, sizeof(uint64_t), SIM_MEM_WRITE, NULL))
		atomic_store_explicit((_Atomic uint64_t *)sim_mem_pointer(mailbox), event,
				      memory_order_release);
	sim_event_raise(event);
}

void sim_signal_store(amd_signal_t *signal, int64_t value)
{
	uint64_t mailbox = signal->event_mailbox_ptr;
	uint32_t event = signal->event_id;

	atomic_store_explicit(value_of(signal), value, memory_order_release);
	interrupt(mailbox, event);
}

void sim_signal_complete(amd_signal_t *signal, uint64_t start, uint64_t end)
{
	uint64_t mailbox = signal->event_mailbox_ptr;
	uint32_t event = signal->event_id;

	signal->start_ts = start;
	signal->end_ts = end;
	/* Release: time stamps and the kernel's stores are visible before the decrement. */
	atomic_fetch_sub_explicit(value_of(signal), 1, memory_order_acq_rel);
	interrupt(mailbox, event);
}

/* Signals are aligned to 64 bytes; their kind and the mailbox distinguish them from other memory.
 */
static amd_signal_t *signal_of_value(uint64_t value_address)
{
	uint64_t address = value_address & ~(uint64_t)7;
	hsa_signal_t handle = {address - offsetof(amd_signal_t, value)};
	amd_signal_t *signal = handle.handle % 64 ? NULL : sim_signal(handle);

	if (!signal || signal->kind != AMD_SIGNAL_KIND_USER)
		return NULL;
	if (signal->event_mailbox_ptr &&
	    !sim_mem_allows(signal->event_mailbox_ptr, sizeof(uint64_t), SIM_MEM_WRITE, NULL))
		return NULL;
	return signal;
}

void sim_signal_mark(uint64_t value_address, uint64_t tick)
{
	amd_signal_t *signal = signal_of_value(value_address);

	if (signal)
		signal->end_ts = tick;
}

uint64_t sim_signal_marked(uint64_t value_address)
{
	const amd_signal_t *signal = signal_of_value(value_address);

	return signal ? signal->end_ts : 0;
}

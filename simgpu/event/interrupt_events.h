/* SPDX-License-Identifier: MIT */
/*
 * Events: what an interrupt of the GPU sets and a host thread waits on. Each signal event owns a
 * mailbox, eight bytes of GPU-visible memory into which its id is written before the interrupt.
 */
#ifndef PROBE_SIMGPU_EVENT_INTERRUPT_EVENTS_H
#define PROBE_SIMGPU_EVENT_INTERRUPT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Set one event by id and clear its mailbox. Unknown ids are ignored, as the driver does. */
void sim_event_raise(uint32_t id);

/*
 * s_sendmsg of an interrupt carries only the low 8 bits of an id: wakes every event with these
 * low bits whose mailbox was written, and clears the mailbox.
 */
void sim_event_interrupt(uint32_t low_bits);

struct sim_memory_fault {
	uint64_t addr;
	uint32_t node;
	bool read_only, no_execute; /* neither: not present */
};

/* Report through the events of type MEMORY. False if the runtime made none. */
bool sim_event_memory_fault(const struct sim_memory_fault *fault);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Events: an interrupt of the GPU sets them and host threads wait for them. Each signal event owns
 * a mailbox, eight bytes of GPU-visible memory, into which its id is written before the interrupt.
 *
 * Functions that return int return 0 or -errno, with the kernel driver's errors.
 */
#ifndef PROBE_SIMGPU_EVENT_INTERRUPT_EVENTS_H
#define PROBE_SIMGPU_EVENT_INTERRUPT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SIM_EVENTS = 4096,    /* all ids are below it; 0 is never used */
	SIM_EVENT_SIGNAL = 0, /* HSA_EVENTTYPE_SIGNAL, KFD_IOC_EVENT_SIGNAL */
	SIM_EVENT_MEMORY = 8, /* HSA_EVENTTYPE_MEMORY, KFD_IOC_EVENT_MEMORY */
};

/* Waits of 0xfffffffe ms and more have no time limit: ROCr passes either value. */
#define SIM_EVENT_FOREVER 0xfffffffeu

struct sim_memory_fault {
	uint64_t addr;
	uint32_t node;
	bool read_only, no_execute; /* if neither is set: not present */
};

/*
 * Mailboxes: SIM_EVENTS words of memory that the GPU may write. -EINVAL if they were set before.
 */
int sim_event_set_mailboxes(void *words);

/* type is that of the driver's interface; -ENOSPC if all ids are in use. */
int sim_event_create(uint32_t type, bool manual, bool set, uint32_t *ret);
int sim_event_destroy(uint32_t id);
int sim_event_set(uint32_t id);
int sim_event_reset(uint32_t id);
/* Whether there is such an event; sets its type. */
bool sim_event_type(uint32_t id, uint32_t *ret);

/* The fault that ended the last wait for an event of type MEMORY; false if there was none. */
bool sim_event_fault(uint32_t id, struct sim_memory_fault *ret);

/*
 * Wait for one event, or for all. Auto-reset events that end the wait are reset. ages: one number
 * per event (or NULL): 0, or the age of the event that the caller has seen; an event whose age
 * differs counts as set. An age is 1 at creation and grows with each set. They are brought up to
 * date. -ETIME when the time is over, -EINVAL if one of them is not an event, -EIO if one was
 * destroyed.
 */
int sim_event_wait(const uint32_t *ids, uint64_t *ages, uint32_t count, bool all,
		   uint32_t milliseconds);

/* Sets one event by id and clears its mailbox. Unknown ids are ignored, as in the driver. */
void sim_event_raise(uint32_t id);

/*
 * s_sendmsg of an interrupt has only the low 8 bits of an id. It wakes every event with these low
 * bits whose mailbox was written, and clears the mailbox.
 */
void sim_event_interrupt(uint32_t low_bits);

/* Reports a fault through the events of type MEMORY. False if the runtime created none. */
bool sim_event_memory_fault(const struct sim_memory_fault *fault);

#endif

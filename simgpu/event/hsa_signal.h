/* SPDX-License-Identifier: MIT */
/* HSA signals (amd_signal_t) as the device uses them. */
#ifndef PROBE_SIMGPU_EVENT_HSA_SIGNAL_H
#define PROBE_SIMGPU_EVENT_HSA_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_signal.h>

/* The signal with this handle, or NULL if it is not in memory that the GPU may write. */
amd_signal_t *sim_signal(hsa_signal_t handle);

int64_t sim_signal_value(const amd_signal_t *signal);

/* Stores a value and raises the interrupt. */
void sim_signal_store(amd_signal_t *signal, int64_t value);

/* Completes a signal: stores time stamps, decrements the value, raises the interrupt. */
void sim_signal_complete(amd_signal_t *signal, uint64_t start, uint64_t end);

/*
 * A copy engine knows only the address of the value. mark: before it stores there, stores the time
 * as the signal's end. The second function: after it polled there, reads the time at which the
 * device completed the signal. Both do nothing, or return 0, if the address is not that of a
 * signal's value.
 */
void sim_signal_mark(uint64_t value_address, uint64_t tick);
uint64_t sim_signal_marked(uint64_t value_address);

#endif

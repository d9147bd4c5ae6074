/* SPDX-License-Identifier: MIT */
/* HSA signals (amd_signal_t) as the device uses them. */
#ifndef PROBE_SIMGPU_EVENT_HSA_SIGNAL_H
#define PROBE_SIMGPU_EVENT_HSA_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_signal.h>

/* The signal behind a handle, or NULL if it is not in memory the GPU may write. */
amd_signal_t *sim_signal(hsa_signal_t handle);

int64_t sim_signal_value(const amd_signal_t *signal);

/* Store a value and interrupt. */
void sim_signal_store(amd_signal_t *signal, int64_t value);

/* Completion: time stamps, value - 1, interrupt. */
void sim_signal_complete(amd_signal_t *signal, uint64_t start, uint64_t end);

/*
 * A copy engine knows the value's address only. Before it stores there: store the time as the
 * signal's end. After it polled there: read the time at which the device completed the signal. Both
 * do nothing, or return 0, if the address is not that of a signal's value.
 */
void sim_signal_mark(uint64_t value_address, uint64_t tick);
uint64_t sim_signal_marked(uint64_t value_address);

#endif

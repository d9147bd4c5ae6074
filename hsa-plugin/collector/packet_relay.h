/* SPDX-License-Identifier: MIT */
/*
 * Packets from the application's ring to the hardware's. Ringing a soft queue's doorbell - a store
 * to a signal, which goes through the API table - moves them.
 *
 * Why not hsa_amd_queue_intercept_create: on ROCr 5.2 its ring overflows under a burst (second
 * overflow: assertion; without assertions packets overtake each other), each added packet makes
 * that likelier, requesting a larger ring shows in queue->size, and a handler must never wait. Here
 * packets that do not fit stay in the application's ring, as on hardware, and the collector's
 * thread relays them when a dispatch has completed. No thread waits, no packet overtakes another.
 */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_PACKET_RELAY_H
#define PROBE_HSA_PLUGIN_COLLECTOR_PACKET_RELAY_H

#include <stdbool.h>

#include "hsa-plugin/queue/queue.h"

/*
 * Move packets from the soft ring to the hardware's, as many as fit. Any thread; returns false if
 * some had to stay.
 */
bool probe_relay(struct probe_queue *queue);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Moves packets from the application's soft queue to the hardware queue. It runs when the
 * application rings the soft queue's doorbell, a signal store that goes through the API table.
 *
 * hsa_amd_queue_intercept_create is not used. On ROCr 5.2 its ring overflows under a burst; at the
 * second overflow an assertion fails, or without assertions packets overtake each other. Added
 * packets make an overflow more likely, a larger ring shows in queue->size, and a handler must
 * never wait.
 *
 * Here, packets that do not fit stay in the application's ring, as on hardware. The collector's
 * thread relays them when a dispatch has completed. No thread waits, and no packet overtakes
 * another.
 */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_PACKET_RELAY_H
#define PROBE_HSA_PLUGIN_COLLECTOR_PACKET_RELAY_H

#include <stdbool.h>

#include "hsa-plugin/queue/queue.h"

/*
 * Moves as many packets as fit from the soft ring to the hardware ring. Any thread. Returns false
 * if some had to stay.
 */
bool probe_relay(struct probe_queue *queue);

#endif

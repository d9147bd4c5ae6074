/* SPDX-License-Identifier: MIT */
/*
 * Converts one kernel dispatch: from the application's packet to the packets for the hardware
 * queue. It writes the DISPATCH record and adds the entry in the queue's list of dispatches in
 * flight.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_DISPATCH_H
#define PROBE_HSA_PLUGIN_LAUNCH_DISPATCH_H

#include "hsa-plugin/queue/queue.h"

enum { PROBE_PACKETS_MAX = 2 }; /* packets that one packet may become */

struct probe_packet {
	_Alignas(64) uint8_t bytes[64];
};

/*
 * Called under the queue's lock, with space for a dispatch in flight. Writes up to
 * PROBE_PACKETS_MAX packets and returns their number. 0 means that there is currently no space for
 * arguments: try again when a dispatch has completed.
 */
int probe_dispatch(struct probe_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
		   struct probe_packet out[PROBE_PACKETS_MAX]);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One kernel dispatch: from the application's packet to the packets that go to the hardware, with
 * its DISPATCH record and its entry in the queue's list of dispatches in flight.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_DISPATCH_H
#define PROBE_HSA_PLUGIN_LAUNCH_DISPATCH_H

#include "hsa-plugin/queue/queue.h"

enum { PROBE_PACKETS_MAX = 2 }; /* what one packet may become */

struct probe_packet {
	_Alignas(64) uint8_t bytes[64];
};

/*
 * Called under the queue's lock with space for a dispatch in flight. Writes up to PROBE_PACKETS_MAX
 * packets and returns how many; 0 = no space for arguments at the moment, try again when a dispatch
 * has completed.
 */
int probe_dispatch(struct probe_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
		   struct probe_packet out[PROBE_PACKETS_MAX]);

#endif

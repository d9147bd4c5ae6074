/* SPDX-License-Identifier: MIT */
/*
 * One kernel dispatch: decide, build the clone's arguments and context, and write what goes to the
 * hardware instead of the application's packet.
 */
#ifndef PROBE_HSA_SWAP_H
#define PROBE_HSA_SWAP_H

#include "hsa-plugin/relay.h"

enum { PROBE_PACKETS_MAX = 2 }; /* what one packet may become */

struct probe_packet {
	_Alignas(64) uint8_t bytes[64];
};

/*
 * Called under the queue's lock with an entry free. Writes up to PROBE_PACKETS_MAX packets and
 * returns how many; 0 = no room for arguments just now, try again when something has completed.
 */
int probe_swap(struct probe_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
	       struct probe_packet out[PROBE_PACKETS_MAX]);

#endif

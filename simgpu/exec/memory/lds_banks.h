/* SPDX-License-Identifier: MIT */
/*
 * LDS bank conflicts of gfx90a: 32 banks of 4 bytes. A wave is served in phases; the lanes of a
 * phase can share a dword, but not a bank (the table of phases comes from measurements of MI200 and
 * MI300). This is the simulator's own count: it shares no code with the handlers that predict the
 * same numbers from recorded addresses.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_LDS_BANKS_H
#define PROBE_SIMGPU_EXEC_MEMORY_LDS_BANKS_H

#include <stdbool.h>
#include <stdint.h>

enum lds_kind {
	LDS_READ,
	LDS_WRITE,
	LDS_ATOMIC, /* lanes on one address are serialised */
};

struct lds_cost {
	uint32_t passes;
	uint32_t conflicts;
};

/* Cost of one access of `bytes` per lane at offset[lane] by the lanes of exec. */
struct lds_cost lds_bank_cost(const uint32_t *offset, uint64_t exec, unsigned int bytes,
			      enum lds_kind kind);

#endif

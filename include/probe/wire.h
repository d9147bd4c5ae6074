/* SPDX-License-Identifier: MIT */
/*
 * Structures shared in memory between programs: the site table that the compiler adds to a code
 * object, the context and records of an instrumented kernel, and the records that an application
 * sends to probe-run.
 *
 * All are little-endian, naturally aligned and free of pointers. Sizes are asserted at the end. The
 * structs are compiled for the device as well, so that only stdint.h is included.
 *
 *	1	wire_kinds.h	kinds, accesses, spaces
 *	2	wire_sites.h	the site table
 *	3 to 5	wire_device.h	counters, dispatch context, ring records
 *	6, 7	wire_segment.h	the segment, and the handshake
 *	8	here		assertions of sizes
 */
#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include <stdint.h>

#include <probe/wire_device.h>
#include <probe/wire_kinds.h>
#include <probe/wire_segment.h>
#include <probe/wire_sites.h>

#ifdef __cplusplus
#define PROBE_STATIC_ASSERT(cond, text) static_assert(cond, text)
#else
#define PROBE_STATIC_ASSERT(cond, text) _Static_assert(cond, text)
#endif

/* ---- 8. Sizes ------------------------------------------------------------------------------- */

PROBE_STATIC_ASSERT(sizeof(struct probe_site_uncovered) == 32, "uncovered access");
PROBE_STATIC_ASSERT(sizeof(struct probe_sites_header) == 120, "site table header");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_operations) == 20, "operations of a row");
PROBE_STATIC_ASSERT(sizeof(struct probe_expr_node) == 24, "expression node");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_variable) == 8, "variable in LDS");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_term) == 16, "term of an address");
PROBE_STATIC_ASSERT(sizeof(struct probe_site) == 60, "site");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_bitfield) == 16, "site bit field");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_proof) == 168, "site proof");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_group) == 24, "site group");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_predicate) == 16, "site predicate");
PROBE_STATIC_ASSERT(sizeof(struct probe_bucket_row) == PROBE_COUNTERS * 8, "row of buckets");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_kernel) == 16, "site kernel");
PROBE_STATIC_ASSERT(sizeof(struct probe_site_frame) == 16, "site frame");
PROBE_STATIC_ASSERT(PROBE_COUNTERS == 16, "counter words");
PROBE_STATIC_ASSERT(sizeof(struct probe_ctx) == 192, "context");
PROBE_STATIC_ASSERT(sizeof(struct probe_ctx_wave_storage) == 32, "context of stored waves");
PROBE_STATIC_ASSERT(sizeof(struct probe_wave_storage) == 64, "stored waves");
PROBE_STATIC_ASSERT(sizeof(struct probe_wave_slot) == 48, "wave slot");
PROBE_STATIC_ASSERT(sizeof(struct probe_ring_state) == 64, "ring state");
PROBE_STATIC_ASSERT(sizeof(struct probe_ring) == 128, "ring head");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_wave) == 48, "wave record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_affine) == 24, "affine record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_lanes) == 24, "lanes record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_rows) == 16, "rows record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_block) == 8, "block record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_proved) == 8, "proved record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_exec) == 16, "exec record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_short) == 8, "short record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_stamp) == 16, "stamp record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_span) == 24, "span record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_wave_end) == 24, "wave end record");
PROBE_STATIC_ASSERT(sizeof(struct probe_rec_message) == 32, "message record");
PROBE_STATIC_ASSERT(sizeof(struct probe_seg_header) == 80, "segment header");
PROBE_STATIC_ASSERT(sizeof(struct probe_host_ring) == 128, "host ring");
PROBE_STATIC_ASSERT(sizeof(struct probe_host_rec) == 24, "host record");
PROBE_STATIC_ASSERT(sizeof(struct probe_counter_row) == 136, "counter row");

#endif

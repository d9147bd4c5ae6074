/* SPDX-License-Identifier: MIT */
/*
 * What one execution of an access costs (wire.h section 3), by the rules that handlers use.
 *
 * Example: a load of 4 bytes at stride 4 by 64 lanes, residue 0, touches 4 lines of 64 bytes; at
 * residue 4 it touches 5.
 */
#ifndef PROBE_MODEL_SITE_COST_H
#define PROBE_MODEL_SITE_COST_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

#include "codeobj/derived_sites.h"

struct launch_memo;
struct model_launch;
struct model_scratch;
struct probe_sites;
struct wave_class;

/* NULL without memory. */
struct launch_memo *model_scratch_memo(struct model_scratch *scratch);

/*
 * Counters of one execution by a wave of the class. `offset`: how far each lane's address is from
 * the first one's; NULL: as the site's strides say. False: a stride is unknown.
 */
bool site_cost(struct model_scratch *scratch, const struct probe_sites *table,
	       const struct model_launch *launch, const struct site_member *member,
	       const struct wave_class *class, const int64_t offset[64],
	       uint64_t ret[PROBE_COUNTERS]);

#endif

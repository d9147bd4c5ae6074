/* SPDX-License-Identifier: MIT */
/*
 * The cost of one execution of an access (wire_device.h section 3), by the rules that handlers use.
 *
 * Example: a load of 4 bytes with stride 4 by 64 lanes touches 4 cache lines of 64 bytes with
 * residue 0, and 5 with residue 4.
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

struct site_cost_context {
	struct model_scratch *scratch;
	const struct probe_sites *table;
	const struct model_launch *launch;
};

/*
 * Counters of one execution by a wave of the class. `offset`: the distance of each lane's address
 * from the first active lane's; NULL: derive it from the site's strides. False: a stride is
 * unknown.
 */
bool site_cost(const struct site_cost_context *in, const struct site_member *member,
	       const struct wave_class *class, const int64_t offset[64],
	       uint64_t ret[PROBE_COUNTERS]);

#endif

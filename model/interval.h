/* SPDX-License-Identifier: MIT */
/* What a calculation (launch_expr.h) comes to in many workgroups at once, as bounds. */
#ifndef PROBE_MODEL_INTERVAL_H
#define PROBE_MODEL_INTERVAL_H

#include "model/launch_expr.h"

/* Workgroups by their ids, both ends included. */
struct launch_box {
	uint32_t first[3], last[3];
};

enum launch_truth { LAUNCH_NO, LAUNCH_YES, LAUNCH_MAYBE };

/* Is it true in all lanes of all workgroups of the box, or in none? MAYBE: or it is not known. */
enum launch_truth launch_truth_in(const struct launch_steps *steps,
				  const struct proved_launch *launch, const struct launch_box *box);

#endif

/* SPDX-License-Identifier: MIT */
#include "handlers/advice/buffer_advice.h"

#include <stdio.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffers.h"

static const char not_evaluated[] = "; effect on other accesses to the buffer not evaluated";

void advice_append_effect(const struct facts *facts, const char *fix, const char *when,
			  struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	char others[64] = "launches of other shapes", arrays[48] = "";

	if (!*ret->fix)
		return;
	if (!buffer) {
		advice_append(ret->fix, not_evaluated);
		return;
	}
	if (!buffer->rows)
		return;
	if (buffer->others)
		snprintf(others, sizeof(others), "%u other access%s to the buffer", buffer->others,
			 buffer->others == 1 ? "" : "es");
	/* Other accesses may use parts of what this one does. */
	if (buffer->least < buffer->most)
		snprintf(arrays, sizeof(arrays), ", in arrays of %u to %u B", buffer->least,
			 buffer->most);
	else if (buffer->least && buffer->least != facts->site->bytes)
		snprintf(arrays, sizeof(arrays), ", in arrays of %u B", buffer->least);
	if (buffer->after < buffer->before) {
		advice_append(ret->fix,
			      "; with %s%s%s at most %.0f cache lines of 128 B in the run after, "
			      "%.0f before",
			      others, arrays, when, buffer->after, buffer->before);
		return;
	}
	ret->verified = false;
	ret->before = ret->after = 0;
	ret->fix[0] = 0;
	advice_append(ret->cause,
		      "; %s may cost %s%s what it gains here (up to %.0f cache lines of 128 B in "
		      "the run after, %.0f before)",
		      fix, buffer->others ? "the " : "", others, buffer->after, buffer->before);
}

void advice_append_unevaluated(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	if (!*ret->fix || (buffer && !buffer->others))
		return;
	advice_append(ret->fix, not_evaluated);
	if (buffer && buffer->contiguous)
		advice_append(ret->fix,
			      ": %u of them %s neighbouring elements in its present layout",
			      buffer->contiguous, buffer->contiguous == 1 ? "uses" : "use");
}

void advice_warn_of_transposing(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	if (!*ret->fix || !buffer || !buffer->contiguous)
		return;
	advice_append(ret->fix, "; do not transpose the buffer itself: ");
	if (buffer->contiguous < buffer->others)
		advice_append(ret->fix, "%u of ", buffer->contiguous);
	advice_append(ret->fix,
		      "its %u other access%s %s neighbouring elements in its present layout",
		      buffer->others, buffer->others == 1 ? "" : "es",
		      buffer->contiguous == 1 ? "uses" : "use");
}

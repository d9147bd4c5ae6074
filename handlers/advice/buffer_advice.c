/* SPDX-License-Identifier: MIT */
#include "handlers/advice/buffer_advice.h"

#include <stdio.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffers.h"

static const char not_evaluated[] = "; effect on other accesses to the buffer not evaluated";

void advice_append_effect(const struct facts *facts, const char *fix, const char *when,
			  double after, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	char note[64] = "";

	if (!*ret->fix)
		return;
	if (!buffer) {
		advice_append(ret->fix, not_evaluated);
		return;
	}
	if (!buffer->others)
		return;
	if (buffer->strideless)
		snprintf(note, sizeof(note), " (%u without a stride, assumed unchanged)",
			 buffer->strideless);
	if (after < buffer->before) {
		advice_append(ret->fix,
			      "; with %u other access%s to the buffer%s%s %.0f cache lines of 128 "
			      "B in the run after, %.0f before",
			      buffer->others, buffer->others == 1 ? "" : "es", note, when, after,
			      buffer->before);
		return;
	}
	/* The other accesses lose as much as this one gains. */
	ret->verified = false;
	ret->before = ret->after = 0;
	ret->fix[0] = 0;
	advice_append(ret->cause,
		      "; %s would cost the %u other access%s to the buffer%s at least what it "
		      "gains here (%.0f cache lines of 128 B in the run after, %.0f before)",
		      fix, buffer->others, buffer->others == 1 ? "" : "es", note, after,
		      buffer->before);
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

	if (*ret->fix && buffer && buffer->contiguous)
		advice_append(ret->fix,
			      "; do not transpose the buffer itself: its %u other access%s %s "
			      "neighbouring elements in its present layout",
			      buffer->contiguous, buffer->contiguous == 1 ? "" : "es",
			      buffer->contiguous == 1 ? "uses" : "use");
}

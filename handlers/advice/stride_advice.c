/* SPDX-License-Identifier: MIT */
/* Cause and fix of excess cache lines of lanes at one constant stride. */
#include "handlers/advice/stride_advice.h"

#include <stdio.h>
#include <stdlib.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/buffers.h"
#include "handlers/advice/layouts.h"

void advice_verify_lines(const struct facts *facts, int64_t stride, unsigned lanes,
			 struct advice *ret)
{
	advice_verify(ret, facts_lines(facts),
		      layout_lines(facts->site, facts->line, stride, lanes),
		      facts_each(facts, facts->used));
}

/* Append the effect of a fix that moves data on the other accesses to the buffer. */
static void append_effect(const struct facts *facts, double after, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	char note[64] = "";

	if (!buffer) {
		advice_append(ret->fix, "; effect on other accesses to the buffer not evaluated");
		return;
	}
	if (!buffer->others)
		return;
	if (buffer->strideless)
		snprintf(note, sizeof(note), " (%u without a stride, assumed unchanged)",
			 buffer->strideless);
	if (after < buffer->before) {
		advice_append(ret->fix,
			      "; with %u other access%s to the buffer%s %.0f cache lines of 128 "
			      "B in the run after, %.0f before",
			      buffer->others, buffer->others == 1 ? "" : "es", note, after,
			      buffer->before);
		return;
	}
	/* The other accesses lose as much as this one gains. */
	ret->verified = false;
	ret->before = ret->after = 0;
	advice_say(ret->fix,
		   "keep the layout of the buffer: a change that helps here costs its "
		   "%u other access%s%s as much (%.0f cache lines of 128 B in the run "
		   "after, %.0f before); let lanes use other elements",
		   buffer->others, buffer->others == 1 ? "" : "es", note, after, buffer->before);
}

void advice_append_shift_effect(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	append_effect(facts, buffer ? buffer->shifted : 0, ret);
}

/* The fix is to change the index, not the buffer. */
static void warn_of_transposing(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;

	if (buffer && buffer->contiguous)
		advice_append(ret->fix,
			      "; do not transpose the buffer itself: its %u other access%s %s "
			      "neighbouring elements in its present layout",
			      buffer->contiguous, buffer->contiguous == 1 ? "" : "es",
			      buffer->contiguous == 1 ? "uses" : "use");
}

void advice_stride(const struct facts *facts, struct advice *ret)
{
	const struct buffer_layout *buffer = facts->site->buffer;
	const struct advice_site *site = facts->site;
	long long stride = llabs((long long)facts->low);
	unsigned bytes = site->bytes, unit = site->unit;

	if (stride == (long long)bytes && bytes == unit) {
		advice_say(ret->cause,
			   "lanes are contiguous but misaligned: one cache line of %u B more "
			   "than needed",
			   facts->line);
		advice_say(ret->fix,
			   "align the address of the first lane (base, offset, row pitch) to "
			   "%u B",
			   facts->line);
		advice_verify_lines(facts, bytes, facts_active(facts), ret);
		advice_append_shift_effect(facts, ret);
	} else if (stride <= (long long)bytes) {
		advice_say(ret->cause,
			   "each lane's %u B are %s in %u accesses of %u B, each of which "
			   "touches all cache lines",
			   bytes, facts->participle, bytes / unit, unit);
		advice_say(ret->fix,
			   "let neighbouring lanes access neighbouring %u B pieces (elements "
			   "of %u B, or one array per member)",
			   unit, unit);
		advice_verify_lines(facts, unit, facts_active(facts), ret);
	} else {
		unsigned per_line = (unsigned)(facts->line / stride);

		advice_say(ret->cause,
			   "lanes are %lld B apart and %u B are %s: %u of %u B of each cache "
			   "line are used",
			   stride, bytes, facts->participle, (per_line ? per_line : 1) * bytes,
			   facts->line);
		if (stride <= 64)
			advice_say(ret->fix,
				   "use a structure of arrays (one array per member) instead of an "
				   "array of structs of %lld B",
				   stride);
		else
			advice_say(
				ret->fix,
				"let neighbouring lanes use neighbouring elements (swap the loops "
				"or indices), or pass a tile through LDS");
		advice_verify_lines(facts, bytes, facts_active(facts), ret);
		if (stride <= 64)
			append_effect(facts, buffer ? buffer->split : 0, ret);
		else
			warn_of_transposing(facts, ret);
	}
}

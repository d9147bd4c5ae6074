/* SPDX-License-Identifier: MIT */
#include "handlers/race/race_runs.h"

bool race_run_make(uint32_t base, int64_t stride, unsigned count, unsigned bytes,
		   struct race_run *ret)
{
	int64_t far = (int64_t)base + stride * (int)(count - 1);
	int64_t low = far < base ? far : base, high = (far < base ? base : far) + bytes - 1;
	uint64_t step = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;

	if (step > UINT32_MAX || low < 0 || high > UINT32_MAX)
		return false;
	*ret = (struct race_run){.first = (uint32_t)low, .count = 1};
	if (count == 1 || step <= bytes) {
		ret->width = (uint32_t)(high - low + 1);
		return true;
	}
	ret->step = (uint32_t)step;
	ret->width = bytes;
	ret->count = (uint16_t)count;
	return true;
}

/* The number of leading lanes with one stride. */
static unsigned run_length(const uint64_t *addr, unsigned count)
{
	unsigned n = count > 1 ? 2 : 1;

	while (n < count && addr[n] - addr[n - 1] == addr[1] - addr[0])
		n++;
	return n;
}

unsigned race_runs_find(const uint64_t *addr, unsigned count, unsigned bytes,
			struct race_run runs[RACE_RUNS_OF_ACCESS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < count; n++) {
		unsigned length = run_length(addr + i, count - i);
		int64_t stride = length > 1 ? (int64_t)(addr[i + 1] - addr[i]) : 0;

		if (n == RACE_RUNS_OF_ACCESS ||
		    !race_run_make((uint32_t)addr[i], stride, length, bytes, &runs[n]))
			return 0;
		i += length;
	}
	return n;
}

uint64_t race_run_end(const struct race_run *run)
{
	return run->first + (uint64_t)run->step * (run->count - 1u) + run->width;
}

/* True if a piece of the run overlaps the bytes [first, end). */
static bool reaches(const struct race_run *run, uint64_t first, uint64_t end)
{
	uint64_t piece = 0;

	if (run->step && first >= run->first + (uint64_t)run->width)
		piece = (first - run->first - run->width) / run->step + 1;
	if (piece >= run->count)
		return false;
	return run->first + piece * run->step < end &&
	       run->first + piece * run->step + run->width > first;
}

bool race_runs_overlap(const struct race_run *a, const struct race_run *b)
{
	const struct race_run *few = a->count <= b->count ? a : b, *many = few == a ? b : a;

	for (uint64_t i = 0; i < few->count; i++) {
		uint64_t first = few->first + i * few->step;

		if (reaches(many, first, first + few->width))
			return true;
	}
	return false;
}

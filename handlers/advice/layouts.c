/* SPDX-License-Identifier: MIT */
#include "handlers/advice/layouts.h"

#include <probe/rules/cache_lines.h>

int64_t layout_stride(const struct advice_site *site)
{
	const uint64_t *c = site->counters;
	int64_t high = (int64_t)(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS);

	if (!c[PROBE_C_STRIDE_HI] || c[PROBE_C_AFFINE] != c[PROBE_C_EXECUTIONS] ||
	    c[PROBE_C_STRIDE_LO] != PROBE_STRIDE_BIAS - (uint64_t)high)
		return 0;
	return high;
}

unsigned layout_element(const struct advice_site *site)
{
	return site->bytes < 4 ? 4 : site->bytes;
}

/* Of all machine accesses of a lane's element; addr[l] for each lane of exec. */
uint32_t layout_conflicts_at(const struct advice_site *site, uint64_t exec, const uint32_t addr[64],
			     struct probe_lds_scratch *scratch)
{
	const struct probe_lds_rule rule = probe_lds_rule(probe_lds_model_find(site->arch),
							  site->wave, site->unit, site->access);
	uint32_t at[64], conflicts = 0;

	for (unsigned k = 0; k < site->bytes; k += site->unit) {
		struct probe_lds_cost cost;

		for (unsigned lane = 0; lane < 64; lane++)
			at[lane] = exec >> lane & 1 ? addr[lane] + k : 0;
		cost = probe_lds_count(&rule, exec, at, scratch);
		conflicts += cost.passes - cost.ideal;
	}
	return conflicts;
}

static uint64_t full(const struct advice_site *site)
{
	return site->wave == 64 ? ~0ull : (1ull << site->wave) - 1;
}

uint32_t layout_conflicts(const struct advice_site *site, int64_t stride, unsigned row,
			  uint32_t shift, struct probe_lds_scratch *scratch)
{
	uint32_t addr[64] = {0};

	for (unsigned lane = 0; lane < site->wave; lane++)
		addr[lane] =
			(uint32_t)((1 << 17) + stride * (int)(lane % row)) + shift * (lane / row);
	return layout_conflicts_at(site, full(site), addr, scratch);
}

unsigned layout_padding(const struct advice_site *site, int64_t stride, unsigned row,
			struct probe_lds_scratch *scratch)
{
	unsigned element = layout_element(site);

	for (unsigned n = 1; n <= 8; n++) {
		int64_t padded =
			stride < 0 ? stride - (int)(n * element) : stride + (int)(n * element);

		if (!layout_conflicts(site, padded, row, element, scratch))
			return n;
	}
	return 0;
}

/* `element`: its number in a row-major table of rows of `columns`, a multiple of `by`. */
static uint32_t swizzled(unsigned element, unsigned columns, unsigned by, unsigned bytes)
{
	unsigned row = element / columns, column = element % columns;

	return (row * columns + (column ^ row % by)) * bytes;
}

/* No conflict down any column, nor along any row? */
static bool swizzle_holds(const struct advice_site *site, unsigned columns, unsigned by,
			  unsigned row, struct probe_lds_scratch *scratch)
{
	unsigned bytes = layout_element(site);
	uint32_t down[64] = {0}, along[64] = {0};

	for (unsigned first = 0; first < columns; first++) {
		for (unsigned lane = 0; lane < site->wave; lane++) {
			/* Rows of the workgroup side by side take neighbouring columns. */
			unsigned column = (first + lane / row) % columns;

			down[lane] = swizzled(lane % row * columns + column, columns, by, bytes);
			along[lane] = swizzled(first * columns + lane, columns, by, bytes);
		}
		if (layout_conflicts_at(site, full(site), down, scratch) ||
		    layout_conflicts_at(site, full(site), along, scratch))
			return false;
	}
	return true;
}

/* Elements of a row of `pitch` bytes if they are a power of two; else 0. */
static unsigned columns_of(const struct advice_site *site, int64_t pitch)
{
	uint64_t size = pitch < 0 ? 0 - (uint64_t)pitch : (uint64_t)pitch;
	unsigned bytes = layout_element(site), columns;

	if (size % bytes || size / bytes > 4096)
		return 0;
	columns = (unsigned)(size / bytes);
	return columns < 2 || columns & (columns - 1) ? 0 : columns;
}

unsigned layout_swizzle(const struct advice_site *site, int64_t pitch, unsigned row,
			struct probe_lds_scratch *scratch)
{
	unsigned columns = columns_of(site, pitch);

	return columns && swizzle_holds(site, columns, columns, row, scratch) ? columns : 0;
}

/* Does a multiple of the stride have as many conflicts as the stride itself? */
static bool is_alike(const struct advice_site *site, int64_t stride, unsigned times, unsigned row,
		     struct probe_lds_scratch *scratch)
{
	unsigned shift = layout_element(site);

	return layout_conflicts(site, stride * times, row, shift, scratch) ==
	       layout_conflicts(site, stride, row, shift, scratch);
}

unsigned layout_padding_any(const struct advice_site *site, int64_t stride, unsigned row,
			    struct probe_lds_scratch *scratch)
{
	unsigned element = layout_element(site);

	for (unsigned n = 1; n <= 8; n++) {
		bool good = true;

		for (unsigned times = 1; times <= LAYOUT_MULTIPLES && good; times++)
			good = !is_alike(site, stride, times, row, scratch) ||
			       !layout_conflicts(site, stride * times + n * element, row, element,
						 scratch);
		if (good)
			return n;
	}
	return 0;
}

unsigned layout_swizzle_any(const struct advice_site *site, int64_t stride, unsigned row,
			    struct probe_lds_scratch *scratch)
{
	unsigned columns = columns_of(site, stride);

	for (unsigned times = 1; times <= LAYOUT_MULTIPLES && columns; times++)
		if (is_alike(site, stride, times, row, scratch) &&
		    !swizzle_holds(site, columns * times, columns, row, scratch))
			return 0;
	return columns;
}

uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride, unsigned lanes)
{
	uint32_t sum = 0;
	struct probe_cache_lines lines;

	for (unsigned k = 0; k < site->bytes; k += site->unit) {
		/* With a stride of one unit: first the first units of all lanes, then the next
		 * ones. */
		const struct probe_affine_lanes run = {
			.count = lanes,
			.base = (1ull << 40) + (stride == site->unit ? k * lanes : k),
			.stride = stride,
		};

		if (probe_cache_lines_count_affine(site->wave, site->unit, &run, &lines))
			sum += line == 64 ? lines.used64 : lines.used128;
	}
	return sum;
}

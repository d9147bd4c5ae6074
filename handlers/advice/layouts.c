/* SPDX-License-Identifier: MIT */
#include "handlers/advice/layouts.h"

#include <stdlib.h>

#include <probe/handler.h>
#include <probe/lds_size.h>
#include <probe/rules/cache_lines.h>

#include "handlers/advice/divisor.h"

int64_t layout_stride(const struct advice_site *site)
{
	const uint64_t *c = site->counters;
	int64_t high = advice_read_stride(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS);

	if (!c[PROBE_C_STRIDE_HI] || c[PROBE_C_AFFINE] != c[PROBE_C_EXECUTIONS] ||
	    c[PROBE_C_STRIDE_LO] != PROBE_STRIDE_BIAS - (uint64_t)high)
		return 0;
	return high;
}

unsigned layout_element(const struct advice_site *site)
{
	return site->bytes < 4 ? 4 : site->bytes;
}

struct probe_lds_rule layout_lds_rule(const struct advice_site *site)
{
	return probe_lds_rule(probe_lds_model_find(site->arch), site->wave, site->unit,
			      site->access);
}

/* Conflicts of all machine accesses of a lane's element, with addr[l] for each lane of exec. */
uint32_t layout_conflicts_at(const struct advice_site *site, uint64_t exec, const uint32_t addr[64],
			     struct probe_lds_scratch *scratch)
{
	const struct probe_lds_rule rule = layout_lds_rule(site);
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

void layout_of_stride(const struct advice_site *site, int64_t stride, struct lane_offsets *ret)
{
	ret->waves = 1;
	ret->exec[0] = full(site);
	for (unsigned lane = 0; lane < 64; lane++)
		ret->offset[0][lane] = stride * (int)lane;
}

uint32_t layout_conflicts(const struct advice_site *site, int64_t stride,
			  struct probe_lds_scratch *scratch)
{
	uint32_t addr[64] = {0};

	for (unsigned lane = 0; lane < site->wave; lane++)
		addr[lane] = (uint32_t)((1 << 17) + stride * (int)lane);
	return layout_conflicts_at(site, full(site), addr, scratch);
}

/* ---- Space in LDS --------------------------------------------------------------------------- */

enum layout_space layout_space(const struct advice_site *site, unsigned row, unsigned pad)
{
	uint64_t used = site->lds_bytes, all = probe_lds_bytes(site->arch);

	/* At least one row is followed by another; at most all of the workgroup's LDS is rows. */
	if (used + pad > all)
		return LAYOUT_NO_SPACE;
	return used + used / row * pad > all ? LAYOUT_SPACE_POSSIBLE : LAYOUT_SPACE;
}

bool layout_copies_fit(const struct advice_site *site, uint64_t table, unsigned copies)
{
	uint64_t used = site->lds_bytes > table ? site->lds_bytes : table;

	return used + (copies - 1) * table <= probe_lds_bytes(site->arch);
}

void layout_copies_try(const struct advice_site *site, unsigned copies, double after,
		       struct layout_copies *best)
{
	double passes = 2.0 * (double)best->table * (copies - 1) / LDS_PASS_BYTES;
	double cost = passes * (double)site->workgroups / (double)site->place_executions;

	if (best->copies && after + cost >= best->after + best->cost)
		return;
	best->copies = copies;
	best->after = after;
	best->cost = cost;
}

/* ---- Rows as declared ----------------------------------------------------------------------- */

/* Rows of bytes or shorts that are no multiples of a dword: nothing in them is aligned to one. */
static bool small_rows(const struct advice_site *site)
{
	return site->declared_row % 4 && site->declared_element && site->declared_element < 4 &&
	       site->unit <= site->declared_element;
}

unsigned layout_align(const struct advice_site *site)
{
	unsigned element = layout_element(site), align = site->info ? site->info->align : 0;

	if (small_rows(site))
		return site->declared_element;
	/* The compiler merges accesses to neighbouring elements. */
	return align >= 4 && align < element ? align : element;
}

unsigned layout_whole(const struct advice_site *site, unsigned row, unsigned bytes)
{
	unsigned element = site->declared_element;
	uint64_t whole;

	/* An array of structs, or raw space. */
	if (!element || (!site->declared_row && (row <= element || element < 2 || row % element)))
		return bytes;
	whole = bytes / divisor(bytes, element) * (uint64_t)element;
	return whole < PROBE_LDS_MOST ? (unsigned)whole : PROBE_LDS_MOST;
}

bool layout_in_rows(const struct advice_site *site)
{
	const uint64_t *c = site->counters;
	struct axis_strides axes;

	if (!site->declared_row || !axis_strides(site, &axes) || axes.fields ||
	    c[PROBE_C_LANES] != c[PROBE_C_EXECUTIONS] * site->wave)
		return false;
	for (int i = 0; i < 3; i++)
		if (site->group[i] > 1 && axes.known[i] && axes.stride[i] &&
		    axes.stride[i] % (int64_t)site->declared_row == 0)
			return true;
	return false;
}

/* ---- Rows in LDS ---------------------------------------------------------------------------- */

enum { BANK_BYTES = 256 };

static uint32_t moved(const struct row_layout *layout, uint32_t at)
{
	unsigned row = at / layout->row, within = at % layout->row, column;

	if (layout->pad)
		return at + row * layout->pad;
	column = within / layout->element ^ row % layout->columns;
	return row * layout->row + column * layout->element + within % layout->element;
}

/*
 * Conflicts of one wave whose first lane is at `first`; UINT32_MAX if an element would be cut. No
 * element of a declared row is: lanes for which it would be are idle there.
 */
static uint32_t conflicts_from(const struct advice_site *site, const struct lane_offsets *lanes,
			       unsigned wave, const struct row_layout *layout, uint32_t first,
			       struct probe_lds_scratch *scratch)
{
	unsigned whole = layout->pad ? layout->row : layout->element;
	uint64_t exec = lanes->exec[wave];
	uint32_t addr[64] = {0};

	for (uint64_t rest = exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint32_t at = first + (uint32_t)lanes->offset[wave][lane];
		bool cut = at % whole + site->bytes > whole;

		if (cut && whole != site->declared_row)
			return UINT32_MAX;
		if (cut)
			exec &= ~(1ull << lane);
		else
			addr[lane] = moved(layout, at);
	}
	return layout_conflicts_at(site, exec, addr, scratch);
}

static uint32_t worse(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A multiple of the layout's period that makes the addresses of all lanes non-negative. */
static uint32_t above(const struct lane_offsets *lanes, unsigned wave, uint32_t period)
{
	int64_t lowest = 0;

	for (uint64_t rest = lanes->exec[wave]; rest; rest &= rest - 1) {
		int64_t at = lanes->offset[wave][__builtin_ctzll(rest)];

		lowest = at < lowest ? at : lowest;
	}
	return (uint32_t)((period - 1 - lowest) / period * period);
}

static void widen(struct conflict_range *range, uint32_t conflicts)
{
	range->least = conflicts < range->least ? conflicts : range->least;
	range->most = worse(range->most, conflicts);
}

/* Rows after which a row begins at the same byte of a dword. */
static unsigned phases(unsigned pitch)
{
	return pitch % 4 == 0 ? 1 : pitch % 2 == 0 ? 2 : 4;
}

/* Are all lanes in the rows that their distances show, with the first one at `in` in its row? */
static bool fit_rows(const struct advice_site *site, const struct lane_offsets *lanes,
		     unsigned wave, unsigned row, unsigned in)
{
	for (uint64_t rest = lanes->exec[wave]; rest; rest &= rest - 1) {
		int64_t column = lanes->offset[wave][__builtin_ctzll(rest)] % (int64_t)row;

		if (in + (column < 0 ? column + row : column) + site->bytes > row)
			return false;
	}
	return true;
}

/*
 * Over every position of the first lane in a row; padding is the same in every row except for a
 * shift.
 */
static void range_padded(const struct advice_site *site, const struct lane_offsets *lanes,
			 unsigned wave, const struct row_layout *layout,
			 struct probe_lds_scratch *scratch, struct conflict_range *ret)
{
	unsigned step = site->unit == 12 ? 4 : site->unit;
	uint32_t base = above(lanes, wave, layout->row);
	bool declared = layout->row == site->declared_row;
	bool in_rows = declared && layout_in_rows(site) &&
		       fit_rows(site, lanes, wave, layout->row, 0);

	if (declared && layout_align(site) < step)
		step = layout_align(site);
	for (unsigned row = 0; row < phases(layout->row + layout->pad); row++)
		for (unsigned in = 0; in < layout->row && ret->most != UINT32_MAX; in += step)
			if (in + site->bytes <= layout->row &&
			    (!in_rows || fit_rows(site, lanes, wave, layout->row, in)))
				widen(ret, conflicts_from(site, lanes, wave, layout,
							  base + row * layout->row + in, scratch));
}

/*
 * Over every column and row that may differ. An exclusive-or with numbers below `columns` changes
 * the low bits only, so columns matter modulo `columns`, and next to the end of a row.
 */
static void range_swizzled(const struct advice_site *site, const struct lane_offsets *lanes,
			   unsigned wave, const struct row_layout *layout,
			   struct probe_lds_scratch *scratch, struct conflict_range *ret)
{
	unsigned in_row = layout->row / layout->element, columns = layout->columns;
	unsigned step = site->unit == 12 ? 4 : site->unit;
	uint32_t base = above(lanes, wave, layout->row * columns);

	for (unsigned row = 0; row < columns && ret->most != UINT32_MAX; row++)
		for (unsigned c = 0; c < in_row && ret->most != UINT32_MAX; c++) {
			if (c == columns && in_row > 2 * columns)
				c = in_row - columns;
			for (unsigned in = 0; in + site->bytes <= layout->element; in += step)
				widen(ret, conflicts_from(site, lanes, wave, layout,
							  base + row * layout->row +
								  c * layout->element + in,
							  scratch));
		}
}

bool layout_swizzle_columns(struct row_layout *layout)
{
	unsigned element = layout->element, in_row = layout->row / element;

	layout->columns = in_row < BANK_BYTES / element ? in_row : BANK_BYTES / element;
	return layout->row % element == 0 && in_row > 1 && element <= BANK_BYTES &&
	       !(in_row & (in_row - 1)) && !(element & (element - 1)) &&
	       layout->row <= LAYOUT_ROW_LONGEST;
}

struct conflict_range layout_range(const struct advice_site *site, const struct lane_offsets *lanes,
				   const struct row_layout *layout,
				   struct probe_lds_scratch *scratch)
{
	struct conflict_range range = {.least = UINT32_MAX};

	for (unsigned wave = 0; wave < lanes->waves && range.most != UINT32_MAX; wave++)
		(layout->pad ? range_padded : range_swizzled)(site, lanes, wave, layout, scratch,
							      &range);
	return range;
}

uint32_t layout_worst(const struct advice_site *site, const struct lane_offsets *lanes,
		      const struct row_layout *layout, struct probe_lds_scratch *scratch)
{
	return layout_range(site, lanes, layout, scratch).most;
}

bool layout_has_columns(const struct advice_site *site, unsigned element)
{
	unsigned declared = site->declared_element;

	/* An array of bytes without rows is often raw space. */
	if (declared < 2 && !(declared && site->declared_row))
		return element <= 4;
	return site->bytes <= declared && element % declared == 0;
}

void row_candidates_add(struct row_candidates *candidates, const struct advice_site *site,
			int64_t stride)
{
	uint64_t size =
		site->declared_row ? site->declared_row : (uint64_t)llabs((long long)stride);

	for (unsigned i = 0; i < candidates->count; i++)
		if (candidates->rows[i] == size)
			return;
	if (size >= 2 * site->bytes && size <= LAYOUT_ROW_LONGEST &&
	    candidates->count < LAYOUT_ROWS)
		candidates->rows[candidates->count++] = (unsigned)size;
}

/* Keeps the layout if it is better than the best one so far. */
static void consider(const struct layout_search *search, const struct row_layout *layout,
		     struct row_layout *best, uint32_t *least)
{
	uint32_t worst = layout_worst(search->site, search->lanes, layout, search->scratch);

	if (worst >= *least)
		return;
	*least = worst;
	*best = *layout;
}

bool layout_best_padding(const struct layout_search *search, struct row_layout *ret,
			 uint32_t *ret_worst)
{
	const struct advice_site *site = search->site;

	*ret_worst = UINT32_MAX;
	for (unsigned i = 0; i < search->rows->count; i++) {
		unsigned row = search->rows->rows[i],
			 step = layout_whole(site, row, layout_align(site));

		/* Rows of small elements need not be multiples of a dword. */
		if (!site->declared_row && row % 4)
			step = site->unit;
		if (row % (site->declared_row ? layout_align(site) : site->unit) ||
		    row < 2 * site->bytes || row > LAYOUT_ROW_LONGEST)
			continue;
		for (unsigned n = 1; n <= LAYOUT_PADS && *ret_worst; n++) {
			const struct row_layout layout = {.row = row, .pad = n * step};

			if (layout_space(site, row, layout.pad))
				consider(search, &layout, ret, ret_worst);
		}
	}
	return *ret_worst != UINT32_MAX;
}

bool layout_best_swizzle(const struct layout_search *search, struct row_layout *ret,
			 uint32_t *ret_worst)
{
	unsigned element = layout_element(search->site);

	*ret_worst = UINT32_MAX;
	if (!layout_has_columns(search->site, element))
		return false;
	for (unsigned i = 0; i < search->rows->count && *ret_worst; i++) {
		struct row_layout layout = {.row = search->rows->rows[i], .element = element};

		if (layout_swizzle_columns(&layout))
			consider(search, &layout, ret, ret_worst);
	}
	return *ret_worst != UINT32_MAX;
}

/* ---- Cache lines ---------------------------------------------------------------------------- */

static uint32_t lines_from(const struct advice_site *site, unsigned line, int64_t stride,
			   unsigned lanes, uint64_t base)
{
	uint32_t sum = 0;
	struct probe_cache_lines lines;

	for (unsigned k = 0; k < site->bytes; k += site->unit) {
		/*
		 * With a stride of one unit: first the first units of all lanes, then the second
		 * ones, and so on.
		 */
		const struct probe_affine_lanes run = {
			.count = lanes,
			.base = base + (stride == site->unit ? k * lanes : k),
			.stride = stride,
		};

		if (probe_cache_lines_count_affine(site->wave, site->unit, &run, &lines))
			sum += line == 64 ? lines.used64 : lines.used128;
	}
	return sum;
}

uint32_t layout_lines(const struct advice_site *site, unsigned line, int64_t stride, unsigned lanes)
{
	return lines_from(site, line, stride, lanes, 1ull << 40);
}

uint32_t layout_lines_most(const struct advice_site *site, unsigned line, int64_t stride,
			   unsigned lanes)
{
	unsigned unit = site->unit == 12 ? 4 : site->unit;
	unsigned align = site->info && site->info->align ? site->info->align : 1;
	unsigned step = align < unit ? align : unit;
	uint32_t most = 0;

	for (unsigned from = 0; from < line; from += step)
		most = worse(most, lines_from(site, line, stride, lanes, (1ull << 40) + from));
	return most;
}

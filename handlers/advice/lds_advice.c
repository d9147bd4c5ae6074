/* SPDX-License-Identifier: MIT */
/* Cause and fix of LDS bank conflicts. */
#include "handlers/advice/lds_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/handler.h>
#include <probe/lds_size.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/lds_arrays.h"
#include "handlers/advice/lds_tables.h"
#include "handlers/advice/recorded_addresses.h"

static const char alike[] = "other executions are like those recorded";
static const char others_unevaluated[] = "; effect on other accesses to the array not evaluated";

static void append_factor(unsigned factor, struct advice *ret)
{
	if (factor > 1)
		advice_append(ret->fix, " * %u", factor);
}

static double conflicts_each(const struct facts *facts)
{
	return facts_each(facts, facts->conflicts);
}

/* ---- Layouts of rows ------------------------------------------------------------------------ */

/* A padding whose size in all depends on an array of unknown size. */
static void say_space(const struct advice_site *site, unsigned row, unsigned pad,
		      struct advice *ret)
{
	if (layout_space(site, row, pad) == LAYOUT_SPACE_POSSIBLE)
		advice_append(ret->fix,
			      ", if LDS has space for it in all rows (a workgroup uses %u of %u B)",
			      site->lds_bytes, probe_lds_bytes(site->arch));
}

/* Are lanes of the access that far apart: neighbours, or work-items along an axis? */
static bool has_distance(const struct advice_site *site, unsigned row)
{
	int64_t stride = layout_stride(site);
	struct axis_strides axes;

	if (stride)
		return stride == row;
	if (site->recorded && recorded_rows(site->recorded, site, true, &stride) && stride == row)
		return true;
	if (!axis_strides(site, &axes))
		return false;
	for (int i = 0; i < 3; i++)
		if (site->group[i] > 1 && axes.known[i] && axes.stride[i] == row)
			return true;
	for (int i = 0; axes.fields && i < PROBE_BITFIELDS; i++)
		if (site->info->bitfields[i].scale == row)
			return true;
	return false;
}

/*
 * Are rows of the array as long as lanes are apart? Lanes that go down in the array are often on a
 * diagonal, and rows may be of another length in each launch, or those of another array in the same
 * struct; then each element's place is said, which is right for any array.
 */
static bool has_rows(const struct advice_site *site, unsigned row)
{
	bool mapped = site->array && site->array->mapped;
	/* Structs of an array. */
	bool structs = row == site->declared_element && row > site->bytes;

	return site->declared_row || structs || (has_distance(site, row) && !mapped);
}

/*
 * Bytes of the elements that a fix speaks of: those of the program, as far as known. Layouts move
 * whole dwords, so smaller elements, merged accesses and members of structs need a translation.
 */
static unsigned named_element(const struct advice_site *site)
{
	unsigned element = site->declared_element;
	/* An array of bytes without rows is often raw space for elements of other sizes. */
	return element > 1 || (site->declared_row && element) ? element : site->bytes;
}

static void say_padding(const struct advice_site *site, const struct row_layout *pad,
			struct advice *ret)
{
	unsigned row = pad->row, element = named_element(site);
	bool whole = row % element == 0 && pad->pad % element == 0;

	if (!has_rows(site, row)) {
		unsigned size = whole ? element : 1;

		if (whole)
			advice_append(ret->fix, "put element i (of %u B)", element);
		else
			advice_append(ret->fix, "put byte i");
		advice_append(ret->fix, " at i + i / %u", row / size);
		append_factor(pad->pad / size, ret);
	} else if (whole)
		advice_append(ret->fix, "pad the row from %u to %u elements of %u B (%u B)",
			      row / element, (row + pad->pad) / element, element, row + pad->pad);
	else
		advice_append(ret->fix, "pad the row by %u B to %u B", pad->pad, row + pad->pad);
	say_space(site, row, pad->pad, ret);
}

/* Of which size a column is must be said: the compiler merges accesses to smaller elements. */
static void say_swizzle(const struct advice_site *site, const struct row_layout *swizzle,
			struct advice *ret)
{
	unsigned columns = swizzle->row / swizzle->element;

	if (!has_rows(site, swizzle->row))
		advice_append(ret->fix, "put element i (of %u B) at i ^ (i / %u %% %u)",
			      swizzle->element, columns, columns);
	else
		advice_append(ret->fix, "store column c (of %u B) of row r in column c ^ (r %% %u)",
			      swizzle->element, columns);
}

/*
 * Proposes the better one of padding and swizzle, or both if they are equal. Proposes nothing
 * unless it removes at least half of the conflicts.
 */
static bool propose_rows(const struct facts *facts, const struct layout_search *search,
			 bool complete, struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct row_layout pad, swizzle;
	uint32_t padded, swizzled, least;
	bool pads = layout_best_padding(search, &pad, &padded);
	bool swizzles = layout_best_swizzle(search, &swizzle, &swizzled);

	/* Elements smaller than a bank: which of them share one depends on where the row begins. */
	swizzles = swizzles && swizzle.element == site->bytes;
	pads = pads && (!swizzles || padded <= swizzled);
	swizzles = swizzles && (!pads || (swizzled == padded && swizzle.row == pad.row));
	least = pads ? padded : swizzled;
	if ((!pads && !swizzles) || least * 2 > conflicts_each(facts))
		return false;
	ret->fix[0] = 0;
	if (pads)
		say_padding(site, &pad, ret);
	if (pads && swizzles)
		advice_append(ret->fix, ", or ");
	if (swizzles)
		say_swizzle(site, &swizzle, ret);
	if (complete)
		advice_verify_most(ret, "conflicts", least, conflicts_each(facts));
	else
		advice_estimate(ret, "conflicts", least, conflicts_each(facts), alike);
	/* Where it is not known which accesses are to the same array. */
	if (*ret->fix && !site->array)
		advice_append(ret->fix, others_unevaluated);
	if (*ret->fix && site->launches > 1)
		advice_append(ret->fix, "; launches of other shapes not evaluated");
	return *ret->fix;
}

/* For lanes with several proved strides: each distance is a candidate for the length of a row. */
static bool propose_proved(const struct facts *facts, struct probe_lds_scratch *scratch,
			   struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct row_candidates rows = {.count = 0};
	struct axis_strides axes;
	struct lane_offsets lanes;

	if (!axis_strides(site, &axes) || !lane_offsets(site, &lanes))
		return false;
	for (int i = 0; i < 3; i++)
		if (site->group[i] > 1)
			row_candidates_add(&rows, site, axes.stride[i]);
	for (int i = 0; axes.fields && i < PROBE_BITFIELDS; i++)
		row_candidates_add(&rows, site, site->info->bitfields[i].scale);
	return propose_rows(facts, &(struct layout_search){site, &lanes, &rows, scratch}, true,
			    ret);
}

/*
 * The same for recorded executions, in each of which all rows have the same stride between lanes.
 */
static bool propose_recorded(const struct facts *facts, struct probe_lds_scratch *scratch,
			     struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct row_candidates rows = {.count = 0};
	struct lane_offsets lanes;
	int64_t stride;

	if (!site->recorded || !recorded_rows(site->recorded, site, true, &stride) ||
	    !lanes_recorded(site->recorded, &lanes) ||
	    !recorded_others_alike(site->recorded, site, scratch))
		return false;
	row_candidates_add(&rows, site, stride);
	return propose_rows(facts, &(struct layout_search){site, &lanes, &rows, scratch},
			    site->recorded->executions == facts->executions, ret);
}

/* ---- Arrays whose addresses were recorded --------------------------------------------------- */

/* In an exclusive-or: units that are moved are `scale` elements, which stay together. */
static void say_scale(unsigned scale, struct advice *ret)
{
	append_factor(scale, ret);
	advice_append(ret->fix, ")");
}

struct bytes_text {
	char text[64];
};

/*
 * The part of LDS that is meant, as far as accesses show, unless it is all of it; rows and elements
 * count from its first byte. With `before` if there is one.
 */
static struct bytes_text accessed_bytes(const struct advice_site *site,
					const struct array_layout *array, const char *before)
{
	struct bytes_text bytes = {""};

	if (array->low || (array->outside && array->outside < site->lds_bytes))
		snprintf(bytes.text, sizeof(bytes.text), "%sin the accessed bytes %u to %u of LDS",
			 before, array->low, array->outside - 1);
	return bytes;
}

/*
 * Proposes a layout in rows that the program may not have, so the text says where each element
 * goes.
 */
static void lds_mapping(const struct advice_site *site, const struct array_layout *array,
			struct advice *ret)
{
	unsigned named = named_element(site), moved = array->pad ? array->pad : array->element;
	bool divides = array->pitch % named == 0 && moved % named == 0;
	unsigned size = divides ? named : array->pad ? array->small : array->element;
	bool whole = array->pitch % size == 0 && array->pad % size == 0;
	char what[112];

	if (whole)
		snprintf(what, sizeof(what), "element i (of %u B%s)", size,
			 accessed_bytes(site, array, ", ").text);
	else
		snprintf(what, sizeof(what), "byte i%s", accessed_bytes(site, array, " ").text);
	size = whole ? size : 1;
	if (array->pad) {
		advice_append(ret->fix, "put %s at i + i / %u", what, array->pitch / size);
		append_factor(array->pad / size, ret);
	} else {
		advice_append(ret->fix, "put %s at i ^ (i / %u %% %u", what, array->pitch / size,
			      array->columns);
		say_scale(array->element / size, ret);
	}
	if (array->pad)
		say_space(site, array->pitch, array->pad, ret);
}

/* The same for rows whose pitch is the stride between lanes. */
static void lds_pitches(const struct advice_site *site, const struct array_layout *array,
			struct advice *ret)
{
	unsigned element = named_element(site);
	const struct bytes_text at = accessed_bytes(site, array, " ");

	if (array->pad)
		advice_append(ret->fix, "pad each row of %u B%s by %u B", array->pitch, at.text,
			      array->pad);
	if (array->pad && array->pitch % element == 0 && array->pad % element == 0)
		advice_append(ret->fix, " (from %u to %u elements of %u B)", array->pitch / element,
			      (array->pitch + array->pad) / element, element);
	if (array->pad)
		say_space(site, array->pitch, array->pad, ret);
	element = array->element % element ? array->element : element;
	/* Accesses that the compiler merges in rows are apart in a swizzle of single elements. */
	if (!array->columns || (array->pad && array->element > element))
		return;
	advice_append(ret->fix,
		      "%sstore column c (of %u B) of row r (of %u B%s) in column c ^ (r %% %u",
		      array->pad ? ", or " : "", element, array->pitch, array->pad ? "" : at.text,
		      array->columns);
	say_scale(array->element / element, ret);
}

/* The same for distances of lanes that are known, wherever the array begins. */
static void lds_rows_of(const struct advice_site *site, const struct array_layout *array,
			struct advice *ret)
{
	const struct row_layout pad = {.row = array->pitch, .pad = array->pad};
	const struct row_layout swizzle = {
		.row = array->pitch, .columns = array->columns, .element = array->element};

	if (array->pad)
		say_padding(site, &pad, ret);
	if (array->pad && array->columns)
		advice_append(ret->fix, ", or ");
	if (array->columns)
		say_swizzle(site, &swizzle, ret);
}

static void say_others(const struct array_layout *array, struct advice *ret)
{
	unsigned together = array->most ? array->costly : array->accesses;
	unsigned others = array->accesses - together;

	if (together > 1)
		advice_append(ret->fix, "; the %u accesses to this array%s", together,
			      others ? " that have conflicts" : "");
	else if (array->launches > 1)
		advice_append(ret->fix, "; this access");
	if (array->launches > 1)
		advice_append(ret->fix, " in launches of %u shapes", array->launches);
	if (together > 1 || array->launches > 1)
		advice_append(ret->fix, " together: %s%s after, %s before (in all)",
			      array->most && array->after > 0 ? "at most " : "",
			      advice_number(array->after).text, advice_number(array->before).text);
	if (others)
		advice_append(ret->fix,
			      "; the array's %u access%s that %s no conflicts now: %s%s conflict%s "
			      "after (in all)",
			      others, others == 1 ? "" : "es", others == 1 ? "has" : "have",
			      array->others > 0 ? "at most " : "",
			      advice_number(array->others).text, array->others == 1 ? "" : "s");
	if (array->partly)
		advice_append(ret->fix,
			      "; not all accesses were evaluated in launches of all shapes");
}

/*
 * Proposes the best layout for all accesses to an array, if it is `shared`. False if none helps, or
 * if the layout may harm executions that were not recorded.
 */
static bool propose_array(const struct facts *facts, bool shared, struct advice *ret)
{
	const struct array_layout *array = facts->site->array;

	if (!array || !array->complete || !array->halves || shared != array->together)
		return false;
	ret->fix[0] = 0;
	if (array->most)
		lds_rows_of(facts->site, array, ret);
	else if (array->rows)
		lds_pitches(facts->site, array, ret);
	else
		lds_mapping(facts->site, array, ret);
	if (array->alike)
		advice_estimate(ret, "conflicts", array->each_after, array->each_before, alike);
	else if (array->most)
		advice_verify_most(ret, "conflicts", array->each_after, array->each_before);
	else
		advice_verify(ret, "conflicts", array->each_after, array->each_before);
	if (*ret->fix)
		say_others(array, ret);
	return *ret->fix;
}

/* True if a layout for this access alone might harm other known accesses. */
static bool is_shared(const struct advice_site *site)
{
	return site->array && site->array->complete && site->array->together;
}

/* ---- Causes --------------------------------------------------------------------------------- */

/*
 * A fix that moves the data of one access: others of the array may then have conflicts. Of unknown
 * ones advice_lds() says so.
 */
static void say_others_move(const struct advice_site *site, struct advice *ret)
{
	const struct array_layout *array = site->array;

	if (*ret->fix && !(array && (array->unknown || array->accesses == 1)))
		advice_append(ret->fix, others_unevaluated);
}

/* For steps of a tree. Those of a reduction can be changed, those of a scan or a sort cannot. */
static void say_neighbours(const struct facts *facts, struct probe_lds_scratch *scratch,
			   struct advice *ret)
{
	advice_say(ret->fix,
		   "change the index so that active lanes use neighbouring elements in every step");
	advice_estimate(ret, "conflicts",
			layout_conflicts(facts->site, facts->site->unit, scratch),
			conflicts_each(facts),
			"the steps may combine any two elements, as a reduction may and a scan may not");
	say_others_move(facts->site, ret);
}

/* Causes with one word for all lanes, or with lanes at one stride. */
static void lds_stride(const struct facts *facts, struct probe_lds_scratch *scratch,
		       struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned apart = (unsigned)llabs((long long)facts->low);
	struct row_candidates rows = {.count = 0};
	struct lane_offsets lanes;

	if (!apart) {
		advice_say(ret->cause,
			   "all active lanes update one word, which serialises them: %llu in "
			   "a row",
			   (unsigned long long)facts->way);
		/* A single lane has no conflicts. */
		if (facts_say_reduce(facts, false, ret))
			advice_verify(ret, "conflicts", 0, conflicts_each(facts));
		return;
	}
	if (facts_sparse(facts))
		advice_say(
			ret->cause,
			"neighbouring lanes are %u B apart, and %.1f of %u are active on average: "
			"%llu-way bank conflict",
			apart, facts_each(facts, facts->lanes), site->wave,
			(unsigned long long)facts->way);
	else
		advice_say(ret->cause, "lanes are %u B apart: %llu-way bank conflict", apart,
			   (unsigned long long)facts->way);
	if (apart < 2 * site->bytes) {
		advice_say(ret->fix,
			   "lay the data out so that neighbouring lanes use neighbouring elements "
			   "(of %u B)",
			   site->unit);
		advice_verify(ret, "conflicts", layout_conflicts(site, site->unit, scratch),
			      conflicts_each(facts));
		say_others_move(site, ret);
		return;
	}
	layout_of_stride(site, facts->low, &lanes);
	row_candidates_add(&rows, site, facts->low);
	if (propose_array(facts, true, ret))
		return;
	/* With idle lanes this may be one step of a tree, whose other steps have other strides. */
	if (!facts_sparse(facts) && !is_shared(site))
		propose_rows(facts, &(struct layout_search){site, &lanes, &rows, scratch}, true,
			     ret);
	else if (facts_sparse(facts) && site->strides)
		say_neighbours(facts, scratch, ret);
}

/* For strides that change: with idle lanes, they are steps of a tree. */
static void lds_strides(const struct facts *facts, struct probe_lds_scratch *scratch,
			struct advice *ret)
{
	advice_say(ret->cause,
		   "the stride between lanes varies from %lld to %lld B between "
		   "executions: up to %llu-way bank conflict",
		   (long long)facts->low, (long long)facts->high, (unsigned long long)facts->way);
	if (propose_array(facts, true, ret) ||
	    facts->lanes == facts->executions * facts->site->wave)
		return;
	say_neighbours(facts, scratch, ret);
}

/* Proposes the best known layout, for all accesses to the array or for this one. */
static void lds_layout(const struct facts *facts, struct probe_lds_scratch *scratch,
		       struct advice *ret)
{
	if (!propose_array(facts, true, ret) && !is_shared(facts->site) &&
	    !propose_proved(facts, scratch, ret) && !propose_recorded(facts, scratch, ret))
		propose_array(facts, false, ret);
}

/* The most accesses that lanes of one row make to a bank, wherever it begins in a dword. */
static unsigned way_in_row(const struct advice_site *site, int64_t stride,
			   struct probe_lds_scratch *scratch)
{
	const struct probe_lds_rule rule = layout_lds_rule(site);
	unsigned step = site->unit < 4 ? site->unit : 4, most = 0;
	uint32_t addr[64] = {0};

	for (unsigned from = 0; from < 4; from += step) {
		struct probe_lds_cost cost;

		for (unsigned lane = 0; lane < site->row; lane++)
			addr[lane] = (uint32_t)((1 << 17) + from + stride * (int)lane);
		cost = probe_lds_count(&rule, (1ull << site->row) - 1, addr, scratch);
		most = cost.way > most ? cost.way : most;
	}
	return most;
}

/* Which lanes conflict: those of a row, those of different rows, or both. */
static void say_rows(const struct facts *facts, int64_t stride, struct probe_lds_scratch *scratch,
		     struct advice *ret)
{
	const struct advice_site *site = facts->site;
	unsigned way = way_in_row(site, stride, scratch);

	if (llabs((long long)stride) <= (long long)site->bytes) {
		advice_say(ret->cause,
			   "rows of %u work-items are contiguous, but different rows use the same "
			   "banks: %llu-way bank conflict",
			   site->row, (unsigned long long)facts->way);
		return;
	}
	advice_say(ret->cause, "within each row of %u work-items lanes are %lld B apart", site->row,
		   llabs((long long)stride));
	if (way < 2)
		advice_append(ret->cause,
			      ", without conflicts, but different rows use the same banks");
	else if (way < facts->way)
		advice_append(ret->cause, " (%u-way), and different rows use the same banks", way);
	advice_append(ret->cause, ": %llu-way bank conflict", (unsigned long long)facts->way);
}

/*
 * For workgroups whose rows are shorter than a wave, with one stride between the lanes of each row.
 */
static bool lds_rows(const struct facts *facts, struct probe_lds_scratch *scratch,
		     struct advice *ret)
{
	const struct advice_site *site = facts->site;
	struct axis_strides axes;
	int64_t stride = 0;

	/* With idle lanes, the lanes that conflict may not be neighbours. */
	if (!site->row || site->row >= site->wave || site->access == PROBE_ACCESS_ATOMIC ||
	    facts_sparse(facts))
		return false;
	if (axis_strides(site, &axes) && !axes.fields && axes.known[0])
		stride = axes.stride[0];
	else if (!facts_nearly_recorded(facts) ||
		 !recorded_rows(site->recorded, site, true, &stride))
		return false;
	if (!stride)
		return false;
	say_rows(facts, stride, scratch, ret);
	lds_layout(facts, scratch, ret);
	return true;
}

static void find_advice(const struct facts *facts, struct probe_lds_scratch *scratch,
			struct advice *ret)
{
	const struct advice_site *site = facts->site;
	char text[ADVICE_MAX / 2];

	if (facts->pattern == PATTERN_STRIDE && facts_computed(facts)) {
		lds_stride(facts, scratch, ret);
		return;
	}
	if (facts->pattern == PATTERN_STRIDES && facts_computed(facts)) {
		lds_strides(facts, scratch, ret);
		return;
	}
	if (lds_rows(facts, scratch, ret))
		return;
	advice_say(ret->cause, "%s: %.1f conflicts per execution, up to %llu-way",
		   facts_address(facts, text, sizeof(text)), conflicts_each(facts),
		   (unsigned long long)facts->way);
	if (site->access == PROBE_ACCESS_ATOMIC)
		advice_lds_table(facts, scratch, ret);
	else
		lds_layout(facts, scratch, ret);
}

void advice_lds(const struct facts *facts, struct probe_lds_scratch *scratch, struct advice *ret)
{
	const struct array_layout *array = facts->site->array;

	find_advice(facts, scratch, ret);
	if (*ret->fix && array && array->unknown)
		advice_append(ret->fix, "; %u other access%s to this array %s not evaluated",
			      array->unknown, array->unknown == 1 ? "" : "es",
			      array->unknown == 1 ? "was" : "were");
}

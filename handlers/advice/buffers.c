/* SPDX-License-Identifier: MIT */
#include "handlers/advice/buffers.h"

#include <stdlib.h>

#include "handlers/advice/divisor.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/stride_advice.h"

enum {
	LINE = 128,
	SITES_MAX = 1 << 14, /* the work is quadratic; of more sites, none is evaluated */
	WORK_MAX = 1 << 27,  /* lanes that are moved: about a second */
};

void buffer_use_add(struct buffer_use *use, const struct probe_host *host,
		    const struct probe_dispatch_info *dispatch, uint64_t address)
{
	const struct probe_allocation_info *info = NULL;

	if (use->unknown ||
	    (use->count && use->dispatch == dispatch->id && address - use->begin < use->bytes))
		return;
	use->dispatch = dispatch->id;
	if (host->size > offsetof(struct probe_host, allocation) && host->allocation)
		info = host->allocation(host->ctx, dispatch, address);
	use->begin = info ? info->address : 0;
	use->bytes = info ? info->bytes : 0;
	for (unsigned i = 0; info && i < use->count; i++)
		if (use->id[i] == info->id)
			return;
	if (info && use->count < BUFFERS_OF_ACCESS)
		use->id[use->count++] = info->id;
	else
		use->unknown = true;
}

void buffer_use_lanes(struct buffer_use *use, uint64_t exec, uint64_t address, unsigned wave)
{
	/* Positions in cache lines are those of the address. */
	uint64_t offset = address - use->begin / LINE * LINE, distance;
	unsigned lanes = 64 - (unsigned)__builtin_clzll(exec) - (unsigned)__builtin_ctzll(exec);

	if (!use->full && !use->others)
		use->first = offset;
	distance = offset > use->first ? offset - use->first : use->first - offset;
	if (distance && (!use->apart || distance % use->apart))
		use->apart = divisor(distance, use->apart);
	if (lanes == wave) {
		use->full++;
		return;
	}
	use->others++;
	use->most = lanes > use->most ? lanes : use->most;
}

static bool overlap(const struct buffer_use *a, const struct buffer_use *b)
{
	for (unsigned i = 0; i < a->count; i++)
		for (unsigned k = 0; k < b->count; k++)
			if (a->id[i] == b->id[k])
				return true;
	return false;
}

/* Do all executions have one stride, which may be 0? */
static bool has_stride(const struct advice_site *site)
{
	const uint64_t *c = site->counters;

	return c[PROBE_C_AFFINE] == c[PROBE_C_EXECUTIONS] &&
	       (!c[PROBE_C_STRIDE_HI] ||
		c[PROBE_C_STRIDE_HI] + c[PROBE_C_STRIDE_LO] == 2 * PROBE_STRIDE_BIAS);
}

/* Contiguous lanes, each in one machine access. */
static bool is_contiguous(const struct advice_site *site)
{
	return layout_stride(site) == (int64_t)site->bytes && site->bytes == site->unit;
}

/* For each byte of a struct: the beginning and the length of its member. */
struct members {
	/* Larger structs are not split. */
	uint8_t begin[ADVICE_STRUCT_MAX], size[ADVICE_STRUCT_MAX];
};

/* The parts of a struct that accesses at this stride use. */
struct struct_use {
	/* Indexed by first byte: bit i = a machine access whose last byte is i. */
	uint64_t ends[ADVICE_STRUCT_MAX];
	unsigned least; /* bytes of the smallest access */
	bool cut[ADVICE_STRUCT_MAX + 1];
};

/* Members are the same in all structs, so that positions in one are those of the allocation. */
static void add_access(const struct buffer_site *one, unsigned stride, struct struct_use *use)
{
	unsigned step = (unsigned)divisor(stride, one->use->apart), unit = one->site.unit;

	for (unsigned begin = (unsigned)(one->use->first % step); begin < stride; begin += step)
		for (unsigned k = 0; k < one->site.bytes && begin + k < stride; k += unit) {
			unsigned end = begin + k + unit < stride ? begin + k + unit : stride;

			use->ends[begin + k] |= 1ull << (end - 1);
			use->cut[begin + k] = use->cut[end] = true;
		}
	if (unit < use->least)
		use->least = unit;
}

/*
 * A struct is cut wherever an access begins or ends. A part that no access uses as a whole is
 * assumed to consist of members as long as the smallest access.
 */
static void find_members(const struct buffer_site *sites, size_t count,
			 const struct buffer_site *one, unsigned stride, struct members *ret)
{
	struct struct_use use = {.least = stride, .cut = {[0] = true}};

	for (size_t i = 0; i < count; i++) {
		int64_t step = layout_stride(&sites[i].site);

		if (step && step % (int64_t)stride == 0 && sites[i].site.bytes &&
		    overlap(one->use, sites[i].use))
			add_access(&sites[i], stride, &use);
	}
	use.cut[stride] = true;
	for (unsigned begin = 0, end; begin < stride; begin = end) {
		unsigned size;

		for (end = begin + 1; !use.cut[end];)
			end++;
		size = use.ends[begin] >> (end - 1) & 1 ? end - begin : use.least;
		for (unsigned i = begin; i < end; i++) {
			unsigned from = begin + (i - begin) / size * size;

			ret->begin[i] = (uint8_t)from;
			ret->size[i] = (uint8_t)(end - from < size ? end - from : size);
		}
	}
}

/* Where the bytes of an access are in a new layout. */
struct layout {
	unsigned period; /* bytes of the present one after which positions in lines recur */
	unsigned stride; /* of structs that are split; 0 = they are not */
	struct members members;
	unsigned shift; /* the whole buffer is moved up */
	uint64_t work;	/* lanes that may yet be moved; 0 = too many, the result is unknown */
};

/*
 * Lines of lanes from an offset on, of `bytes` each, in an array per member. They ascend, or
 * descend, in each of them.
 */
static unsigned lines_split(const struct layout *layout, uint64_t offset, int64_t step,
			    unsigned lanes, unsigned bytes)
{
	uint64_t last[ADVICE_STRUCT_MAX];
	unsigned stride = layout->stride, count = 0;

	for (unsigned i = 0; i < stride; i++)
		last[i] = UINT64_MAX;
	for (unsigned lane = 0; lane < lanes; lane++) {
		uint64_t at = offset + (uint64_t)step * lane, end = at + bytes;

		while (at < end) {
			unsigned in = (unsigned)(at % stride), begin = layout->members.begin[in];
			unsigned size = layout->members.size[begin];
			uint64_t line = (at / stride * size + in - begin) / LINE;

			count += last[begin] != line;
			last[begin] = line;
			at += size - (in - begin);
		}
	}
	return count;
}

static unsigned lines_shifted(const struct layout *layout, uint64_t offset, int64_t step,
			      unsigned lanes, unsigned bytes)
{
	uint64_t last = UINT64_MAX;
	unsigned count = 0;

	for (unsigned lane = 0; lane < lanes; lane++) {
		uint64_t at = offset + layout->shift + (uint64_t)step * lane;

		for (uint64_t line = at / LINE; line <= (at + bytes - 1) / LINE; line++) {
			count += last != line;
			last = line;
		}
	}
	return count;
}

/* The most lines of an execution, from first + any multiple of `apart` on. */
static unsigned lines_most(const struct advice_site *site, struct layout *layout, uint64_t first,
			   uint64_t apart, unsigned lanes)
{
	unsigned step = (unsigned)divisor(layout->period, apart), most = 0;
	/* Lanes may go down. */
	uint64_t base = (uint64_t)layout->period << 32;

	for (uint64_t at = first % step; at < layout->period && layout->work; at += step) {
		unsigned lines = 0;

		for (unsigned k = 0; k < site->bytes; k += site->unit)
			lines += (layout->stride ? lines_split : lines_shifted)(
				layout, base + at + k, layout_stride(site), lanes, site->unit);
		most = lines > most ? lines : most;
		layout->work -= layout->work > lanes ? lanes : layout->work;
	}
	return most;
}

/* At most, in all executions. Each of the lanes without a stride may have lines of its own. */
static double lines_of_run(const struct buffer_site *one, struct layout *layout)
{
	const struct advice_site *site = &one->site;
	const struct buffer_use *use = one->use;
	double lines = 0;

	if (!has_stride(site))
		return (double)site->counters[PROBE_C_LANES] *
		       lines_most(site, layout, 0, site->unit & -site->unit, 1);
	if (use->full)
		lines += (double)use->full *
			 lines_most(site, layout, use->first, use->apart, site->wave);
	if (use->others)
		lines += (double)use->others *
			 lines_most(site, layout, use->first, use->apart, use->most);
	return lines;
}

/* The layout that advice about an access proposes, if it depends on others; else no period. */
static struct layout layout_of(const struct buffer_site *sites, size_t count,
			       const struct buffer_site *one, uint64_t work)
{
	int64_t stride = layout_stride(&one->site);
	uint64_t apart = (uint64_t)llabs((long long)stride), lowest = one->use->first;
	struct layout ret = {.work = work};

	if (apart > one->site.bytes && apart <= ADVICE_STRUCT_MAX) {
		ret.stride = (unsigned)apart;
		ret.period = (unsigned)apart * LINE;
		find_members(sites, count, one, ret.stride, &ret.members);
	} else if (apart == one->site.bytes) {
		ret.period = LINE;
		if (stride < 0)
			lowest += (uint64_t)stride * (one->site.wave - 1u);
		ret.shift = (unsigned)((0 - lowest) % LINE);
	}
	return ret;
}

/* Is it another access, and in these launches the first time that it is met? */
static bool is_new_other(struct buffer_site *sites, const struct buffer_site *other,
			 const struct buffer_site *one)
{
	struct buffer_site *first = &sites[other->first];
	size_t number = (size_t)(one - sites) + 1;

	if (other->first == one->first || first->seen == number)
		return false;
	first->seen = number;
	return true;
}

static void find(struct buffer_site *sites, size_t count, struct buffer_site *one, uint64_t *work)
{
	struct layout layout;

	one->known = one->use->count && !one->use->unknown;
	if (!one->known)
		return;
	layout = layout_of(sites, count, one, *work);
	for (size_t i = 0; i < count; i++) {
		const struct buffer_site *other = &sites[i];

		if (!overlap(one->use, other->use))
			continue;
		one->layout.rows += other != one;
		if (is_new_other(sites, other, one)) {
			one->layout.others++;
			one->layout.contiguous += is_contiguous(&other->site);
		}
		one->layout.before += (double)other->site.counters[PROBE_C_LINES128];
		if (layout.period)
			one->layout.after += lines_of_run(other, &layout);
	}
	for (unsigned i = 0; i < layout.stride; i++) {
		unsigned size = layout.members.size[i];

		one->layout.least = !i || size < one->layout.least ? size : one->layout.least;
		one->layout.most = size > one->layout.most ? size : one->layout.most;
	}
	*work = layout.work;
	one->known = layout.work;
}

/* Rows of one access have the same description. */
static void find_first(struct buffer_site *sites, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		sites[i].first = 0;
		while (sites[i].first < i &&
		       (!sites[i].site.info ||
			sites[sites[i].first].site.info != sites[i].site.info))
			sites[i].first++;
		sites[i].seen = 0;
	}
}

void buffers_find(struct buffer_site *sites, size_t count)
{
	uint64_t work = WORK_MAX;

	if (count <= SITES_MAX)
		find_first(sites, count);
	/* Only accesses that cost too much get advice. */
	for (size_t i = 0; i < count && count <= SITES_MAX; i++)
		if (sites[i].site.counters[PROBE_C_EXCESS64] ||
		    sites[i].site.counters[PROBE_C_EXCESS128])
			find(sites, count, &sites[i], &work);
}

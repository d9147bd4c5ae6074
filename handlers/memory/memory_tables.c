/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <probe/words.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/moved_cost.h"
#include "handlers/memory/memory_tables.h"

static const struct probe_column columns[] = {
	{"code_object", PROBE_TYPE_INTEGER},
	{"kernel", PROBE_TYPE_INTEGER},
	{"site", PROBE_TYPE_INTEGER},
	{"executions", PROBE_TYPE_INTEGER},
	{"lanes", PROBE_TYPE_INTEGER},
	{"quads", PROBE_TYPE_INTEGER},
	{"lines64", PROBE_TYPE_INTEGER},
	{"needed64", PROBE_TYPE_INTEGER},
	{"excess64", PROBE_TYPE_INTEGER},
	{"lines128", PROBE_TYPE_INTEGER},
	{"needed128", PROBE_TYPE_INTEGER},
	{"excess128", PROBE_TYPE_INTEGER},
	{"passes", PROBE_TYPE_INTEGER},
	{"ideal_passes", PROBE_TYPE_INTEGER},
	{"conflicts", PROBE_TYPE_INTEGER},
	{"max_way", PROBE_TYPE_INTEGER},
	{"affine", PROBE_TYPE_INTEGER},
	{"stride_lo", PROBE_TYPE_INTEGER},
	{"stride_hi", PROBE_TYPE_INTEGER},
	{"cause", PROBE_TYPE_TEXT},
	{"fix", PROBE_TYPE_TEXT},
	/*
	 * What `before` and `after` count per execution; NULL if the fix is not verified, in which
	 * case they are 0 or an estimate. `after` is the worst case.
	 */
	{"verified", PROBE_TYPE_TEXT},
	{"before", PROBE_TYPE_REAL},
	{"after", PROBE_TYPE_REAL},
	/* How the address depends on the lane (enum probe_address_class); NULL = unknown. */
	{"address_class", PROBE_TYPE_TEXT},
	{"address", PROBE_TYPE_TEXT},
	{"index_source", PROBE_TYPE_TEXT}, /* "file:line" of the load that the index comes from */
	/*
	 * Of 128 bytes of memory that lanes at one stride touch, the bytes that the access uses,
	 * and those that it and the near accesses of the block use (line_use.h); 0 = unknown.
	 */
	{"line_used", PROBE_TYPE_REAL},
	{"line_used_near", PROBE_TYPE_REAL},
	/*
	 * With a cause: where the lanes of the first wave are, in bytes from its first lane's
	 * address, separated by commas; nothing for lanes that are idle. NULL = not known.
	 */
	{"lane_offsets", PROBE_TYPE_TEXT},
	/* The launches that the row counts, "64x1x1 groups of 256x1x1"; NULL = several shapes. */
	{"launch_shape", PROBE_TYPE_TEXT},
	/*
	 * Where a sample of one in `measured_every` executions was measured: the number of those.
	 * Counters are estimates then, except for executions and lanes. 0 = they are exact.
	 */
	{"measured_every", PROBE_TYPE_INTEGER},
	{"measured", PROBE_TYPE_INTEGER},
	/* The first access of its block at a constant distance, perhaps itself. */
	{"near_site", PROBE_TYPE_INTEGER},
	/* Lanes that wait for one that updates the same word of global memory; -1 = unknown. */
	{"waiting_updates", PROBE_TYPE_INTEGER},
};
enum {
	COLUMNS = sizeof(columns) / sizeof(columns[0]),
	SHAPE_MAX = 128,       /* bytes of the text of a launch shape */
	OFFSETS_MAX = 64 * 22, /* bytes of the text of the lanes' offsets */
	NEAR_MAX = 256,	       /* how far copies of an access are looked for, in sites */
};

/* True if the host sets the fields that were added to struct probe_site_info. */
static bool describes_address(const struct probe_site_info *info)
{
	return info->size >= offsetof(struct probe_site_info, bitfields) + sizeof(info->bitfields);
}

static uint16_t variable_of(const struct probe_site_info *info)
{
	return info->size >= offsetof(struct probe_site_info, variable) + sizeof(info->variable)
		       ? info->variable
		       : 0;
}

static void set_rows(const struct probe_site_info *info, struct advice_site *site)
{
	if (info->size < offsetof(struct probe_site_info, element) + sizeof(info->element))
		return;
	site->declared_row = info->row;
	site->declared_element = info->element;
}

static void set_terms(const struct probe_site_info *info, struct advice_site *site)
{
	if (info->size < offsetof(struct probe_site_info, terms) + sizeof(info->terms))
		return;
	site->terms = info->terms;
	site->term_count = info->term_count;
}

/* Of the site's executions, a sample of one in so many was measured; 0 = counters are exact. */
static uint16_t measured_every(const struct memory *memory, const struct sites_kernel *kernel,
			       uint32_t id)
{
	const struct probe_host *host = memory->sites.host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);

	return memory_site_of(kernel, id)->sample && info &&
			       info->size >= offsetof(struct probe_site_info, measured_every) +
						     sizeof(info->measured_every)
		       ? info->measured_every
		       : 0;
}

/*
 * Add the sampled executions. Their counters are those of the measured ones times N. The mean of an
 * execution is known better than that: it is multiplied by all executions over N times the measured
 * ones.
 */
static void add_sample(struct memory_site *site, uint16_t every)
{
	const uint64_t *sample = site->sample;
	double measured = (double)sample[PROBE_C_MEASURED] * every;
	double factor = measured > 0 ? (double)sample[PROBE_C_EXECUTIONS] / measured : 0;

	site->counters[PROBE_C_EXECUTIONS] += sample[PROBE_C_EXECUTIONS];
	site->counters[PROBE_C_LANES] += sample[PROBE_C_LANES];
	for (int i = PROBE_C_QUADS; i < PROBE_C_ADDED; i++)
		site->counters[i] += (uint64_t)((double)sample[i] * factor + 0.5);
}

static struct near_group near_group(const struct sites_kernel *kernel,
				    const struct probe_site_info *info, uint32_t id)
{
	return (struct near_group){
		.first = info->near_site,
		.access = info->access,
		.executions = memory_site_of(kernel, id)->counters[PROBE_C_EXECUTIONS],
	};
}

/* After all executions were counted. */
static int list_near(const struct memory *memory, const struct sites_kernel *kernel)
{
	const struct probe_host *host = memory->sites.host;
	struct near_access *list = calloc(sites_made(kernel) + 1, sizeof(*list));
	struct memory_kernel *own = kernel->extra;
	unsigned count = 0;
	int err;

	if (!list)
		return -ENOMEM;
	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
		struct probe_frame_info place;

		if (!info || !describes_address(info))
			continue;
		place = probe_site_user_place(info);
		list[count++] = (struct near_access){
			.group = near_group(kernel, info, id),
			.site = id,
			.near = {.distance = info->near_distance,
				 .bytes = info->bytes,
				 .line = place.line,
				 .column = place.column},
		};
	}
	err = near_accesses_init(&own->near, list, count);
	free(list);
	return err;
}

/* Is the first part of both addresses the same, as far as known: "in" of "in + 4*threadIdx.x"? */
static bool of_one_array(const struct probe_site_info *a, const struct probe_site_info *b)
{
	const char *first = describes_address(a) ? a->address : NULL;
	const char *second = describes_address(b) ? b->address : NULL;
	size_t length = first ? strcspn(first, " ") : 0;

	return !first || !*first || !second || !*second ||
	       (strcspn(second, " ") == length && !strncmp(first, second, length));
}

/*
 * Accesses of the same position: a loop that was unrolled. Counts those in other blocks, behind
 * conditions, and the executions of all.
 */
static void find_copies(const struct memory *memory, const struct sites_kernel *kernel, uint32_t id,
			struct advice_site *site)
{
	const struct probe_host *host = memory->sites.host;
	const struct probe_site_info *own = host->site(host->ctx, kernel->code_object, id);
	struct probe_frame_info at = probe_site_user_place(own);
	uint32_t from = id < NEAR_MAX ? 0 : id - NEAR_MAX;

	for (uint32_t i = sites_next(kernel, from); i < kernel->site_count && i < id + NEAR_MAX;
	     i = sites_next(kernel, i + 1)) {
		const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, i);
		const uint64_t *counters = memory_site_of(kernel, i)->counters;
		uint64_t executions = counters[PROBE_C_EXECUTIONS];
		struct probe_frame_info place;

		if (!info || info->access != own->access || info->bytes != own->bytes ||
		    i == id || !executions)
			continue;
		place = probe_site_user_place(info);
		if (!at.line || place.line != at.line || place.column != at.column ||
		    !of_one_array(own, info))
			continue;
		site->place_executions += executions;
		site->copies += info->near_site != own->near_site;
		site->strides += counters[PROBE_C_STRIDE_HI] &&
				 counters[PROBE_C_STRIDE_HI] != site->counters[PROBE_C_STRIDE_HI];
	}
}

/* In how many launch shapes, as far as these are apart, the access was executed. */
static unsigned count_launches(const struct sites_kernel *kernel, uint32_t id)
{
	unsigned count = 0;

	for (const struct sites_kernel *k = kernel->whole; k; k = k->next)
		count += sites_next(k, id) == id &&
			 memory_site_of(k, id)->counters[PROBE_C_EXECUTIONS];
	return count;
}

/* The most of any launch shape. */
static uint32_t lds_bytes_of(const struct sites_kernel *kernel)
{
	uint32_t most = 0;

	for (const struct sites_kernel *k = kernel->whole; k; k = k->next) {
		const struct memory_kernel *own = k->extra;

		most = own->lds_bytes > most ? own->lds_bytes : most;
	}
	return most;
}

static struct advice_site describe(const struct memory *memory, const struct sites_kernel *kernel,
				   uint32_t id)
{
	const struct probe_host *host = memory->sites.host;
	const struct probe_site_info *info = host->site(host->ctx, kernel->code_object, id);
	const struct memory_kernel *own = kernel->extra;
	struct advice_site site = {
		.arch = kernel->arch,
		.counters = memory_site_of(kernel, id)->counters,
		.access = (enum probe_access_kind)info->access,
		.space = (enum probe_space)info->space,
		.bytes = info->bytes,
		.unit = info->unit,
		.wave = kernel->wave,
		.row = own->row,
		.items = own->items,
		.lds_bytes = lds_bytes_of(kernel),
		.workgroups = own->workgroups,
		.recorded = memory_site_of(kernel, id)->recorded,
		.info = describes_address(info) ? info : NULL,
		.variable = variable_of(info),
		.fixed_shape = own->fixed_shape,
		.turns_tiles = own->turns_tiles,
		.launches = count_launches(kernel, id),
		.waiting_known = memory_site_of(kernel, id)->traced,
		.waiting = memory_site_of(kernel, id)->waiting,
	};

	memcpy(site.group, own->group, sizeof(site.group));
	memcpy(site.grid, own->grid, sizeof(site.grid));
	set_rows(info, &site);
	set_terms(info, &site);
	if (site.info) {
		const struct near_group group = near_group(kernel, info, id);

		site.near_count = near_accesses_find(&own->near, &group, &site.near);
		site.near_distance = info->near_distance;
	}
	return site;
}

/* Workgroups and their size, as the reports write it; NULL = several shapes. */
static const char *shape_text(const struct launch_shape *shape, char text[SHAPE_MAX])
{
	uint64_t groups[3];

	if (!shape->group[0])
		return NULL;
	for (int i = 0; i < 3; i++)
		groups[i] = site_groups(shape->grid[i], shape->group[i]);
	snprintf(text, SHAPE_MAX, "%llux%llux%llu groups of %ux%ux%u",
		 (unsigned long long)groups[0], (unsigned long long)groups[1],
		 (unsigned long long)groups[2], shape->group[0], shape->group[1], shape->group[2]);
	return text;
}

/* By proof, or of a recorded execution. */
static const char *offsets_text(const struct advice_site *site, char text[OFFSETS_MAX])
{
	struct lane_offsets lanes;
	int size = 0;

	if (!lane_offsets(site, &lanes) && !lanes_recorded(site->recorded, &lanes))
		return NULL;
	for (unsigned lane = 0; lane < site->wave; lane++) {
		if (lane)
			text[size++] = ',';
		if (lanes.exec[0] >> lane & 1)
			size += snprintf(text + size, (size_t)(OFFSETS_MAX - size), "%lld",
					 (long long)lanes.offset[0][lane]);
	}
	text[size] = 0;
	return text;
}

static int write_row(struct memory *memory, int table, const struct sites_kernel *kernel,
		     uint32_t id, const struct array_layout *array,
		     const struct buffer_layout *buffer,
		     const struct compared_accesses *others)
{
	const struct probe_host *host = memory->sites.host;
	const uint64_t *c = memory_site_of(kernel, id)->counters;
	struct advice_site site = describe(memory, kernel, id);
	union probe_value values[COLUMNS] = {
		{.integer = kernel->code_object},
		{.integer = kernel->id},
		{.integer = id},
	};
	uint16_t every = measured_every(memory, kernel, id);
	char shape[SHAPE_MAX], offsets[OFFSETS_MAX];
	struct advice advice;
	size_t n = 3;

	site.array = array;
	site.buffer = buffer;
	site.others = others;
	site.place_executions = c[PROBE_C_EXECUTIONS];
	if (c[PROBE_C_EXCESS64] || c[PROBE_C_PASSES] > c[PROBE_C_IDEAL_PASSES])
		find_copies(memory, kernel, id, &site);
	if (array && array->flat_row) {
		site.declared_row = array->flat_row;
		site.declared_element = array->flat_element;
	}
	advice_find(&site, &memory->lds, &advice);
	for (unsigned i = PROBE_C_EXECUTIONS; i <= PROBE_C_IDEAL_PASSES; i++)
		values[n++].integer = (int64_t)c[i];
	values[n++].integer = (int64_t)(c[PROBE_C_PASSES] - c[PROBE_C_IDEAL_PASSES]);
	values[n++].integer = (int64_t)c[PROBE_C_MAX_WAY];
	values[n++].integer = (int64_t)c[PROBE_C_AFFINE];
	/* Both are also 0 if no stride was seen. */
	values[n++].integer =
		c[PROBE_C_STRIDE_LO] ? (int64_t)(PROBE_STRIDE_BIAS - c[PROBE_C_STRIDE_LO]) : 0;
	values[n++].integer =
		c[PROBE_C_STRIDE_HI] ? (int64_t)(c[PROBE_C_STRIDE_HI] - PROBE_STRIDE_BIAS) : 0;
	values[n++].text = advice.cause;
	values[n++].text = advice.fix;
	/* The launch is known by a sample only. */
	values[n++].text = advice.verified && !every ? advice.what : NULL;
	values[n++].real = advice.before;
	values[n++].real = advice.after;
	values[n++].text = site.info ? probe_address_word(site.info->address_class) : NULL;
	values[n++].text = site.info ? site.info->address : NULL;
	values[n++].text = site.info ? site.info->index_source : NULL;
	values[n++].real = advice_line_used(&site, false);
	values[n++].real = advice_line_used(&site, true);
	values[n++].text = *advice.cause ? offsets_text(&site, offsets) : NULL;
	values[n++].text = shape_text(&kernel->shape, shape);
	values[n++].integer = every;
	values[n++].integer =
		every ? (int64_t)memory_site_of(kernel, id)->sample[PROBE_C_MEASURED] : 0;
	values[n++].integer = site.info ? site.info->near_site : id;
	values[n++].integer = site.waiting_known ? (int64_t)site.waiting : -1;
	return host->row(host->ctx, table, values, n);
}

static void add_samples(const struct memory *memory)
{
	const struct probe_host *host = memory->sites.host;
	uint16_t most = 0;
	size_t sampled = 0, unmeasured = 0;

	for (size_t k = 0; k < memory->sites.count; k++) {
		const struct sites_kernel *kernel = memory->sites.kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1)) {
			uint16_t every = measured_every(memory, kernel, id);

			if (!every)
				continue;
			most = every > most ? every : most;
			sampled++;
			unmeasured += !memory_site_of(kernel, id)->sample[PROBE_C_MEASURED];
			add_sample(memory_site_of(kernel, id), every);
		}
	}
	if (sampled)
		host->log(host->ctx, PROBE_LOG_WARNING,
			  "%zu accesses are sampled: their cache lines and LDS passes are "
			  "estimated from one in %u executions; of %zu accesses none was measured",
			  sampled, most, unmeasured);
}

/* Lists all accesses to LDS in one launch shape, or counts them (NULL); returns their number. */
static size_t list_lds(const struct memory *memory, const struct sites_kernel *kernel,
		       unsigned launch, struct array_site *list)
{
	size_t count = 0;

	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		const struct memory_site *site = memory_site_of(kernel, id);

		if (!site->counters[PROBE_C_EXECUTIONS] || site->facts.global)
			continue;
		if (!list) {
			count++;
			continue;
		}
		list[count++] = (struct array_site){
			.launch = launch,
			.site = describe(memory, kernel, id),
			.id = id,
			.good = site->good,
			.costly = site->costly,
			.range = site->range,
		};
	}
	return count;
}

/* Evaluates arrays in LDS over all launch shapes of a kernel: a layout is one of all of them. */
static bool find_arrays(struct memory *memory, const struct sites_kernel *whole)
{
	struct array_site *list;
	size_t count = 0;
	unsigned launch = 0;

	for (const struct sites_kernel *kernel = whole; kernel; kernel = kernel->next)
		count += list_lds(memory, kernel, 0, NULL);
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		return false;
	count = 0;
	for (const struct sites_kernel *kernel = whole; kernel; kernel = kernel->next) {
		struct memory_kernel *own = kernel->extra;

		own->lds = list + count;
		own->lds_count = list_lds(memory, kernel, launch++, own->lds);
		count += own->lds_count;
	}
	arrays_find(list, count, &memory->lds);
	return true;
}

/* All accesses to global memory with recorded addresses, in the order of the rows. */
struct buffer_list {
	struct buffer_site *sites;
	size_t count, next;
};

static bool of_buffer(const struct memory_site *site)
{
	return site->counters[PROBE_C_EXECUTIONS] && (site->use.count || site->use.unknown);
}

static bool list_buffers(const struct memory *memory, struct buffer_list *list)
{
	size_t capacity = 1;

	for (size_t k = 0; k < memory->sites.count; k++)
		capacity += sites_made(memory->sites.kernels[k]);
	list->sites = calloc(capacity, sizeof(*list->sites));
	for (size_t k = 0; k < memory->sites.count && list->sites; k++) {
		const struct sites_kernel *kernel = memory->sites.kernels[k];

		for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
		     id = sites_next(kernel, id + 1)) {
			const struct memory_site *site = memory_site_of(kernel, id);

			if (of_buffer(site))
				list->sites[list->count++] = (struct buffer_site){
					.site = describe(memory, kernel, id), .use = &site->use};
		}
	}
	if (list->sites)
		buffers_find(list->sites, list->count);
	return list->sites;
}

static void list_compared(const struct memory *memory, const struct sites_kernel *kernel,
			    struct compared_accesses *ret)
{
	ret->count = 0;
	for (uint32_t id = sites_next(kernel, 0);
	     id < kernel->site_count && ret->count < COMPARED_MAX;
	     id = sites_next(kernel, id + 1)) {
		struct advice_site site;
		struct probe_frame_info place;

		if (!memory_site_of(kernel, id)->counters[PROBE_C_EXECUTIONS])
			continue;
		site = describe(memory, kernel, id);
		if (!site.info)
			continue;
		place = probe_site_user_place(site.info);
		compared_add(ret, &site, place.line, place.column);
	}
}

static int write_kernel(struct memory *memory, int table, const struct sites_kernel *kernel,
			struct buffer_list *buffers)
{
	const struct memory_kernel *own = kernel->extra;
	struct compared_accesses others;
	size_t next = 0;
	int err = 0;

	list_compared(memory, kernel, &others);
	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count && !err;
	     id = sites_next(kernel, id + 1)) {
		const struct array_layout *array = NULL;
		const struct buffer_site *buffer = NULL;

		if (!memory_site_of(kernel, id)->counters[PROBE_C_EXECUTIONS])
			continue;
		if (of_buffer(memory_site_of(kernel, id)))
			buffer = &buffers->sites[buffers->next++];
		if (next < own->lds_count && own->lds[next].id == id && own->lds[next++].shares)
			array = &own->lds[next - 1].layout;
		err = write_row(memory, table, kernel, id, array,
				buffer && buffer->known ? &buffer->layout : NULL, &others);
	}
	return err;
}

static void find_shapes(const struct memory *memory, const struct sites_kernel *kernel)
{
	struct memory_kernel *own = kernel->extra;

	for (uint32_t id = sites_next(kernel, 0); id < kernel->site_count;
	     id = sites_next(kernel, id + 1)) {
		struct advice_site site;

		if (!memory_site_of(kernel, id)->counters[PROBE_C_EXECUTIONS])
			continue;
		site = describe(memory, kernel, id);
		own->fixed_shape |= advice_fixes_shape(&site);
		own->turns_tiles |= advice_turns_tile(&site);
	}
}

int memory_rows_write(struct memory *memory)
{
	const struct probe_host *host = memory->sites.host;
	int table = host->table(host->ctx, "site", columns, COLUMNS);
	struct buffer_list buffers = {0};
	int err = 0;

	if (table < 0)
		return table;
	add_samples(memory);
	for (size_t k = 0; k < memory->sites.count && !err; k++)
		err = list_near(memory, memory->sites.kernels[k]);
	if (err)
		return err;
	for (size_t k = 0; k < memory->sites.count; k++)
		find_shapes(memory, memory->sites.kernels[k]);
	if (!list_buffers(memory, &buffers))
		return -ENOMEM;
	for (size_t k = 0; k < memory->sites.count && !err; k++) {
		const struct sites_kernel *kernel = memory->sites.kernels[k];

		if (kernel == kernel->whole && !find_arrays(memory, kernel))
			err = -ENOMEM;
	}
	for (size_t k = 0; k < memory->sites.count && !err; k++)
		err = write_kernel(memory, table, memory->sites.kernels[k], &buffers);
	for (size_t k = 0; k < memory->sites.count; k++) {
		const struct sites_kernel *kernel = memory->sites.kernels[k];

		if (kernel == kernel->whole)
			free(((struct memory_kernel *)kernel->extra)->lds);
	}
	free(buffers.sites);
	return err;
}

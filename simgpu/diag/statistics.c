/* SPDX-License-Identifier: MIT */
#include "simgpu/diag/statistics.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/group/kernel_name.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/exec/timing_trace.h"

#pragma GCC visibility push(default)
#include "simgpu/probe_sim.h"
#pragma GCC visibility pop

enum {
	RECENT = 4096,
	NAME_BUCKETS = 1024,
};

/* Sums over all dispatches of one kernel. */
struct kernel_sum {
	struct kernel_sum *next; /* in the order of first dispatch */
	struct probe_sim_counters sum;
	char name[];
};

/*
 * Maps a descriptor to its kernel; the serial number distinguishes a reused address from the old
 * one.
 */
struct known {
	uint64_t descriptor, serial;
	struct kernel_sum *kernel;
};

struct recent {
	const void *queue;
	uint64_t packet;
	struct probe_sim_counters counters;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel_sum *kernels, **last_kernel = &kernels;
static struct known names[NAME_BUCKETS];
static struct recent recent[RECENT];
static uint64_t recent_count;
static FILE *stats;
static bool stats_tried;

/* Under the lock. NULL without memory. */
static struct kernel_sum *kernel_by_name(const char *name)
{
	struct kernel_sum *kernel;

	for (kernel = kernels; kernel; kernel = kernel->next)
		if (!strcmp(kernel->name, name))
			return kernel;
	kernel = calloc(1, sizeof(*kernel) + strlen(name) + 1);
	if (!kernel)
		return NULL;
	strcpy(kernel->name, name);
	*last_kernel = kernel;
	last_kernel = &kernel->next;
	return kernel;
}

/* Under the lock: parsing symbols on each dispatch would cost more than a small kernel. */
static struct kernel_sum *kernel_of(uint64_t descriptor)
{
	struct known *known = &names[descriptor / 64 % NAME_BUCKETS];
	struct sim_block block;
	char name[1024];

	if (sim_mem_query(descriptor, &block))
		block.serial = 0;
	if (known->kernel && known->descriptor == descriptor && known->serial == block.serial)
		return known->kernel;
	/* An address as name would make the table different in every run. */
	if (!sim_kernel_name(descriptor, name, sizeof(name)))
		strcpy(name, "(no symbol)");
	*known = (struct known){descriptor, block.serial, kernel_by_name(name)};
	return known->kernel;
}

static struct probe_sim_counters counters_of(const struct sim_dispatch *dispatch)
{
	const struct sim_counters *c = &dispatch->counters;
	struct probe_sim_counters ret = {
		.size = sizeof(struct probe_sim_counters),
		.dispatches = 1,
		.host_ns = dispatch->timing.host_ns,
		.waves = c->waves,
		.insts = c->insts,
		.valu = c->valu,
		.salu = c->salu,
		.smem = c->smem,
		.vmem = c->vmem,
		.flat = c->flat,
		.lds = c->lds,
		.branch = c->branch,
		.other = c->other,
		.lane_ops = c->lane_ops,
		.lines64 = c->lines64,
		.lines128 = c->lines128,
		.lds_passes = c->lds_passes,
		.lds_conflicts = c->lds_conflicts,
	};

	_Static_assert(sizeof(ret) - offsetof(struct probe_sim_counters, cycles) ==
			       sizeof(dispatch->timing.counters),
		       "the counters of the model are the last rows, in the same order");
	memcpy(&ret.cycles, &dispatch->timing.counters, sizeof(dispatch->timing.counters));
	return ret;
}

static void add(struct probe_sim_counters *sum, const struct probe_sim_counters *part)
{
	const uint64_t *from = &part->host_ns;
	uint64_t *to = &sum->host_ns;
	size_t rows = (sizeof(*sum) - offsetof(struct probe_sim_counters, host_ns)) / sizeof(*to);

	sum->size = sizeof(*sum);
	sum->dispatches += part->dispatches;
	for (size_t i = 0; i < rows; i++)
		to[i] += from[i];
}

/* Under the lock. */
static void open_stats(void)
{
	const char *path = sim_options()->stats;

	if (stats_tried || !path)
		return;
	stats_tried = true;
	stats = fopen(path, "ae");
	if (!stats) {
		sim_print("PROBE_SIM_STATS: cannot write %s: %s", path, strerror(errno));
		return;
	}
	/*
	 * Line-buffered: several processes may append to one file, and HIP programs end without
	 * hsa_shut_down, some by abort().
	 */
	setvbuf(stats, NULL, _IOLBF, 4096);
}

/* Names are bytes of the application's code object. */
static void write_name(const char *name)
{
	fputc('"', stats);
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (byte == '"' || byte == '\\')
			fprintf(stats, "\\%c", byte);
		else if (byte < 0x20 || byte >= 0x7f)
			fprintf(stats, "\\u%04x", byte);
		else
			fputc(byte, stats);
	}
	fputc('"', stats);
}

/* The results of the cost model, if it was on. */
static void write_time(const struct sim_dispatch *dispatch)
{
	static const char *const titles[] = {
#define X(field, name) name,
		SIM_TIME_COUNTERS(X)
#undef X
	};
	const uint64_t *row = (const uint64_t *)&dispatch->timing.counters;

	if (!sim_options()->model)
		return;
	fprintf(stats, ",\"cycles\":%" PRIu64 ",\"counters\":{", dispatch->timing.cycles);
	/* The first one is "cycles". */
	for (size_t i = 1; i < sizeof(titles) / sizeof(titles[0]); i++)
		fprintf(stats, "%s\"%s\":%" PRIu64, i > 1 ? "," : "", titles[i], row[i]);
	fputc('}', stats);
}

/* Under the lock. */
static void write_line(const struct sim_dispatch *dispatch, const char *name,
		       const struct probe_sim_counters *c)
{
	const hsa_kernel_dispatch_packet_t *packet = dispatch->packet;

	fputs("{\"kernel\":", stats);
	write_name(name);
	fprintf(stats, ",\"queue\":%u,\"packet\":%" PRIu64, dispatch->queue->id, dispatch->index);
	fprintf(stats, ",\"grid\":[%u,%u,%u],\"workgroup\":[%u,%u,%u]", packet->grid_size_x,
		packet->grid_size_y, packet->grid_size_z, packet->workgroup_size_x,
		packet->workgroup_size_y, packet->workgroup_size_z);
	fprintf(stats, ",\"lds_bytes\":%u,\"scratch_bytes\":%u,\"vgprs\":%u,\"agprs\":%u",
		packet->group_segment_size, packet->private_segment_size,
		dispatch->launch.kernel.vgprs, dispatch->launch.kernel.agprs);
	fprintf(stats, ",\"start_tick\":%" PRIu64 ",\"end_tick\":%" PRIu64 ",\"host_ns\":%" PRIu64,
		dispatch->timing.start_tick, dispatch->timing.end_tick, c->host_ns);
	fprintf(stats,
		",\"waves\":%" PRIu64 ",\"insts\":%" PRIu64 ",\"valu\":%" PRIu64
		",\"salu\":%" PRIu64 ",\"smem\":%" PRIu64 ",\"vmem\":%" PRIu64 ",\"flat\":%" PRIu64
		",\"lds\":%" PRIu64 ",\"branch\":%" PRIu64 ",\"other\":%" PRIu64,
		c->waves, c->insts, c->valu, c->salu, c->smem, c->vmem, c->flat, c->lds, c->branch,
		c->other);
	fprintf(stats,
		",\"lane_ops\":%" PRIu64 ",\"lines64\":%" PRIu64 ",\"lines128\":%" PRIu64
		",\"lds_passes\":%" PRIu64 ",\"lds_conflicts\":%" PRIu64,
		c->lane_ops, c->lines64, c->lines128, c->lds_passes, c->lds_conflicts);
	write_time(dispatch);
	fputs("}\n", stats);
}

void sim_statistics_add(const struct sim_dispatch *dispatch)
{
	struct probe_sim_counters counters = counters_of(dispatch);
	struct kernel_sum *kernel;

	pthread_mutex_lock(&lock);
	kernel = kernel_of(dispatch->launch.kernel.descriptor);
	if (kernel)
		add(&kernel->sum, &counters);
	recent[recent_count++ % RECENT] =
		(struct recent){dispatch->queue->amd, dispatch->index, counters};
	open_stats();
	if (stats && kernel)
		write_line(dispatch, kernel->name, &counters);
	pthread_mutex_unlock(&lock);
}

/* ---- probe_sim.h ---------------------------------------------------------------------------- */

uint32_t probe_sim_version(void)
{
	return PROBE_SIM_VERSION;
}

/* Writes as many bytes as the caller's struct has. */
static int copy_out(void *ret, const void *from, uint32_t size)
{
	uint32_t room = *(uint32_t *)ret;

	if (room < sizeof(uint32_t))
		return -EINVAL;
	memcpy(ret, from, room < size ? room : size);
	*(uint32_t *)ret = room;
	return 0;
}

int probe_sim_dispatch_counters(const void *queue, uint64_t packet, struct probe_sim_counters *ret)
{
	int err = -ENOENT;

	pthread_mutex_lock(&lock);
	for (uint64_t i = 0; i < RECENT && i < recent_count; i++) {
		const struct recent *row = &recent[(recent_count - 1 - i) % RECENT];

		if (row->queue != queue || row->packet != packet)
			continue;
		err = copy_out(ret, &row->counters, sizeof(row->counters));
		break;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

int probe_sim_kernel_counters(const char *name, struct probe_sim_counters *ret)
{
	int err = -ENOENT;

	pthread_mutex_lock(&lock);
	for (struct kernel_sum *kernel = kernels; kernel; kernel = kernel->next) {
		if (strcmp(kernel->name, name))
			continue;
		err = copy_out(ret, &kernel->sum, sizeof(kernel->sum));
		break;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

int probe_sim_each_kernel(int (*visit)(void *ctx, const char *name,
				       const struct probe_sim_counters *counters),
			  void *ctx)
{
	int answer = 0;

	pthread_mutex_lock(&lock);
	for (struct kernel_sum *kernel = kernels; kernel && !answer; kernel = kernel->next)
		answer = visit(ctx, kernel->name, &kernel->sum);
	pthread_mutex_unlock(&lock);
	return answer;
}

static struct probe_sim_pc pc_row(uint64_t pc, const struct sim_pc_counters *c)
{
	struct sim_pc_time time = {0};
	struct probe_sim_pc row = {
		.size = sizeof(struct probe_sim_pc),
		.pc = pc,
		.execs = c->execs,
		.lanes = c->lanes,
		.lines64 = c->lines64,
		.lines128 = c->lines128,
		.lds_passes = c->lds_passes,
		.lds_conflicts = c->lds_conflicts,
		.active = c->active,
		.quads = c->quads,
	};

	_Static_assert(sizeof(row.wait) == sizeof(time.wait), "the reasons are the same");
	sim_pc_time_get(pc, &time);
	row.issued = time.issued;
	memcpy(row.wait, time.wait, sizeof(row.wait));
	return row;
}

int probe_sim_pc_counters(uint64_t pc, struct probe_sim_pc *ret)
{
	struct sim_pc_counters counters;
	struct probe_sim_pc row;
	int err = sim_pc_counters_get(pc, &counters);

	if (err)
		return err;
	row = pc_row(pc, &counters);
	return copy_out(ret, &row, sizeof(row));
}

struct pc_walk {
	int (*visit)(void *ctx, const struct probe_sim_pc *counters);
	void *ctx;
};

static int visit_pc(void *ctx, uint64_t pc, const struct sim_pc_counters *counters)
{
	const struct pc_walk *walk = ctx;
	struct probe_sim_pc row = pc_row(pc, counters);

	return walk->visit(walk->ctx, &row);
}

int probe_sim_each_pc(uint64_t base, uint64_t end,
		      int (*visit)(void *ctx, const struct probe_sim_pc *counters), void *ctx)
{
	struct pc_walk walk = {visit, ctx};

	return sim_pc_counters_each(base, end, visit_pc, &walk);
}

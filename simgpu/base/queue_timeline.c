/* SPDX-License-Identifier: MIT */
#include "simgpu/base/queue_timeline.h"

#include <stdatomic.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_options.h"

/*
 * Costs of packets, in cycles at 1.7 GHz. Launch and completion: MGPUSim's calibration against
 * MI300A (first launch 3.0 us, back to back 1.0 us, completion about 1 us); one-wave kernels on
 * MI250 took 2.2 to 4.6 us in total (rocprofiler-compute's documentation). The start of the copy
 * engine is an estimate.
 */
enum {
	LAUNCH_FIRST = 5100,
	LAUNCH_NEXT = 1700,
	COMPLETION = 1700,
	COPY_START = 3400,
	READY = 17000, /* begin of the very first packet, after every reading of the clock */
};

/*
 * Bytes per microsecond (MB/s) of a copy engine. Host: PCIe 4.0 x16 carries 31.5 GB/s; 256-byte
 * payloads with 28 bytes of header and framing leave 28.4. Peer: one Infinity Fabric link of an
 * MI210 carries 50 GB/s each way (data sheet). Local: 64 bytes per cycle, an estimate.
 */
static const uint64_t rates[] = {
	[SIM_PATH_LOCAL] = 108800,
	[SIM_PATH_HOST] = 28400,
	[SIM_PATH_PEER] = 50000,
};

/*
 * The latest end of packets whose completion the host may have seen, and of all packets; in cycles.
 */
static _Atomic uint64_t seen, last;

static void raise(_Atomic uint64_t *mark, uint64_t to)
{
	uint64_t old = atomic_load_explicit(mark, memory_order_relaxed);

	/* Release: pairs with the acquire in sim_timeline_pick(), in addition to the signal's own.
	 */
	while (old < to && !atomic_compare_exchange_weak_explicit(
				   mark, &old, to, memory_order_release, memory_order_relaxed))
		;
}

static uint64_t tick_up(uint64_t cycles)
{
	return (cycles + sim_tick_cycles() - 1) / sim_tick_cycles();
}

static bool modelled(void)
{
	return sim_options()->model;
}

/* Cost model off: the host's clock, which never stops; the stamps of a queue never decrease. */
static uint64_t host_tick(struct sim_timeline *line, uint64_t after)
{
	uint64_t now = sim_clock_ticks();

	now = now < line->now ? line->now : now;
	now = now < after ? after : now;
	line->now = now;
	return now;
}

void sim_timeline_init(struct sim_timeline *line)
{
	*line = (struct sim_timeline){.dry = true, .idle = true};
	if (modelled())
		line->now = SIM_CLOCK_BASE * sim_tick_cycles() + READY;
}

void sim_timeline_dry(struct sim_timeline *line)
{
	line->dry = true;
}

static void no_sooner(struct sim_timeline *line, uint64_t cycles)
{
	if (cycles <= line->now)
		return;
	line->now = cycles;
	line->idle = true;
}

void sim_timeline_pick(struct sim_timeline *line)
{
	if (!modelled())
		return;
	if (line->dry)
		no_sooner(line, atomic_load_explicit(&seen, memory_order_acquire));
	line->dry = false;
}

void sim_timeline_after(struct sim_timeline *line, uint64_t tick)
{
	/* A time stamp written by the application must not move the clock. */
	if (modelled() && tick <= sim_timeline_last())
		no_sooner(line, tick * sim_tick_cycles());
}

uint64_t sim_timeline_launch(struct sim_timeline *line)
{
	if (!modelled()) {
		line->start = host_tick(line, 0);
		return line->start;
	}
	no_sooner(line, line->free_at);
	line->start = tick_up(line->now + (line->idle ? LAUNCH_FIRST : LAUNCH_NEXT));
	line->idle = false;
	return line->start;
}

/*
 * Only packets with a signal wait for the processor to free_at. Depending on how fast the host is,
 * the runtime sends barriers without a signal if a dependency is not met yet; their presence must
 * not change any time.
 */
uint64_t sim_timeline_begin(struct sim_timeline *line, bool signals)
{
	if (!modelled()) {
		line->start = host_tick(line, 0);
		return line->start;
	}
	if (signals)
		no_sooner(line, line->free_at);
	line->start = tick_up(line->now);
	return line->start;
}

uint64_t sim_timeline_end(struct sim_timeline *line, uint64_t cycles)
{
	uint64_t from = line->start * sim_tick_cycles(), end;

	if (!modelled())
		return host_tick(line, line->start + 1);
	/* A packet that waited ends when the wait does. */
	if (from < line->now)
		from = line->now;
	end = tick_up(from + cycles);
	if (cycles)
		line->now = end * sim_tick_cycles();
	else
		end++; /* a barrier: its stamps differ, although it takes no time */
	raise(&last, end * sim_tick_cycles());
	return end;
}

void sim_timeline_signal(struct sim_timeline *line, uint64_t tick)
{
	if (!modelled())
		return;
	/* The host may wait for this signal before it sends the next packet. */
	line->dry = true;
	line->idle = true;
	line->free_at = tick * sim_tick_cycles() + COMPLETION;
	raise(&last, tick * sim_tick_cycles());
	raise(&seen, tick * sim_tick_cycles());
}

void sim_timeline_advance(struct sim_timeline *line, uint64_t cycles)
{
	if (!modelled())
		return;
	line->now = tick_up(line->now + cycles) * sim_tick_cycles();
	raise(&last, line->now);
}

uint64_t sim_timeline_tick(const struct sim_timeline *line)
{
	return modelled() ? tick_up(line->now) : sim_clock_ticks();
}

uint64_t sim_timeline_last(void)
{
	return tick_up(atomic_load_explicit(&last, memory_order_acquire));
}

uint64_t sim_copy_cycles(enum sim_path path, uint64_t bytes, bool first)
{
	uint64_t rate = rates[path];

	/* 1700 cycles to the microsecond. */
	return (first ? COPY_START : 0) +
	       (uint64_t)(((__uint128_t)bytes * sim_device()->core_mhz + rate - 1) / rate);
}

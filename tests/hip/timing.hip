// SPDX-License-Identifier: MIT
// The cost model against published numbers of MI210 and MI250 (simgpu/TIME.md): latencies and sizes
// by pointer chases, instructions per cycle, LDS cycles and counters, bandwidths, latency hiding.
#include "simgpu/probe_sim.h"
#include "hip_test.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>

static probe_sim_counters counters(const char *kernel)
{
	static auto read = (decltype(probe_sim_kernel_counters) *)dlsym(RTLD_DEFAULT,
									"probe_sim_kernel_counters");
	probe_sim_counters c = {};

	c.size = sizeof(c);
	EXPECT(read);
	read(kernel, &c);
	return c;
}

static void near(const char *what, double got, double want, double percent)
{
	printf("%-44s %10.4g, wanted %8.4g\n", what, got, want);
	if (std::fabs(got - want) > want * percent / 100) {
		printf("%s is more than %g %% off\n", what, percent);
		exit(1);
	}
}

// ---- Latencies ---------------------------------------------------------------------------------

enum { STEPS = 64 };

#define TIMED(before, step, after)                                                                 \
	"s_waitcnt vmcnt(0) lgkmcnt(0)\n" before "s_memtime %[start]\n"                            \
	"s_waitcnt lgkmcnt(0)\n.rept 64\n" step ".endr\n" after "s_memtime %[end]\n"               \
	"s_waitcnt lgkmcnt(0)\n"

__global__ void scalar_chase(uint64_t p, int rounds, uint64_t *cycles)
{
	uint64_t start, end;

	for (int i = 0; i < rounds; i++) {
		asm volatile(TIMED("", "s_load_dwordx2 %[p], %[p], 0x0\ns_waitcnt lgkmcnt(0)\n", "")
			     : [start] "=&s"(start), [end] "=&s"(end), [p] "+s"(p)
			     :
			     : "memory");
		cycles[i] = end - start;
	}
}

__global__ void lds_chase(uint64_t *cycles)
{
	__shared__ uint32_t cell[64];
	uint64_t start, end;
	uint32_t p = 0;

	cell[threadIdx.x] = 0;
	__syncthreads();
	p = (uint32_t)(uintptr_t)cell;
	cell[0] = p;
	__syncthreads();
	asm volatile(TIMED("", "ds_read_b32 %[p], %[p]\ns_waitcnt lgkmcnt(0)\n", "")
		     : [start] "=&s"(start), [end] "=&s"(end), [p] "+v"(p)
		     :
		     : "memory");
	cycles[0] = end - start;
}

// By one lane; answers cycles of each 64 steps.
__global__ void vector_chase(uint64_t p, int rounds, uint64_t *cycles)
{
	uint64_t start, end;

	for (int i = 0; i < rounds; i++) {
		asm volatile(TIMED("", "global_load_dwordx2 %[p], %[p], off\ns_waitcnt vmcnt(0)\n", "")
			     : [start] "=&s"(start), [end] "=&s"(end), [p] "+v"(p)
			     :
			     : "memory");
		cycles[i] = end - start;
	}
}

// A ring through `bytes`, one pointer per `stride`, in rising or random order.
static void make_ring(device_array<uint64_t> &device, size_t bytes, size_t stride, bool rising)
{
	size_t n = bytes / stride, step = 1, at = 0;
	std::vector<uint64_t> host(bytes / 8);
	uint64_t base = (uint64_t)device.data;

	if (n > 8 && !rising) {
		step = n * 5 / 13;
		while (std::__gcd(step, n) != 1)
			step++;
	}
	for (size_t i = 0; i < n; i++) {
		size_t next = (at + step) % n;

		host[at * stride / 8] = base + next * stride;
		at = next;
	}
	HIP(hipMemcpy(device.data, host.data(), bytes, hipMemcpyHostToDevice));
}

// Cycles per step in the last of `passes` iterations.
template <typename F>
static double step_cycles(F kernel, size_t bytes, size_t stride, int passes, bool rising = false)
{
	size_t rounds = std::max((size_t)1, bytes / stride / STEPS) * passes;
	device_array<uint64_t> data(bytes / 8), cycles(rounds);
	double sum = 0;

	make_ring(data, bytes, stride, rising);
	kernel<<<1, 1>>>((uint64_t)data.data, (int)rounds, cycles.data);
	HIP(hipDeviceSynchronize());
	auto got = cycles.host();
	for (size_t i = rounds - rounds / passes; i < rounds; i++)
		sum += (double)got[i];
	return sum / (double)(rounds / passes) / STEPS;
}

static void latencies()
{
	device_array<uint64_t> one((size_t)1);

	near("scalar L1, cycles", step_cycles(scalar_chase, 8192, 64, 2), 48, 10);
	lds_chase<<<1, 64>>>(one.data);
	HIP(hipDeviceSynchronize());
	near("LDS, cycles", (double)one.host()[0] / STEPS, 48, 10);
	near("vector L1, cycles", step_cycles(vector_chase, 8192, 64, 2), 124, 10);
	near("vector L1, all of 16 KiB", step_cycles(vector_chase, 16384, 64, 2), 124, 10);
	near("L2 beyond 16 KiB", step_cycles(vector_chase, 20480, 64, 3), 302, 20);
	near("L2, cycles", step_cycles(vector_chase, 1 << 20, 256, 2), 302, 10);
	// The lines are in the L2, where the array was cleared, and 64 bytes long.
	near("64 bytes per step", step_cycles(vector_chase, 1 << 18, 64, 1, true), 302, 10);
	near("32 bytes per step", step_cycles(vector_chase, 1 << 18, 32, 1, true), (124 + 302) / 2.0, 10);
	near("L2, 6 MiB", step_cycles(vector_chase, 6 << 20, 256, 2), 302, 10);
	near("HBM, cycles", step_cycles(vector_chase, 24 << 20, 256, 2), 741, 10);
	near("scalar L1 beyond 16 KiB", step_cycles(scalar_chase, 20480, 64, 3), 175, 20);
}

// ---- Issue -------------------------------------------------------------------------------------

#define STREAM(name, text)                                                                         \
	__global__ __launch_bounds__(1024) void name()                                             \
	{                                                                                          \
		asm volatile(".rept 2000\n" text "\n.endr\n" ::: "v0", "v1", "s8", "s9");          \
	}
STREAM(valu_stream, "v_mov_b32 v0, v1")
STREAM(salu_stream, "s_mov_b32 s8, s9")
STREAM(nop_stream, "s_nop 0")
STREAM(trans_stream, "v_rcp_f32 v0, v1")

__global__ void mfma_stream()
{
	asm volatile(".rept 500\nv_mfma_f32_32x32x8bf16_1k a[0:15], v[0:1], v[2:3], a[0:15]\n.endr\n" ::
			     : "v0", "v1", "v2", "v3", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7",
			       "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15");
}

static void ipc(const char *name, void (*kernel)(), int groups, int size, double want,
		double percent)
{
	kernel<<<groups, size>>>();
	HIP(hipDeviceSynchronize());
	probe_sim_counters c = counters(name);
	near(name, (double)c.sq_insts / (double)c.sq_busy_cu_cycles, want, percent);
}

static void issue()
{
	ipc("_Z11valu_streamv", valu_stream, 104, 1024, 1.0, 1);
	ipc("_Z11salu_streamv", salu_stream, 4, 1024, 1.0, 1);
	ipc("_Z12trans_streamv", trans_stream, 2, 256, 0.25, 1);
	ipc("_Z11mfma_streamv", mfma_stream, 2, 256, 0.0626, 1);
	ipc("_Z10nop_streamv", nop_stream, 208, 1024, 6.79, 5);
}

// ---- LDS ---------------------------------------------------------------------------------------

__global__ void lds_stride(int stride, uint64_t *cycles)
{
	__shared__ uint32_t cell[64 * 32];
	uint32_t at = threadIdx.x % 64 * stride + (uint32_t)(uintptr_t)cell, value;
	uint64_t start, end;

	asm volatile(TIMED("", "ds_read_b32 %[value], %[at]\n", "s_waitcnt lgkmcnt(0)\n")
		     : [start] "=&s"(start), [end] "=&s"(end), [value] "=&v"(value)
		     : [at] "v"(at)
		     : "memory");
	if (threadIdx.x % 64 == 0)
		cycles[threadIdx.x / 64] = end - start;
}

__global__ void lds_lanes(uint32_t lanes, uint32_t *out)
{
	__shared__ uint32_t cell[64 * 32];

	uint32_t at = threadIdx.x * 128 + (uint32_t)(uintptr_t)cell, value;

	if (threadIdx.x < lanes) {
		asm volatile("ds_read_b32 %0, %1\ns_waitcnt lgkmcnt(0)\n" : "=v"(value) : "v"(at));
		out[threadIdx.x] = value;
	}
}

static void lds()
{
	device_array<uint64_t> cycles((size_t)4);
	device_array<uint32_t> out((size_t)64);
	const struct {
		int stride;
		double cycles;
	} strides[] = {{4, 4}, {32, 16}, {128, 64}};
	const struct {
		uint32_t lanes;
		uint64_t active, conflict;
	} lanes[] = {{1, 2, 0}, {2, 3, 1}, {3, 4, 2}, {20, 21, 19}};

	for (auto &it : strides) {
		lds_stride<<<1, 64>>>(it.stride, cycles.data);
		HIP(hipDeviceSynchronize());
		// 64 instructions, and once the way there and back.
		near("LDS cycles of a b32 read by stride", (double)(cycles.host()[0] - 96) / STEPS,
		     it.cycles, 10);
	}
	// The banks serve all four SIMDs: the last of four waves has waited for 64 passes of each.
	lds_stride<<<1, 256>>>(128, cycles.data);
	HIP(hipDeviceSynchronize());
	auto took = cycles.host();
	near("LDS cycles of four waves that read one bank",
	     (double)(*std::max_element(took.begin(), took.end()) - 96) / STEPS, 4 * 64, 10);
	for (auto &it : lanes) {
		probe_sim_counters a = counters("_Z9lds_lanesjPj");

		lds_lanes<<<1, 64>>>(it.lanes, out.data);
		HIP(hipDeviceSynchronize());
		probe_sim_counters b = counters("_Z9lds_lanesjPj");
		EXPECT(b.sq_lds_idx_active - a.sq_lds_idx_active == it.active);
		EXPECT(b.sq_lds_bank_conflict - a.sq_lds_bank_conflict == it.conflict);
	}
}

// ---- Bandwidth and occupancy -------------------------------------------------------------------

// Every workgroup reads `bytes` from `span`, beginning where its number says.
__global__ __launch_bounds__(1024) void read_all(const uint4 *data, uint32_t span, int rounds,
						 uint32_t *out)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (int i = 0; i < rounds; i++) {
		uint4 v = data[at];

		sum += v.x ^ v.y ^ v.z ^ v.w; // all of it, in one load
		at += gridDim.x * blockDim.x;
		at -= at >= span ? span : 0;
	}
	if (sum == 12345)
		*out = sum;
}

__global__ __launch_bounds__(1024) void write_all(uint4 *data, uint32_t span, int rounds)
{
	uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;

	for (int i = 0; i < rounds; i++) {
		data[at] = make_uint4(i, 0, 0, 0);
		at += gridDim.x * blockDim.x;
		at -= at >= span ? span : 0;
	}
}

static double rate(const char *name, bool write, uint4 *data, uint32_t span, int rounds)
{
	const int groups = 208, size = 1024;
	device_array<uint32_t> out((size_t)1);
	probe_sim_counters a = counters(name);

	if (write)
		write_all<<<groups, size>>>(data, span, rounds);
	else
		read_all<<<groups, size>>>(data, span, rounds, out.data);
	HIP(hipDeviceSynchronize());
	probe_sim_counters b = counters(name);
	return (double)groups * size * rounds * 16 / (double)(b.cycles - a.cycles);
}

static void bandwidth()
{
	const char *reads = "_Z8read_allPK15HIP_vector_typeIjLj4EEjiPj";
	const char *writes = "_Z9write_allP15HIP_vector_typeIjLj4EEji";
	const uint32_t grid = 208 * 1024; // 3.25 MiB of uint4
	device_array<uint4> data((size_t)grid * 24);

	rate(reads, false, data.data, grid, 1);
	near("L2 read, bytes per cycle", rate(reads, false, data.data, grid, 24), 2954, 10);
	near("HBM read, bytes per cycle", rate(reads, false, data.data, grid * 24, 24), 817, 10);
	near("HBM write, bytes per cycle", rate(writes, true, data.data, grid * 24, 24), 817, 10);
	rate(writes, true, data.data, grid, 1);
	near("L2 write, bytes per cycle", rate(writes, true, data.data, grid, 24), 1518, 10);
}

__global__ void wait_on_l2(const uint32_t *data, uint32_t *out)
{
	uint32_t at = (blockIdx.x * blockDim.x + threadIdx.x) * 32;

	for (int i = 0; i < 32; i++)
		at = data[at];
	out[0] = at;
}

// Twice the waves in the same time, as long as there are slots and nothing else is full.
static void occupancy()
{
	device_array<uint32_t> data(std::vector<uint32_t>(32 * 1024 * 104)), out((size_t)1);
	const char *name = "_Z10wait_on_l2PKjPj";
	double last = 0;

	for (int waves : {1, 2, 4, 8}) {
		probe_sim_counters a = counters(name);

		wait_on_l2<<<104, 64 * waves>>>(data.data, out.data);
		HIP(hipDeviceSynchronize());
		probe_sim_counters b = counters(name);
		double each = (double)(b.cycles - a.cycles) / waves;
		printf("%d waves a unit: %g cycles each\n", waves, each);
		EXPECT(!last || each < last * 0.7);
		last = each;
	}
}

int main()
{
	HIP(hipFree(nullptr));
	latencies();
	issue();
	lds();
	bandwidth();
	occupancy();
	return 0;
}

// SPDX-License-Identifier: MIT
// Simulated time as a program sees it: durations from events grow with the work and the bytes.
// clocks.sh compares the output of several runs: it must be identical.
#include "hip_test.h"

static __global__ void spin_fma(float *out, int rounds)
{
	float x = (float)threadIdx.x;

	for (int i = 0; i < rounds; i++)
		x = __builtin_fmaf(x, 1.0001f, 0.5f);
	out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// With the model off the numbers are the host's; only their presence can be tested.
static bool simulated()
{
	const char *model = getenv("PROBE_SIM_MODEL");

	return !model || strcmp(model, "0");
}

struct event_pair {
	hipEvent_t from, to;

	event_pair()
	{
		HIP(hipEventCreate(&from));
		HIP(hipEventCreate(&to));
	}
	~event_pair()
	{
		HIP(hipEventDestroy(from));
		HIP(hipEventDestroy(to));
	}
	// In microseconds.
	double elapsed() const
	{
		float ms;

		HIP(hipEventSynchronize(to));
		HIP(hipEventElapsedTime(&ms, from, to));
		return ms * 1e3;
	}
};

static double kernel_time(device_array<float> &out, int rounds, hipStream_t stream)
{
	event_pair events;

	HIP(hipEventRecord(events.from, stream));
	spin_fma<<<16, 256, 0, stream>>>(out.data, rounds);
	HIP(hipEventRecord(events.to, stream));
	return events.elapsed();
}

// Of the core: 1700 or 2100.
static double mhz()
{
	static int khz;

	if (!khz)
		HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeClockRate, 0));
	return khz / 1000.0;
}

static void kernels(hipStream_t stream)
{
	device_array<float> out(16 * 256);
	double none = kernel_time(out, 0, stream);
	double once = kernel_time(out, 5000, stream);
	double twice = kernel_time(out, 10000, stream);

	printf("kernels %.4f %.4f %.4f us\n", none, once, twice);
	EXPECT(none > 0 && once > 0 && twice > 0);
	if (!simulated())
		return;
	// Launch and completion, 3 to 5 us, and a few loads and stores.
	EXPECT(none > 2 && none < 12);
	// The waves have SIMDs of their own: at least 4 cycles for each fma.
	EXPECT(once - none > 5000 * 4 / mhz() * 0.95 && once - none < 5000 * 40 / mhz());
	EXPECT(fabs((twice - none) / (once - none) - 2) < 0.05);
}

// Both clocks, one instruction after the other, which compilers do not ensure by themselves: LLVM 21
// waits for the first before it reads the second. Neither before nor after what computes `x`.
static __device__ void read_both(uint64_t *cycle, uint64_t *tick, float *x)
{
	asm volatile("s_memtime %0\ns_memrealtime %1\ns_waitcnt lgkmcnt(0)"
		     : "=&s"(*cycle), "=&s"(*tick), "+v"(*x));
}

// A kernel's own readings of the device's clocks, one wave.
static __global__ void read_clocks(uint64_t *out, int rounds)
{
	uint64_t cycle[2], tick[2];
	float x = (float)threadIdx.x;

	read_both(&cycle[0], &tick[0], &x);
	for (int i = 0; i < rounds; i++)
		x = __builtin_fmaf(x, 1.0001f, 0.5f);
	read_both(&cycle[1], &tick[1], &x);
	out[0] = cycle[0];
	out[1] = cycle[1];
	out[2] = tick[0];
	out[3] = tick[1];
	if (x == -1)
		out[4] = 0;
}

static void clocks_in_kernels(hipStream_t stream)
{
	device_array<uint64_t> out(8);
	std::vector<uint64_t> got;
	uint64_t last = 0;

	for (int rounds = 1000; rounds <= 100000; rounds *= 10) {
		event_pair events;
		double whole, inside, ticks;

		HIP(hipEventRecord(events.from, stream));
		read_clocks<<<1, 64, 0, stream>>>(out.data, rounds);
		HIP(hipEventRecord(events.to, stream));
		whole = events.elapsed();
		got = out.host();
		inside = (double)(got[1] - got[0]) / mhz();
		ticks = (double)(got[3] - got[2]) / 100;
		printf("inside %llu %llu %.4f us, events %.4f us\n", (unsigned long long)got[0],
		       (unsigned long long)got[2], inside, whole);
		EXPECT(got[1] > got[0] && got[2] > last);
		last = got[3];
		if (!simulated())
			continue;
		// Both clocks tell the same time, a tick is 10 ns, and of the same instant.
		EXPECT(fabs(inside - ticks) < 0.2);
		EXPECT(fabs((double)got[0] / (mhz() / 100) - (double)got[2]) < 20);
		// The event's time is this plus the launch.
		EXPECT(whole > inside && whole < inside + 8);
	}
}

static double copy_time(void *to, const void *from, size_t bytes, hipMemcpyKind kind)
{
	event_pair events;

	HIP(hipEventRecord(events.from, nullptr));
	HIP(hipMemcpyAsync(to, from, bytes, kind, nullptr));
	HIP(hipEventRecord(events.to, nullptr));
	return events.elapsed();
}

// Pinned memory back from the device always goes through a copy engine: PCIe's speed.
static void copies()
{
	const size_t bytes = 8 << 20;
	device_array<char> device(2 * bytes);
	double once, twice, rate;
	char *host;

	HIP(hipHostMalloc((void **)&host, 2 * bytes));
	copy_time(host, device.data, bytes, hipMemcpyDeviceToHost);
	once = copy_time(host, device.data, bytes, hipMemcpyDeviceToHost);
	twice = copy_time(host, device.data, 2 * bytes, hipMemcpyDeviceToHost);
	rate = (double)bytes / (twice - once) / 1e3;
	printf("copies %.4f %.4f us, %.4f GB/s\n", once, twice, rate);
	EXPECT(once > 0 && twice > 0);
	if (simulated() && !getenv("HSA_ENABLE_SDMA"))
		EXPECT(rate > 20 && rate < 32);
	HIP(hipHostFree(host));
}

// A stream that waits for another one's event begins after it; events of two streams compare.
static void dependencies()
{
	device_array<float> out(16 * 256), other(16 * 256);
	hipStream_t first, second;
	event_pair events, inner;
	double whole, part;

	HIP(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
	HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
	HIP(hipEventRecord(events.from, first));
	spin_fma<<<16, 256, 0, first>>>(out.data, 6000);
	HIP(hipEventRecord(inner.from, first));
	HIP(hipStreamWaitEvent(second, inner.from, 0));
	spin_fma<<<16, 256, 0, second>>>(other.data, 4000);
	HIP(hipEventRecord(events.to, second));
	HIP(hipEventRecord(inner.to, second));
	whole = events.elapsed();
	part = inner.elapsed();
	printf("dependencies %.4f %.4f us\n", whole, part);
	EXPECT(whole > 10000 * 4 / mhz() && part > 4000 * 4 / mhz() && whole > part);
	HIP(hipStreamDestroy(first));
	HIP(hipStreamDestroy(second));
}

int main()
{
	hipStream_t stream;

	HIP(hipStreamCreate(&stream));
	kernels(nullptr);
	kernels(stream);
	clocks_in_kernels(stream);
	copies();
	dependencies();
	HIP(hipStreamDestroy(stream));
	return 0;
}

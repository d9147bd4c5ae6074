// SPDX-License-Identifier: MIT
// Several GPUs: each with its own memory and queues, copies between them, and kernels that access a
// peer's memory. PROBE_SIM_GPUS is the number of GPUs.
#include "hip_test.h"

static const size_t count = 300000;

static __global__ void fill(uint32_t *out, uint32_t salt, size_t n)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = hash32((uint32_t)i + salt);
}

static __global__ void add_one(uint32_t *out, const uint32_t *in, size_t n)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = in[i] + 1;
}

static std::vector<uint32_t> expected(uint32_t salt, uint32_t plus)
{
	std::vector<uint32_t> want(count);

	for (size_t i = 0; i < count; i++)
		want[i] = hash32((uint32_t)i + salt) + plus;
	return want;
}

static int grid()
{
	return (int)((count + 255) / 256);
}

struct gpu {
	uint32_t *data, *other;
	hipStream_t stream;
};

static std::vector<uint32_t> fetch(const uint32_t *from)
{
	std::vector<uint32_t> got(count);

	HIP(hipMemcpy(got.data(), from, count * 4, hipMemcpyDeviceToHost));
	return got;
}

// Every device runs the same code on its own memory, all at once.
static void each_on_its_own(std::vector<gpu> &gpus)
{
	for (size_t i = 0; i < gpus.size(); i++) {
		HIP(hipSetDevice((int)i));
		HIP(hipStreamCreate(&gpus[i].stream));
		HIP(hipMalloc((void **)&gpus[i].data, count * 4));
		HIP(hipMalloc((void **)&gpus[i].other, count * 4));
		fill<<<grid(), 256, 0, gpus[i].stream>>>(gpus[i].data, (uint32_t)i, count);
	}
	for (size_t i = 0; i < gpus.size(); i++) {
		hipPointerAttribute_t attributes;

		HIP(hipSetDevice((int)i));
		HIP(hipStreamSynchronize(gpus[i].stream));
		expect_equal("own memory", fetch(gpus[i].data), expected((uint32_t)i, 0));
		HIP(hipPointerGetAttributes(&attributes, gpus[i].data));
		EXPECT(attributes.device == (int)i);
	}
}

static void memory_is_counted_apart(size_t devices)
{
	std::vector<size_t> before(devices), after(devices);
	size_t total;
	void *block;

	for (size_t i = 0; i < devices; i++) {
		HIP(hipSetDevice((int)i));
		HIP(hipMemGetInfo(&before[i], &total));
	}
	HIP(hipSetDevice(1));
	HIP(hipMalloc(&block, 64 << 20));
	for (size_t i = 0; i < devices; i++) {
		HIP(hipSetDevice((int)i));
		HIP(hipMemGetInfo(&after[i], &total));
		EXPECT(before[i] - after[i] == (i == 1 ? 64 << 20 : 0));
	}
	HIP(hipFree(block));
}

static void copies_both_ways(std::vector<gpu> &gpus)
{
	for (size_t from = 0; from < gpus.size(); from++) {
		for (size_t to = 0; to < gpus.size(); to++) {
			if (from == to)
				continue;
			HIP(hipMemset(gpus[to].other, 0, count * 4));
			HIP(hipMemcpyPeer(gpus[to].other, (int)to, gpus[from].data, (int)from,
					  count * 4));
			expect_equal("peer copy", fetch(gpus[to].other),
				     expected((uint32_t)from, 0));
			HIP(hipSetDevice((int)from));
			HIP(hipMemset(gpus[to].other, 0, count * 4));
			HIP(hipDeviceSynchronize());
			HIP(hipMemcpyPeerAsync(gpus[to].other, (int)to, gpus[from].data, (int)from,
					       count * 4, gpus[from].stream));
			HIP(hipStreamSynchronize(gpus[from].stream));
			expect_equal("asynchronous peer copy", fetch(gpus[to].other),
				     expected((uint32_t)from, 0));
			HIP(hipMemset(gpus[to].other, 0, count * 4));
			HIP(hipMemcpy(gpus[to].other, gpus[from].data, count * 4,
				      hipMemcpyDefault));
			expect_equal("copy by address", fetch(gpus[to].other),
				     expected((uint32_t)from, 0));
		}
	}
}

static void peer_access(std::vector<gpu> &gpus)
{
	int can;

	HIP(hipDeviceCanAccessPeer(&can, 0, 0));
	EXPECT(!can);
	for (size_t from = 0; from < gpus.size(); from++) {
		HIP(hipSetDevice((int)from));
		for (size_t to = 0; to < gpus.size(); to++) {
			if (from == to)
				continue;
			HIP(hipDeviceCanAccessPeer(&can, (int)from, (int)to));
			EXPECT(can);
			HIP(hipDeviceEnablePeerAccess((int)to, 0));
			EXPECT(hipDeviceEnablePeerAccess((int)to, 0) ==
			       hipErrorPeerAccessAlreadyEnabled);
		}
	}
	for (size_t from = 0; from < gpus.size(); from++) {
		size_t to = (from + 1) % gpus.size();

		HIP(hipSetDevice((int)from));
		// Reads its own memory, writes the next one's; then the other way round.
		add_one<<<grid(), 256, 0, gpus[from].stream>>>(gpus[to].other, gpus[from].data,
							       count);
		HIP(hipStreamSynchronize(gpus[from].stream));
		expect_equal("store to a peer", fetch(gpus[to].other), expected((uint32_t)from, 1));
		add_one<<<grid(), 256, 0, gpus[from].stream>>>(gpus[from].other, gpus[to].data,
							       count);
		HIP(hipStreamSynchronize(gpus[from].stream));
		expect_equal("load from a peer", fetch(gpus[from].other), expected((uint32_t)to, 1));
	}
	HIP(hipSetDevice(0));
	HIP(hipDeviceDisablePeerAccess(1));
	EXPECT(hipDeviceDisablePeerAccess(1) == hipErrorPeerAccessNotEnabled);
	HIP(hipDeviceEnablePeerAccess(1, 0));
}

// A kernel of one device continues when another device's kernel has ended.
static void events_across(std::vector<gpu> &gpus)
{
	hipEvent_t done;

	HIP(hipSetDevice(0));
	HIP(hipEventCreate(&done));
	fill<<<grid(), 256, 0, gpus[0].stream>>>(gpus[0].data, 77, count);
	HIP(hipEventRecord(done, gpus[0].stream));
	HIP(hipSetDevice(1));
	HIP(hipStreamWaitEvent(gpus[1].stream, done, 0));
	add_one<<<grid(), 256, 0, gpus[1].stream>>>(gpus[1].other, gpus[0].data, count);
	HIP(hipStreamSynchronize(gpus[1].stream));
	expect_equal("after a peer's event", fetch(gpus[1].other), expected(77, 1));
	HIP(hipEventDestroy(done));
}

// Host memory, pinned and managed, is accessible to all.
static void host_memory(std::vector<gpu> &gpus)
{
	uint32_t *pinned, *managed;

	HIP(hipHostMalloc((void **)&pinned, count * 4));
	HIP(hipMallocManaged((void **)&managed, count * 4));
	for (size_t i = 0; i < gpus.size(); i++) {
		HIP(hipSetDevice((int)i));
		fill<<<grid(), 256, 0, gpus[i].stream>>>(pinned, 100 + (uint32_t)i, count);
		add_one<<<grid(), 256, 0, gpus[i].stream>>>(managed, pinned, count);
		HIP(hipStreamSynchronize(gpus[i].stream));
		expect_equal("managed memory", std::vector<uint32_t>(managed, managed + count),
			     expected(100 + (uint32_t)i, 1));
	}
	HIP(hipFree(managed));
	HIP(hipHostFree(pinned));
}

int main()
{
	const char *wanted = getenv("PROBE_SIM_GPUS");
	int devices;

	HIP(hipGetDeviceCount(&devices));
	EXPECT(devices == (wanted ? atoi(wanted) : 1) && devices > 1);
	EXPECT(hipSetDevice(devices) == hipErrorInvalidDevice);

	std::vector<gpu> gpus((size_t)devices);

	each_on_its_own(gpus);
	memory_is_counted_apart(gpus.size());
	copies_both_ways(gpus);
	peer_access(gpus);
	events_across(gpus);
	host_memory(gpus);
	for (size_t i = 0; i < gpus.size(); i++) {
		HIP(hipSetDevice((int)i));
		HIP(hipStreamDestroy(gpus[i].stream));
		HIP(hipFree(gpus[i].data));
		HIP(hipFree(gpus[i].other));
	}
	puts("ok");
	return 0;
}

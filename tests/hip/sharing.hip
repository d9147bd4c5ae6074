// SPDX-License-Identifier: MIT
// Managed memory with advice and prefetches, and sharing with other processes, which is not
// supported.
#include "hip_test.h"

static const int count = 1 << 18;

static __global__ void twice(int *values, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

	if (i < n)
		values[i] *= 2;
}

static int attribute(const int *values, hipMemRangeAttribute which)
{
	int value = -100;

	HIP(hipMemRangeGetAttribute(&value, sizeof(value), which, values, count * sizeof(int)));
	return value;
}

static void expect_times(const int *values, int factor)
{
	for (int i = 0; i < count; i++)
		EXPECT(values[i] == i * factor);
}

static void managed()
{
	const size_t bytes = count * sizeof(int);
	int *values;

	HIP(hipMallocManaged((void **)&values, bytes));
	for (int i = 0; i < count; i++)
		values[i] = i;
	EXPECT(!attribute(values, hipMemRangeAttributeReadMostly));
	HIP(hipMemAdvise(values, bytes, hipMemAdviseSetReadMostly, 0));
	EXPECT(attribute(values, hipMemRangeAttributeReadMostly) == 1);
	HIP(hipMemAdvise(values, bytes, hipMemAdviseUnsetReadMostly, 0));
	EXPECT(!attribute(values, hipMemRangeAttributeReadMostly));
	HIP(hipMemAdvise(values, bytes, hipMemAdviseSetPreferredLocation, 0));
	EXPECT(attribute(values, hipMemRangeAttributePreferredLocation) == 0);
	HIP(hipMemPrefetchAsync(values, bytes, 0, nullptr));
	HIP(hipStreamSynchronize(nullptr));
	EXPECT(attribute(values, hipMemRangeAttributeLastPrefetchLocation) == 0);
	twice<<<count / 256, 256>>>(values, count);
	HIP(hipMemPrefetchAsync(values, bytes, hipCpuDeviceId, nullptr));
	HIP(hipDeviceSynchronize());
	EXPECT(attribute(values, hipMemRangeAttributeLastPrefetchLocation) == hipCpuDeviceId);
	expect_times(values, 2);
	// Advice about a part leaves all of it in place.
	HIP(hipMemAdvise(values + count / 4, bytes / 4, hipMemAdviseSetAccessedBy, 0));
	twice<<<count / 256, 256>>>(values, count);
	HIP(hipDeviceSynchronize());
	expect_times(values, 4);
	HIP(hipFree(values));
}

static void other_processes()
{
	hipIpcMemHandle_t handle;
	void *memory, *opened;

	HIP(hipMalloc(&memory, 4096));
	memset(&handle, 0, sizeof(handle));
	EXPECT(hipIpcGetMemHandle(&handle, memory) != hipSuccess);
	memset(&handle, 1, sizeof(handle));
	EXPECT(hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess) != hipSuccess);
	// The device continues to work.
	HIP(hipMemset(memory, 0, 4096));
	HIP(hipFree(memory));
}

int main()
{
	managed();
	other_processes();
	return 0;
}

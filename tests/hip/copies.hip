// SPDX-License-Identifier: MIT
// Every kind of copy and fill, at odd sizes and offsets.
#include "hip_test.h"

static std::vector<uint8_t> random_bytes(size_t n, uint32_t seed)
{
	std::vector<uint8_t> bytes(n);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)hash32((uint32_t)i + seed);
	return bytes;
}

static void linear(size_t size, size_t offset)
{
	std::vector<uint8_t> source = random_bytes(size + offset, 1), back(size + offset);
	device_array<uint8_t> first(size + offset), second(size + offset);

	HIP(hipMemcpy(first.data + offset, source.data() + offset, size, hipMemcpyHostToDevice));
	HIP(hipMemcpy(second.data + offset, first.data + offset, size, hipMemcpyDeviceToDevice));
	HIP(hipMemcpy(back.data() + offset, second.data + offset, size, hipMemcpyDeviceToHost));
	for (size_t i = 0; i < offset; i++)
		source[i] = 0;
	expect_equal("linear copy", back, source);
	expect_equal("target of the copy", second.host(), source);
}

static void pinned(size_t size)
{
	std::vector<uint8_t> source = random_bytes(size, 2);
	uint8_t *host, *back;
	hipStream_t stream;
	device_array<uint8_t> device(size);

	HIP(hipHostMalloc((void **)&host, size, hipHostMallocDefault));
	HIP(hipHostMalloc((void **)&back, size, hipHostMallocDefault));
	memcpy(host, source.data(), size);
	HIP(hipStreamCreate(&stream));
	HIP(hipMemcpyAsync(device.data, host, size, hipMemcpyHostToDevice, stream));
	HIP(hipMemcpyAsync(back, device.data, size, hipMemcpyDeviceToHost, stream));
	HIP(hipStreamSynchronize(stream));
	EXPECT(!memcmp(back, source.data(), size));
	HIP(hipStreamDestroy(stream));
	HIP(hipHostFree(host));
	HIP(hipHostFree(back));
}

static void registered(size_t size)
{
	std::vector<uint8_t> source = random_bytes(size, 3), back(size);
	device_array<uint8_t> device(size);

	HIP(hipHostRegister(source.data(), size, hipHostRegisterDefault));
	HIP(hipMemcpy(device.data, source.data(), size, hipMemcpyHostToDevice));
	HIP(hipHostUnregister(source.data()));
	HIP(hipMemcpy(back.data(), device.data, size, hipMemcpyDeviceToHost));
	expect_equal("registered host memory", back, source);
}

static void fills()
{
	device_array<uint32_t> device((size_t)10001);
	std::vector<uint32_t> want(10001, 0);
	uint8_t *bytes = (uint8_t *)want.data();

	HIP(hipMemset((uint8_t *)device.data + 3, 0xa5, 30001));
	memset(bytes + 3, 0xa5, 30001);
	HIP(hipMemsetD32((hipDeviceptr_t)(device.data + 8000), 0x12345678, 1999));
	for (int i = 8000; i < 9999; i++)
		want[i] = 0x12345678;
	HIP(hipMemsetD16((hipDeviceptr_t)(device.data + 10), 0xbeef, 101));
	for (int i = 0; i < 101; i++)
		((uint16_t *)(want.data() + 10))[i] = 0xbeef;
	HIP(hipDeviceSynchronize());
	expect_equal("fills", device.host(), want);
}

// A sub-rectangle there and back, with different pitches on each side.
static void rectangles(size_t width, size_t height, size_t x, size_t y)
{
	size_t host_pitch = 613, pitch = 0, rows = 200;
	std::vector<uint8_t> source = random_bytes(host_pitch * rows, 4);
	std::vector<uint8_t> back(host_pitch * rows, 0), want(host_pitch * rows, 0);
	uint8_t *device;

	HIP(hipMallocPitch((void **)&device, &pitch, 600, rows));
	EXPECT(pitch >= 600);
	HIP(hipMemset2D(device, pitch, 0x11, 600, rows));
	HIP(hipMemcpy2D(device + y * pitch + x, pitch, source.data() + 2 * host_pitch + 1, host_pitch,
			width, height, hipMemcpyHostToDevice));
	HIP(hipMemcpy2D(back.data(), host_pitch, device, pitch, 600, rows, hipMemcpyDeviceToHost));
	for (size_t row = 0; row < rows; row++)
		for (size_t i = 0; i < 600; i++) {
			bool inside = row >= y && row < y + height && i >= x && i < x + width;

			want[row * host_pitch + i] =
				inside ? source[(row - y + 2) * host_pitch + 1 + i - x] : 0x11;
		}
	expect_equal("rectangle", back, want);
	HIP(hipFree(device));
}

static void boxes()
{
	const size_t w = 37, h = 11, d = 5;
	std::vector<float> source(w * h * d), back(w * h * d, 0.0f);
	hipPitchedPtr device;
	hipMemcpy3DParms down = {}, up = {};

	for (size_t i = 0; i < source.size(); i++)
		source[i] = (float)i;
	HIP(hipMalloc3D(&device, make_hipExtent(w * sizeof(float), h, d)));
	down.srcPtr = make_hipPitchedPtr(source.data(), w * sizeof(float), w, h);
	down.dstPtr = device;
	down.extent = make_hipExtent(w * sizeof(float), h, d);
	down.kind = hipMemcpyHostToDevice;
	HIP(hipMemcpy3D(&down));
	up.srcPtr = device;
	up.dstPtr = make_hipPitchedPtr(back.data(), w * sizeof(float), w, h);
	up.extent = down.extent;
	up.kind = hipMemcpyDeviceToHost;
	HIP(hipMemcpy3D(&up));
	expect_equal("box", back, source);
	HIP(hipFree(device.ptr));
}

__constant__ int table[64];
__device__ int result[64];

__global__ void through_symbols()
{
	result[threadIdx.x] = 3 * table[63 - threadIdx.x];
}

static void symbols()
{
	std::vector<int> in(64), out(64), want(64);

	for (int i = 0; i < 64; i++)
		in[i] = i * i - 7;
	for (int i = 0; i < 64; i++)
		want[i] = 3 * in[63 - i];
	HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), in.data(), sizeof(table)));
	through_symbols<<<1, 64>>>();
	HIP(hipMemcpyFromSymbol(out.data(), HIP_SYMBOL(result), sizeof(result)));
	expect_equal("symbols", out, want);
}

int main()
{
	for (size_t size : {(size_t)1, (size_t)3, (size_t)4, (size_t)1023, (size_t)4096,
			    (size_t)65537, (size_t)5000011}) {
		linear(size, 0);
		linear(size, 5);
		pinned(size);
	}
	registered(1 << 20);
	registered(4097);
	fills();
	rectangles(128, 64, 0, 0);
	rectangles(123, 150, 7, 3);
	rectangles(1, 1, 599, 199);
	rectangles(500, 100, 4, 8);
	boxes();
	symbols();
	return 0;
}

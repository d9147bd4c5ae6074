// SPDX-License-Identifier: MIT
/*
 * Textures and surfaces against host arithmetic: linear memory, arrays of one to three dimensions
 * and layers, channel types, nearest and linear filters, address modes, normalised coordinates.
 */
#include "hip_test.h"

enum { W = 32, H = 16, D = 4 };

template <typename T> __global__ void fetch1d(hipTextureObject_t tex, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = tex1Dfetch<T>(tex, i);
}

template <typename T> __global__ void read2d(hipTextureObject_t tex, T *out, const float2 *at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = tex2D<T>(tex, at[i].x, at[i].y);
}

__global__ void read1d(hipTextureObject_t tex, float *out, const float2 *at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = tex1D<float>(tex, at[i].x);
}

__global__ void read3d(hipTextureObject_t tex, float *out, const float4 *at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = tex3D<float>(tex, at[i].x, at[i].y, at[i].z);
}

__global__ void double_surface(hipSurfaceObject_t from, hipSurfaceObject_t to)
{
	int x = threadIdx.x, y = blockIdx.x;
	float v;

	surf2Dread(&v, from, x * 4, y);
	surf2Dwrite(2 * v, to, x * 4, y);
}

/* Index of an element under an address mode; -1: border. */
static int inside(int i, int n, hipTextureAddressMode mode)
{
	switch (mode) {
	case hipAddressModeWrap:
		return ((i % n) + n) % n;
	case hipAddressModeMirror:
		i = ((i % (2 * n)) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	case hipAddressModeClamp:
		return i < 0 ? 0 : i >= n ? n - 1 : i;
	default:
		return i < 0 || i >= n ? -1 : i;
	}
}

struct sampling {
	hipTextureAddressMode mode;
	hipTextureFilterMode filter;
	int normalised;
};

static float element(const std::vector<float> &image, int x, int y, int z, const sampling &s, int w,
		     int h, int d)
{
	x = inside(x, w, s.mode);
	y = inside(y, h, s.mode);
	z = inside(z, d, s.mode);
	return x < 0 || y < 0 || z < 0 ? 0 : image[((size_t)z * h + y) * w + x];
}

/* The unit interpolates with eight bits of fraction; compare with that tolerance. */
static float expected(const std::vector<float> &image, float x, float y, float z, const sampling &s,
		      int w, int h, int d)
{
	float sum = 0;

	if (s.normalised) {
		x *= w;
		y *= h;
		z *= d;
	}
	if (s.filter == hipFilterModePoint)
		return element(image, (int)floorf(x), (int)floorf(y), (int)floorf(z), s, w, h, d);
	x -= 0.5f;
	y -= h > 1 ? 0.5f : 0;
	z -= d > 1 ? 0.5f : 0;
	for (int n = 0; n < 8; n++) {
		float fx = x - floorf(x), fy = y - floorf(y), fz = z - floorf(z);
		float weight =
			(n & 1 ? fx : 1 - fx) * (n & 2 ? fy : 1 - fy) * (n & 4 ? fz : 1 - fz);

		if (weight > 0)
			sum += weight * element(image, (int)floorf(x) + (n & 1),
						(int)floorf(y) + (n >> 1 & 1),
						(int)floorf(z) + (n >> 2), s, w, h, d);
	}
	return sum;
}

static void expect_none(int wrong, const char *what, const sampling *s)
{
	if (!wrong)
		return;
	fprintf(stderr, "%s: %d values wrong", what, wrong);
	if (s)
		fprintf(stderr, " (address mode %d, filter %d, normalised %d)", s->mode, s->filter,
			s->normalised);
	fprintf(stderr, "\n");
	exit(1);
}

static hipTextureObject_t bind(hipArray_t array, const sampling &s, hipTextureReadMode read)
{
	hipResourceDesc resource = {};
	hipTextureDesc desc = {};
	hipTextureObject_t tex;

	resource.resType = hipResourceTypeArray;
	resource.res.array.array = array;
	for (int i = 0; i < 3; i++)
		desc.addressMode[i] = s.mode;
	desc.filterMode = s.filter;
	desc.readMode = read;
	desc.normalizedCoords = s.normalised;
	HIP(hipCreateTextureObject(&tex, &resource, &desc, nullptr));
	return tex;
}

static const sampling samplings[] = {
	{hipAddressModeClamp, hipFilterModePoint, 0},
	{hipAddressModeBorder, hipFilterModePoint, 0},
	{hipAddressModeClamp, hipFilterModeLinear, 0},
	{hipAddressModeBorder, hipFilterModeLinear, 0},
	{hipAddressModeWrap, hipFilterModePoint, 1},
	{hipAddressModeMirror, hipFilterModePoint, 1},
	{hipAddressModeWrap, hipFilterModeLinear, 1},
	{hipAddressModeMirror, hipFilterModeLinear, 1},
	{hipAddressModeClamp, hipFilterModeLinear, 1},
};

/* Points in and around the image, at sixteenths and off the borders of elements. */
static std::vector<float4> points(const sampling &s, int w, int h, int d, int n)
{
	std::vector<float4> at(n);
	unsigned seed = 12345;

	for (int i = 0; i < n; i++) {
		float v[3];

		for (int k = 0; k < 3; k++) {
			int size = k == 0 ? w : k == 1 ? h : d;

			seed = seed * 1664525 + 1013904223;
			v[k] = ((int)(seed >> 8) % (size * 32) - size * 8) / 16.0f + 1 / 64.0f;
			if (s.normalised)
				v[k] /= size;
		}
		at[i] = make_float4(v[0], v[1], v[2], 0);
	}
	return at;
}

static bool near(float a, float b)
{
	return fabsf(a - b) <= 0.02f * (1 + fabsf(b));
}

template <typename T> static T *upload(const std::vector<T> &host)
{
	T *p;

	HIP(hipMalloc(&p, host.size() * sizeof(T)));
	HIP(hipMemcpy(p, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
	return p;
}

template <typename T> static std::vector<T> download(const T *p, size_t n)
{
	std::vector<T> host(n);

	HIP(hipMemcpy(host.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
	return host;
}

static void test_linear_memory()
{
	std::vector<float> values(1000);
	hipResourceDesc resource = {};
	hipTextureDesc desc = {};
	hipTextureObject_t tex;
	float *in, *out;

	for (int i = 0; i < 1000; i++)
		values[i] = i * 0.5f;
	in = upload(values);
	HIP(hipMalloc(&out, 4000));
	resource.resType = hipResourceTypeLinear;
	resource.res.linear.devPtr = in;
	resource.res.linear.desc = hipCreateChannelDesc<float>();
	resource.res.linear.sizeInBytes = 4000;
	desc.readMode = hipReadModeElementType;
	HIP(hipCreateTextureObject(&tex, &resource, &desc, nullptr));
	fetch1d<float><<<4, 256>>>(tex, out, 1000);
	EXPECT(download(out, 1000) == values);
	HIP(hipDestroyTextureObject(tex));
	HIP(hipFree(in));
	HIP(hipFree(out));
}

static void test_2d()
{
	enum { N = 512 };
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	std::vector<float> image(W * H);
	hipArray_t array;
	float *out;

	for (int i = 0; i < W * H; i++)
		image[i] = (float)(i * 37 % 101);
	HIP(hipMallocArray(&array, &format, W, H, 0));
	HIP(hipMemcpy2DToArray(array, 0, 0, image.data(), W * 4, W * 4, H, hipMemcpyHostToDevice));
	HIP(hipMalloc(&out, N * 4));
	for (const sampling &s : samplings) {
		hipTextureObject_t tex = bind(array, s, hipReadModeElementType);
		std::vector<float4> at = points(s, W, H, 1, N);
		std::vector<float2> at2(N);
		float2 *dev;
		int wrong = 0;

		for (int i = 0; i < N; i++)
			at2[i] = make_float2(at[i].x, at[i].y);
		dev = upload(at2);
		read2d<float><<<N / 64, 64>>>(tex, out, dev);
		std::vector<float> got = download(out, N);
		for (int i = 0; i < N; i++)
			wrong += !near(got[i], expected(image, at2[i].x, at2[i].y, 0, s, W, H, 1));
		expect_none(wrong, "tex2D", &s);
		HIP(hipDestroyTextureObject(tex));
		HIP(hipFree(dev));
	}
	HIP(hipFreeArray(array));
	HIP(hipFree(out));
}

static void test_channels()
{
	/* hipCreateChannelDesc<uchar4>() of HIP 5.2 says signed. */
	hipChannelFormatDesc format =
		hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
	sampling s = {hipAddressModeClamp, hipFilterModePoint, 0};
	std::vector<unsigned char> image(W * H * 4);
	std::vector<float2> at(W * H);
	hipArray_t array;
	float2 *dev;
	float4 *out;
	uchar4 *raw;
	int wrong = 0;

	for (size_t i = 0; i < image.size(); i++)
		image[i] = (unsigned char)(i * 7);
	for (int i = 0; i < W * H; i++)
		at[i] = make_float2(i % W + 0.5f, i / W + 0.5f);
	HIP(hipMallocArray(&array, &format, W, H, 0));
	HIP(hipMemcpy2DToArray(array, 0, 0, image.data(), W * 4, W * 4, H, hipMemcpyHostToDevice));
	dev = upload(at);
	HIP(hipMalloc(&out, W * H * sizeof(*out)));
	HIP(hipMalloc(&raw, W * H * sizeof(*raw)));
	read2d<float4><<<W * H / 64, 64>>>(bind(array, s, hipReadModeNormalizedFloat), out, dev);
	read2d<uchar4><<<W * H / 64, 64>>>(bind(array, s, hipReadModeElementType), raw, dev);
	std::vector<float4> got = download(out, W * H);
	std::vector<uchar4> bytes = download(raw, W * H);
	for (int i = 0; i < W * H; i++) {
		const float v[4] = {got[i].x, got[i].y, got[i].z, got[i].w};

		for (int c = 0; c < 4; c++)
			wrong += fabsf(v[c] - image[4 * i + c] / 255.0f) > 1e-6f;
		wrong += memcmp(&bytes[i], &image[4 * i], 4) != 0;
	}
	expect_none(wrong, "uchar4", nullptr);
	HIP(hipFreeArray(array));
	HIP(hipFree(dev));
	HIP(hipFree(out));
	HIP(hipFree(raw));
}

static void test_3d()
{
	enum { N = 512 };
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	std::vector<float> image(W * H * D);
	hipMemcpy3DParms copy = {};
	hipArray_t array;
	float *out;

	for (int i = 0; i < W * H * D; i++)
		image[i] = (float)(i * 53 % 97);
	HIP(hipMalloc3DArray(&array, &format, make_hipExtent(W, H, D), 0));
	copy.srcPtr = make_hipPitchedPtr(image.data(), W * 4, W, H);
	copy.dstArray = array;
	copy.extent = make_hipExtent(W, H, D);
	copy.kind = hipMemcpyHostToDevice;
	HIP(hipMemcpy3D(&copy));
	HIP(hipMalloc(&out, N * 4));
	for (const sampling &s : {samplings[0], samplings[2], samplings[6]}) {
		hipTextureObject_t tex = bind(array, s, hipReadModeElementType);
		std::vector<float4> at = points(s, W, H, D, N);
		float4 *dev = upload(at);
		int wrong = 0;

		read3d<<<N / 64, 64>>>(tex, out, dev);
		std::vector<float> got = download(out, N);
		for (int i = 0; i < N; i++)
			wrong += !near(got[i],
				       expected(image, at[i].x, at[i].y, at[i].z, s, W, H, D));
		expect_none(wrong, "tex3D", &s);
		HIP(hipDestroyTextureObject(tex));
		HIP(hipFree(dev));
	}
	HIP(hipFreeArray(array));
	HIP(hipFree(out));
}

static void test_1d()
{
	enum { N = 256 };
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	std::vector<float> image(W);
	hipArray_t array;
	float *out;

	for (int i = 0; i < W; i++)
		image[i] = (float)(i * i);
	HIP(hipMallocArray(&array, &format, W, 0, 0));
	HIP(hipMemcpy2DToArray(array, 0, 0, image.data(), W * 4, W * 4, 1, hipMemcpyHostToDevice));
	HIP(hipMalloc(&out, N * 4));
	for (const sampling &s : {samplings[0], samplings[2]}) {
		hipTextureObject_t tex = bind(array, s, hipReadModeElementType);
		std::vector<float4> at = points(s, W, 1, 1, N);
		std::vector<float2> at2(N);
		float2 *dev;
		int wrong = 0;

		for (int i = 0; i < N; i++)
			at2[i] = make_float2(at[i].x, 0);
		dev = upload(at2);
		read1d<<<N / 64, 64>>>(tex, out, dev);
		std::vector<float> got = download(out, N);
		for (int i = 0; i < N; i++)
			wrong += !near(got[i], expected(image, at2[i].x, 0, 0, s, W, 1, 1));
		expect_none(wrong, "tex1D", &s);
		HIP(hipDestroyTextureObject(tex));
		HIP(hipFree(dev));
	}
	HIP(hipFreeArray(array));
	HIP(hipFree(out));
}

static void test_surfaces()
{
	hipChannelFormatDesc format = hipCreateChannelDesc<float>();
	std::vector<float> image(W * H), back(W * H);
	hipSurfaceObject_t surface[2];
	hipArray_t array[2];
	int wrong = 0;

	for (int i = 0; i < W * H; i++)
		image[i] = (float)i;
	for (int i = 0; i < 2; i++) {
		hipResourceDesc resource = {};

		HIP(hipMallocArray(&array[i], &format, W, H, hipArrayDefault));
		resource.resType = hipResourceTypeArray;
		resource.res.array.array = array[i];
		HIP(hipCreateSurfaceObject(&surface[i], &resource));
	}
	HIP(hipMemcpy2DToArray(array[0], 0, 0, image.data(), W * 4, W * 4, H,
			       hipMemcpyHostToDevice));
	double_surface<<<H, W>>>(surface[0], surface[1]);
	HIP(hipDeviceSynchronize());
	HIP(hipMemcpy2DFromArray(back.data(), W * 4, array[1], 0, 0, W * 4, H,
				 hipMemcpyDeviceToHost));
	for (int i = 0; i < W * H; i++)
		wrong += back[i] != 2 * image[i];
	expect_none(wrong, "surfaces", nullptr);
	for (int i = 0; i < 2; i++) {
		HIP(hipDestroySurfaceObject(surface[i]));
		HIP(hipFreeArray(array[i]));
	}
}

int main()
{
	test_linear_memory();
	test_2d();
	test_channels();
	test_3d();
	test_1d();
	test_surfaces();
	return 0;
}

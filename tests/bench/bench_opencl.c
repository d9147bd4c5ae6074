/* SPDX-License-Identifier: MIT */
/*
 * The kernels of kernels.cl through OpenCL, with the sizes of kernels.hip.
 *   bench_opencl SOURCE NAME REPEATS
 * Prints "<name> <seconds of all launches>" after one launch that is not counted (pocl compiles for
 * the work-group size at the first one), then checks the result of all of them.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	WIDTH = 4096, /* width of images; vectors have its square as size, so that no cache holds
		       * them */
	MATMUL = 512,
	COUNT = WIDTH * WIDTH,
};

struct bench {
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

static void check(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "bench_opencl: %s: OpenCL error %d\n", what, status);
	exit(1);
}

static char *read_file(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *file = fopen(path, "r");

	if (!file || !text || !fread(text, 1, (1 << 16) - 1, file)) {
		fprintf(stderr, "bench_opencl: cannot read %s\n", path);
		exit(1);
	}
	fclose(file);
	return text;
}

static void bench_open(struct bench *b, const char *path)
{
	char *text = read_file(path);
	const char *source = text;
	cl_platform_id platform;
	cl_device_id device;
	cl_int status;

	check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL), "clGetDeviceIDs");
	b->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	check(status, "clCreateContext");
	b->queue = clCreateCommandQueue(b->context, device, 0, &status);
	check(status, "clCreateCommandQueue");
	b->program = clCreateProgramWithSource(b->context, 1, &source, NULL, &status);
	check(status, "clCreateProgramWithSource");
	/* hipcc contracts a * b + c, so the OpenCL compiler may do so, too. */
	check(clBuildProgram(b->program, 1, &device, "-cl-mad-enable", NULL, NULL),
	      "clBuildProgram");
	free(text);
}

static cl_mem buffer(struct bench *b, void *host, size_t bytes)
{
	cl_int status;
	cl_mem mem = clCreateBuffer(b->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
				    host, &status);

	check(status, "clCreateBuffer");
	return mem;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct run {
	const char *name;
	uint32_t size;	       /* last argument: elements or width */
	uint32_t out, in, in2; /* elements of the buffers, in the order of the arguments */
	uint32_t global[2], local[2];
	bool (*right)(const struct run *run, const uint32_t *out, int launches);
};

/* Inputs by element index; exact in single precision for any order of the sums. */
static float input(const struct run *run, uint32_t i)
{
	(void)run;
	return (float)(i % 7);
}

static float as_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static bool saxpy_right(const struct run *run, const uint32_t *out, int launches)
{
	for (uint32_t i = 0; i < run->out; i++)
		if (as_float(out[i]) != 0.5f * input(run, i) * (float)launches)
			return false;
	return true;
}

static bool matmul_right(const struct run *run, const uint32_t *out, int launches)
{
	uint32_t n = run->size;

	(void)launches;
	for (uint32_t i = 0; i < n * n; i += 1237) {
		float sum = 0;

		for (uint32_t k = 0; k < n; k++)
			sum += input(run, i / n * n + k) * input(run, k * n + i % n);
		if (as_float(out[i]) != sum)
			return false;
	}
	return true;
}

static bool transpose_right(const struct run *run, const uint32_t *out, int launches)
{
	uint32_t n = run->size;

	(void)launches;
	for (uint32_t i = 0; i < n * n; i++)
		if (as_float(out[i % n * n + i / n]) != input(run, i))
			return false;
	return true;
}

static bool reduction_right(const struct run *run, const uint32_t *out, int launches)
{
	double sum = 0, want = 0;

	(void)launches;
	for (uint32_t i = 0; i < run->in; i++)
		want += (double)input(run, i);
	for (uint32_t i = 0; i < run->out; i++)
		sum += (double)as_float(out[i]);
	return sum == want;
}

static bool stencil_right(const struct run *run, const uint32_t *out, int launches)
{
	uint32_t n = run->size;

	(void)launches;
	for (uint32_t y = 1; y < n - 1; y++)
		for (uint32_t x = 1; x < n - 1; x++) {
			uint32_t i = y * n + x;
			float sides = input(run, i - 1) + input(run, i + 1) + input(run, i - n) +
				      input(run, i + n);

			if (as_float(out[i]) != 0.5f * input(run, i) + 0.125f * sides)
				return false;
		}
	return true;
}

static uint32_t histogram_input(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 20;
}

static bool histogram_right(const struct run *run, const uint32_t *out, int launches)
{
	uint32_t want[256] = {0}, seed = 1;

	for (uint32_t i = 0; i < run->in; i++)
		want[histogram_input(&seed) & 255] += (uint32_t)launches;
	return !memcmp(want, out, sizeof(want));
}

static const struct run runs[] = {
	{"saxpy", COUNT, COUNT, COUNT, 0, {COUNT, 1}, {256, 1}, saxpy_right},
	{"matmul",
	 MATMUL,
	 MATMUL *MATMUL,
	 MATMUL *MATMUL,
	 MATMUL *MATMUL,
	 {MATMUL, MATMUL},
	 {16, 16},
	 matmul_right},
	{"transpose", WIDTH, COUNT, COUNT, 0, {WIDTH, WIDTH}, {32, 32}, transpose_right},
	{"reduction", COUNT, COUNT / 2048, COUNT, 0, {COUNT / 8, 1}, {256, 1}, reduction_right},
	{"stencil", WIDTH, COUNT, COUNT, 0, {WIDTH, WIDTH}, {64, 4}, stencil_right},
	{"histogram", COUNT, 256, COUNT, 0, {COUNT / 16, 1}, {256, 1}, histogram_right},
};

static uint32_t *filled(const struct run *run, uint32_t count)
{
	bool integers = !strcmp(run->name, "histogram");
	uint32_t *host = calloc(count, sizeof(*host)), seed = 1;

	for (uint32_t i = 0; host && i < count; i++) {
		float value = input(run, i);

		if (integers)
			host[i] = histogram_input(&seed);
		else
			memcpy(&host[i], &value, sizeof(value));
	}
	if (!host)
		exit(1);
	return host;
}

static cl_kernel kernel_with_arguments(struct bench *b, const struct run *run, cl_mem out)
{
	uint32_t *host = filled(run, run->in);
	cl_mem in = buffer(b, host, 4ul * run->in);
	const float factor = 0.5f;
	cl_uint arg = 0;
	cl_int status;
	cl_kernel kernel = clCreateKernel(b->program, run->name, &status);

	check(status, "clCreateKernel");
	check(clSetKernelArg(kernel, arg++, sizeof(out), &out), "clSetKernelArg");
	check(clSetKernelArg(kernel, arg++, sizeof(in), &in), "clSetKernelArg");
	if (run->in2)
		check(clSetKernelArg(kernel, arg++, sizeof(in), &in), "clSetKernelArg");
	if (!strcmp(run->name, "saxpy"))
		check(clSetKernelArg(kernel, arg++, sizeof(factor), &factor), "clSetKernelArg");
	check(clSetKernelArg(kernel, arg, sizeof(run->size), &run->size), "clSetKernelArg");
	free(host);
	return kernel;
}

static void launch(struct bench *b, const struct run *run, cl_kernel kernel, int times)
{
	size_t global[2] = {run->global[0], run->global[1]};
	size_t local[2] = {run->local[0], run->local[1]};
	cl_uint dims = global[1] > 1 ? 2 : 1;

	for (int i = 0; i < times; i++)
		check(clEnqueueNDRangeKernel(b->queue, kernel, dims, NULL, global, local, 0, NULL,
					     NULL),
		      "clEnqueueNDRangeKernel");
	check(clFinish(b->queue), "clFinish");
}

static bool measure(struct bench *b, const struct run *run, int repeats)
{
	uint32_t *host = calloc(run->out, sizeof(*host));
	cl_mem out = buffer(b, host, 4ul * run->out);
	cl_kernel kernel = kernel_with_arguments(b, run, out);
	double start;
	bool right;

	launch(b, run, kernel, 1);
	start = now();
	launch(b, run, kernel, repeats);
	printf("%s %.9f\n", run->name, now() - start);
	check(clEnqueueReadBuffer(b->queue, out, CL_TRUE, 0, 4ul * run->out, host, 0, NULL, NULL),
	      "clEnqueueReadBuffer");
	right = run->right(run, host, repeats + 1);
	free(host);
	return right;
}

int main(int argc, char **argv)
{
	struct bench bench;

	for (unsigned int i = 0; argc == 4 && i < sizeof(runs) / sizeof(*runs); i++) {
		if (strcmp(runs[i].name, argv[2]))
			continue;
		bench_open(&bench, argv[1]);
		if (measure(&bench, &runs[i], atoi(argv[3])))
			return 0;
		fprintf(stderr, "bench_opencl %s: wrong result\n", argv[2]);
		return 1;
	}
	fprintf(stderr, "usage: bench_opencl SOURCE NAME REPEATS\n");
	return 2;
}

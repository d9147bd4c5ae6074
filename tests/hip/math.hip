// SPDX-License-Identifier: MIT
// The device library's functions of single and double precision, with arguments from the least
// to the greatest (argument reduction by v_trig_preop_f64), against the host in extended precision.
#include "hip_test.h"

enum {
	SAMPLES = 4096,
};

// Errors in units of the last place that the OpenCL and HIP documentation allow, rounded up.
#define FUNCTIONS(X)                                                                               \
	X(sin, 4, ANY)                                                                             \
	X(cos, 4, ANY)                                                                             \
	X(tan, 5, ANY)                                                                             \
	X(asin, 4, UNIT)                                                                           \
	X(acos, 4, UNIT)                                                                           \
	X(atan, 5, ANY)                                                                            \
	X(sinh, 4, SMALL)                                                                          \
	X(cosh, 4, SMALL)                                                                          \
	X(tanh, 5, SMALL)                                                                          \
	X(exp, 3, SMALL)                                                                           \
	X(exp2, 3, SMALL)                                                                          \
	X(exp10, 3, SMALL)                                                                         \
	X(expm1, 3, SMALL)                                                                         \
	X(log, 3, POSITIVE)                                                                        \
	X(log2, 3, POSITIVE)                                                                       \
	X(log10, 3, POSITIVE)                                                                      \
	X(log1p, 3, POSITIVE)                                                                      \
	X(sqrt, 0, POSITIVE)                                                                       \
	X(rsqrt, 2, POSITIVE)                                                                      \
	X(cbrt, 3, ANY)                                                                            \
	X(erf, 16, SMALL)                                                                          \
	X(trunc, 0, ANY)                                                                           \
	X(round, 0, ANY)                                                                           \
	X(floor, 0, ANY)

enum range {
	ANY,	  // every finite number
	POSITIVE, // every positive finite one
	SMALL,	  // up to 32
	UNIT,	  // up to 1
};

#if !__GLIBC_PREREQ(2, 42)
static inline long double rsqrtl(long double v)
{
	return 1 / sqrtl(v);
}
#endif

#define NUMBER(name, ulps, range) N_##name,
enum number { FUNCTIONS(NUMBER) COUNT };
#undef NUMBER

static const struct {
	const char *name;
	long double (*host)(long double);
	double ulps;
	enum range range;
} functions[] = {
#define ROW(name, ulps, range) {#name, name##l, ulps, range},
	FUNCTIONS(ROW)
#undef ROW
};

__global__ void run_double(const double *in, double *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	switch (i / SAMPLES) {
#define CASE(name, ulps, range)                                                                    \
	case N_##name:                                                                             \
		out[i] = name(in[i]);                                                              \
		break;
		FUNCTIONS(CASE)
#undef CASE
	}
}

__global__ void run_single(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	switch (i / SAMPLES) {
#define CASE(name, ulps, range)                                                                    \
	case N_##name:                                                                             \
		out[i] = name##f(in[i]);                                                           \
		break;
		FUNCTIONS(CASE)
#undef CASE
	}
}

template <typename T> static T argument(int i, enum range range)
{
	uint64_t bits = (uint64_t)hash32(2 * i + 1) << 32 | hash32(2 * i);
	int exponent = (int)(bits >> 53 & 2047) - 1023;
	double fraction = 1 + (double)(bits & 0xfffffffffffffull) * 0x1p-52, v;

	exponent = sizeof(T) == 4 ? exponent / 8 : exponent;
	if (range == SMALL)
		exponent = exponent & 1 ? 4 : (exponent & 63) - 62;
	if (range == UNIT)
		exponent = exponent & 1 ? -1 : (exponent & 63) - 64;
	v = ldexp(fraction, exponent);
	return (T)(bits >> 63 && range != POSITIVE ? -v : v);
}

static double error_of(long double got, long double want, int precision, int least)
{
	int e;

	if (std::isnan(want) || std::isnan(got))
		return std::isnan(want) && std::isnan(got) ? 0 : 1e30;
	if (got == want)
		return 0;
	if (std::isinf(got)) // rounded up past the largest number
		return fabsl(want) > ldexpl(1, 2 - least) * 0.99L ? 0 : 1e30;
	if (std::isinf(want))
		return 1e30;
	frexpl(want, &e);
	return (double)(fabsl(got - want) / ldexpl(1, (e < least ? least : e) - precision));
}

template <typename T> static void check(void (*kernel)(const T *, T *), int precision, int least)
{
	std::vector<T> in(COUNT * SAMPLES);

	for (int i = 0; i < COUNT * SAMPLES; i++)
		in[i] = argument<T>(i, functions[i / SAMPLES].range);
	device_array<T> args(in), results(in.size());
	kernel<<<COUNT * SAMPLES / 256, 256>>>(args.data, results.data);
	HIP(hipDeviceSynchronize());
	std::vector<T> out = results.host();
	for (int f = 0; f < COUNT; f++) {
		double worst = 0;

		for (int i = f * SAMPLES; i < (f + 1) * SAMPLES; i++) {
			long double want = functions[f].host((long double)in[i]);
			double error = error_of((long double)out[i], want, precision, least);

			// Half a unit is the rounding of the result itself.
			if (error > functions[f].ulps + 0.5 + 0.001) {
				fprintf(stderr, "%s of %zu bytes: f(%a) = %a, should be %La\n",
					functions[f].name, sizeof(T), (double)in[i], (double)out[i],
					want);
				exit(1);
			}
			worst = error > worst ? error : worst;
		}
		printf("%-6s %zu bytes: at most %.3f units of the last place\n", functions[f].name,
		       sizeof(T), worst);
	}
}

int main()
{
	check<double>(run_double, 53, -1021);
	check<float>(run_single, 24, -125);
	return 0;
}

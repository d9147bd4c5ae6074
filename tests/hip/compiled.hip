// SPDX-License-Identifier: MIT
// Kernels compiled while the program runs, loaded as modules, with globals found by name; two
// modules with the same names; errors of the compiler and of the loader.
#include "hip_test.h"

#include <hip/hiprtc.h>

#define RTC(call) EXPECT((call) == HIPRTC_SUCCESS)

static const char source[] = R"(
	extern "C" __device__ int bias = ADD;
	extern "C" __global__ void apply(int *cells, int n, short factor)
	{
		int i = blockIdx.x * blockDim.x + threadIdx.x;

		if (i < n)
			cells[i] = cells[i] * factor + bias;
	}
)";

// The device's, without its settings.
static std::string target()
{
	hipDeviceProp_t properties;
	std::string name;

	HIP(hipGetDeviceProperties(&properties, 0));
	name = properties.gcnArchName;
	return name.substr(0, name.find(':'));
}

static hipModule_t compile(const char *option)
{
	std::string wanted = "--gpu-architecture=" + target();
	const char *options[] = {wanted.c_str(), option};
	hiprtcProgram program;
	std::vector<char> code;
	hipModule_t module;
	size_t size;

	RTC(hiprtcCreateProgram(&program, source, "apply.hip", 0, nullptr, nullptr));
	RTC(hiprtcCompileProgram(program, 2, options));
	RTC(hiprtcGetCodeSize(program, &size));
	code.resize(size);
	RTC(hiprtcGetCode(program, code.data()));
	RTC(hiprtcDestroyProgram(&program));
	HIP(hipModuleLoadData(&module, code.data()));
	return module;
}

static void launch(hipModule_t module, int *cells, int n, short factor)
{
	struct {
		int *cells;
		int n;
		short factor;
	} args = {cells, n, factor};
	size_t size = sizeof(args);
	void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args, HIP_LAUNCH_PARAM_BUFFER_SIZE,
			  &size, HIP_LAUNCH_PARAM_END};
	hipFunction_t function;

	HIP(hipModuleGetFunction(&function, module, "apply"));
	HIP(hipModuleLaunchKernel(function, (n + 63) / 64, 1, 1, 64, 1, 1, 0, nullptr, nullptr,
				  config));
}

int main()
{
	hipModule_t first = compile("-DADD=5"), second = compile("-DADD=-7"), none;
	std::vector<int> cells(200), want(200);
	const int bias = 100;
	hiprtcProgram wrong;
	hipFunction_t missing;
	hipDeviceptr_t at;
	size_t size;

	for (int i = 0; i < 200; i++) {
		cells[i] = i;
		want[i] = ((i * 3 + 5) * -2 - 7) * 4 + 100;
	}
	device_array<int> d(cells);
	launch(first, d.data, 200, 3);
	launch(second, d.data, 200, -2);
	HIP(hipModuleGetGlobal(&at, &size, first, "bias"));
	EXPECT(size == sizeof(int));
	HIP(hipMemcpyHtoD(at, (void *)&bias, sizeof(bias)));
	launch(first, d.data, 200, 4);
	expect_equal("modules", d.host(), want);

	EXPECT(hipModuleGetFunction(&missing, first, "nothing") != hipSuccess);
	EXPECT(hipModuleLoadData(&none, "this is no code object, however long it may be........") !=
	       hipSuccess);
	HIP(hipModuleUnload(first));
	HIP(hipModuleUnload(second));
	RTC(hiprtcCreateProgram(&wrong, "__global__ void broken( {", "b.hip", 0, nullptr, nullptr));
	EXPECT(hiprtcCompileProgram(wrong, 0, nullptr) != HIPRTC_SUCCESS);
	RTC(hiprtcDestroyProgram(&wrong));
	return 0;
}

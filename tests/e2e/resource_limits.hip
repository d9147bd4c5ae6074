// SPDX-License-Identifier: MIT
// limits MODULE: launch the module's kernels and check what they did.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(hipError_t error)
{
	if (error != hipSuccess) {
		fprintf(stderr, "limits: %s\n", hipGetErrorString(error));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned items, dynamic;
		int n;
	} launches[] = {
		{"all_lds", 1024, 0, 0},     {"all_registers", 1024, 0, 3}, {"eight_waves", 256, 0, 5},
		{"much_scratch", 64, 0, 64}, {"ordinary", 128, 64, 1},
	};
	std::vector<int> in(2048), got(2048);
	hipModule_t module;
	int *from, *to;

	if (argc < 2)
		return 2;
	for (size_t i = 0; i < in.size(); i++)
		in[i] = int(i * 29 % 977);
	check(hipModuleLoad(&module, argv[1]));
	check(hipMalloc(&from, in.size() * sizeof(int)));
	check(hipMalloc(&to, in.size() * sizeof(int)));
	check(hipMemcpy(from, in.data(), in.size() * sizeof(int), hipMemcpyHostToDevice));
	for (const auto &launch : launches) {
		int n = launch.n, bad = 0;
		void *args[] = {&to, &from, &n};
		hipFunction_t function;

		check(hipModuleGetFunction(&function, module, launch.name));
		check(hipMemset(to, 0, in.size() * sizeof(int)));
		check(hipModuleLaunchKernel(function, 1, 1, 1, launch.items, 1, 1, launch.dynamic,
					    nullptr, args, nullptr));
		check(hipMemcpy(got.data(), to, got.size() * sizeof(int), hipMemcpyDeviceToHost));
		for (unsigned i = 0; i < launch.items; i++)
			bad += got[i] != in[i] + 1;
		printf("%s: %d wrong\n", launch.name, bad);
	}
	return 0;
}

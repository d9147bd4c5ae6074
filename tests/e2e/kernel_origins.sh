#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways to load a kernel: several units with -fgpu-rdc, a library opened at run time, a code object
# loaded as a module, one compiled at run time (hipRTC), OpenCL C dispatched through HSA alone. Each
# is instrumented, or listed with the reason why not.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"
plugin=$(probe-config --pass-plugin)
llvm=/usr/lib/llvm-15/bin
[ -x "$llvm/ld.lld" ] || { echo "no lld-15"; exit 77; }
HCC_AMDGPU_TARGET=gfx90a
PROBE_SIM_MODEL=0
export HCC_AMDGPU_TARGET PROBE_SIM_MODEL

# rows DB: line, executions, lanes and 128-byte lines of each site that ran
rows()
{
	sqlite3 "$1" "SELECT s.line, m.executions, m.lanes, m.lines128 FROM probe_memory_site m JOIN probe_site s
		ON s.code_object_id = m.code_object AND s.site = m.site ORDER BY s.line, s.site" | tr '\n' ' '
}

# Two units, linked with the plugin: the function of the other unit is probed with its callers. Debian's
# hipcc uses the linker of LLVM 14, which cannot read bitcode of 15, unless -B names the other one.
cat >unit1.hip <<'END'
#include <hip/hip_runtime.h>
__device__ void add(int *p, int v);
__global__ void caller(int *p)
{
	add(p + threadIdx.x, 3);
	p[threadIdx.x + 64] = 1;
}
int main()
{
	int *p, h[128];
	if (hipMalloc((void **)&p, 512) || hipMemset(p, 0, 512))
		return 1;
	caller<<<1, 64>>>(p);
	return hipMemcpy(h, p, 512, hipMemcpyDeviceToHost) || h[5] != 3 || h[70] != 1;
}
END
cat >unit2.hip <<'END'
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) void add(int *p, int v)
{
	*p += v;
}
END
for unit in unit1 unit2; do
	hipcc --offload-arch=gfx90a -O2 -g -fgpu-rdc -c $unit.hip -o $unit.o
done
hipcc --hip-link --offload-arch=gfx90a -fgpu-rdc "-B$llvm" -Xoffload-linker "--load-pass-plugin=$plugin" unit1.o unit2.o \
	-o rdc >rdc.log 2>&1 || fail "rdc: $(cat rdc.log)"
record rdc.db -q -- ./rdc
expect "rdc" "$(rows rdc.db)" "4|1|64|2 4|1|64|2 6|1|64|2 "

# A library with its own kernel, opened at run time and closed again.
cat >library.hip <<'END'
#include <hip/hip_runtime.h>
static __global__ void inside(int *p)
{
	p[threadIdx.x * 32] = 1;
}
extern "C" int run()
{
	int *p;
	if (hipMalloc((void **)&p, 8192))
		return 1;
	inside<<<1, 64>>>(p);
	return hipDeviceSynchronize();
}
END
cat >opener.c <<'END'
#include <dlfcn.h>
int main(void)
{
	void *library = dlopen("./library.so", RTLD_NOW);
	int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : 0;
	return !run || run();
}
END
compile library.hip library.so -shared -fPIC
cc opener.c -o opener -ldl
record opener.db -q -- ./opener
expect "dlopen" "$(rows opener.db)" "4|1|64|64 "

# A code object loaded as a module.
cat >module.hip <<'END'
#include <hip/hip_runtime.h>
extern "C" __global__ void loaded(int *p, char c)
{
	p[threadIdx.x] = c;
}
END
cat >loader.hip <<'END'
#include <hip/hip_runtime.h>
int main()
{
	hipModule_t module;
	hipFunction_t f;
	int *p, h[64];
	char c = 7;
	void *args[] = {&p, &c};
	if (hipModuleLoad(&module, "module.co") || hipModuleGetFunction(&f, module, "loaded") ||
	    hipMalloc((void **)&p, 256) || hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0))
		return 1;
	return hipMemcpy(h, p, 256, hipMemcpyDeviceToHost) || h[63] != 7;
}
END
compile module.hip module.co --genco
hipcc --offload-arch=gfx90a loader.hip -o loader
record loader.db -q -- ./loader
expect "module" "$(rows loader.db)" "4|1|64|2 "

# Compiled at run time: without probes the accounting says so. There are probes if the plugin is
# among hipRTC's options and the LLVM of amd-comgr is visible to it.
cat >rtc.hip <<'END'
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>
#include <vector>
// 80 scalar registers at once, which a traced wave does not have.
static const char text[] = R"(
#define TEN(i) "s"(in[i]), "s"(in[i + 1]), "s"(in[i + 2]), "s"(in[i + 3]), "s"(in[i + 4]), \
	"s"(in[i + 5]), "s"(in[i + 6]), "s"(in[i + 7]), "s"(in[i + 8]), "s"(in[i + 9])
extern "C" __global__ void made(float *p)
{
	p[threadIdx.x * 2] += 1;
}
extern "C" __global__ void hungry(int *out, const int __attribute__((address_space(4))) *in)
{
	asm volatile("s_nop 0" : : TEN(0), TEN(10), TEN(20), TEN(30), TEN(40), TEN(50), TEN(60), TEN(70));
	out[threadIdx.x] = 0;
}
)";
int main(int argc, char **argv)
{
	hiprtcProgram program;
	hipModule_t module;
	hipFunction_t f;
	size_t size;
	float *p, h[128];
	void *args[] = {&p};
	std::vector<const char *> options{"--offload-arch=gfx90a", "-g"};
	for (int i = 1; i < argc; i++)
		options.push_back(argv[i]);
	if (hiprtcCreateProgram(&program, text, "made.hip", 0, nullptr, nullptr) ||
	    hiprtcCompileProgram(program, (int)options.size(), options.data()) ||
	    hiprtcGetCodeSize(program, &size))
		return 1;
	std::vector<char> code(size);
	if (hiprtcGetCode(program, code.data()) || hipModuleLoadData(&module, code.data()) ||
	    hipModuleGetFunction(&f, module, "made") || hipMalloc((void **)&p, 512) || hipMemset(p, 0, 512) ||
	    hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0))
		return 1;
	return hipMemcpy(h, p, 512, hipMemcpyDeviceToHost) || h[4] != 1;
}
END
hipcc --offload-arch=gfx90a rtc.hip -o rtc
record rtc.db -q -- ./rtc
expect "rtc without the plugin" "$(sqlite3 rtc.db "SELECT DISTINCT d.verdict FROM probe_dispatch d
	JOIN rocpd_info_kernel_symbol k ON k.id = d.kernel_id WHERE k.kernel_name = 'made'")" 3
comgr_llvm=$(ldconfig -p | sed -n 's/.*libLLVM-15\.so\.1 .*=> //p' | head -1)
if [ -n "$comgr_llvm" ]; then
	LD_PRELOAD=$comgr_llvm record rtc2.db -q -- ./rtc "-fpass-plugin=$plugin" 2>rtc2.log || fail "rtc: $(cat rtc2.log)"
	expect "rtc" "$(rows rtc2.db)" "6|1|64|4 6|1|64|4 "
	expect "rtc: a kernel whose clone does not compile" \
		"$(grep -c 'kernel hungry is compiled without probes of kind trace: inline assembly requires' rtc2.log)" 1
fi

# OpenCL C, code objects 4 and 5, from each LLVM there is a plugin for.
for version in 15 16 19; do
	clang=/usr/lib/llvm-$version/bin/clang
	plugin=$build/lib/probe/llvm-$version/libprobe.so
	if [ ! -e "$plugin" ] || [ ! -x "$clang" ]; then
		continue
	fi
	for abi in 4 5; do
		"$clang" -x cl -cl-std=CL2.0 -Xclang -finclude-default-header -target amdgcn-amd-amdhsa \
			-mcpu=gfx90a "-mcode-object-version=$abi" --rocm-path=/usr \
			--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode -O2 -g \
			"-fpass-plugin=$plugin" "$source/tests/hsa/hsa_opencl.cl" -o cl.co ||
			fail "OpenCL: LLVM $version, code object $abi"
		for kind in memory trace; do
			record cl.db -q --kind $kind -- hsa_opencl cl.co $abi >cl.txt
			expect "OpenCL $version $abi $kind" "$(rows cl.db)" "5|6|384|12 12|6|384|24 12|6|384|0 14|6|384|0 "
		done
	done
done

# Accesses that are not covered are listed with line and reason at the end of every report.
cat >pointer.hip <<'END'
#include <hip/hip_runtime.h>
__device__ __attribute__((noinline)) void first(int *p) { *p = 1; }
__device__ __attribute__((noinline)) void second(int *p) { *p = 2; }
__device__ void (*functions[])(int *) = {first, second};
__global__ void jump(int *p)
{
	functions[p[0]](p + threadIdx.x);
}
int main()
{
	int *p;
	if (hipMalloc((void **)&p, 512) || hipMemset(p, 0, 512))
		return 1;
	jump<<<1, 64>>>(p);
	return hipDeviceSynchronize();
}
END
compile pointer.hip pointer
record pointer.db -q -- ./pointer
probe-report lines pointer.db >pointer.txt
grep -q "^memory accesses without probes: 3$" pointer.txt || fail "$(cat pointer.txt)"
grep -q "pointer.hip:2:.*: store in first(int\*): in a function that is called through a pointer" pointer.txt ||
	fail "$(cat pointer.txt)"
grep -q "pointer.hip:7:.*: call in jump(int\*): calls through a pointer" pointer.txt || fail "$(cat pointer.txt)"

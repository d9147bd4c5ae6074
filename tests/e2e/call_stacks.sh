#!/bin/sh
# SPDX-License-Identifier: MIT
# Call stacks of launches: each dispatch has that of its launch, with source lines, also of inlined calls
# and of threads; a stack is stored once; nothing is recorded without --call-stacks.
# Folder: hsa-plugin
. "$(dirname "$0")/lib.sh"

cat >stacks.hip <<'END'
#include <hip/hip_runtime.h>
#include <thread>
__global__ void one(int *to) { to[threadIdx.x] = 1; }
__global__ void two(int *to) { to[threadIdx.x] = 2; }
static int *buffer;
static inline __attribute__((always_inline)) void inlined() { one<<<1, 64>>>(buffer); } // inlined
__attribute__((noinline)) static void leaf_one()
{
	inlined(); // call
	asm volatile("");
}
__attribute__((noinline)) static void leaf_two()
{
	two<<<1, 64>>>(buffer); // two
	asm volatile("");
}
__attribute__((noinline)) static void deep(int depth)
{
	if (depth)
		deep(depth - 1); // deep
	else
		leaf_two(); // deepest
	asm volatile("");
}
int main()
{
	if (hipMalloc((void **)&buffer, 256) != hipSuccess) return 1;
	for (int i = 0; i < 5; i++) leaf_one(); // first
	leaf_two(); // second
	deep(100);
	std::thread([] { leaf_two(); }).join(); // thread
	return hipDeviceSynchronize() != hipSuccess;
}
END
# line TEXT: number of the line with it
line()
{
	grep -nF "// $1" stacks.hip | cut -d: -f1
}
hipcc --offload-arch=gfx90a -g -O2 -fno-optimize-sibling-calls stacks.hip -o stacks
record run.db -q --call-stacks -- ./stacks
balanced run.db
launches()
{
	probe-report launches --format csv --no-header -s "$1" -f kernel,launches,call_stack run.db | sed "s|$work/||g"
}
expect "kernel one, in a loop, from an inlined function" \
	"$(launches +call_stack | grep '^"*one' | cut -d, -f2- | cut -d'<' -f1-3 | sed 's/ $//')" \
	"5,stacks.hip:$(line inlined) <- stacks.hip:$(line call) <- stacks.hip:$(line first)"
expect "kernel two: where it is launched, and from where that is called" \
	"$(launches +call_stack | grep '^"*two' | cut -d, -f2- | cut -d'<' -f1-2 | sed 's/ $//' | sort)" \
	"$(printf '1,stacks.hip:%s <- stacks.hip:%s\n' "$(line two)" "$(line deepest)" "$(line two)" "$(line second)" "$(line two)" "$(line thread)" | sort)"
# At most 24 calls are recorded of 103; an inlined one is a line more.
expect "a deep stack has its innermost calls" \
	"$(sqlite3 run.db "SELECT frames FROM probe_stack WHERE frames LIKE '%:$(line deepest)%'" | grep -c ":$(line deep)\$" | sed 's/^2[23]$/22 or 23/')" "22 or 23"
expect "dispatches with a stack" \
	"$(sqlite3 run.db "SELECT count(*), (SELECT count(*) FROM rocpd_kernel_dispatch) FROM probe_launch JOIN probe_stack ON id = stack_id")" "8|8"
expect "stacks, each once" "$(sqlite3 run.db "SELECT count(DISTINCT frames) FROM probe_stack")" 4
# The function that clang makes for a kernel, which launches it, is no call of the program.
hipcc --offload-arch=gfx90a -g -O1 -fno-inline stacks.hip -o stubs
[ "$(nm stubs | grep -c '__device_stub__')" -eq 2 ] || fail "no stubs: $(nm stubs)"
record stubs.db -q --call-stacks -- ./stubs
expect "call sites of kernels that a function of the compiler launches" \
	"$(probe-report launches --format csv --no-header -s +kernel -f call_site stubs.db | sort -u | sed "s|$work/||g")" \
	"$(printf 'stacks.hip:%s\n' "$(line inlined)" "$(line two)" | sort)"
record plain.db -q --kernel-trace -- ./stacks
expect "stacks that were not requested" \
	"$(sqlite3 plain.db "SELECT (SELECT count(*) FROM probe_stack) + (SELECT count(*) FROM probe_launch)")" 0
expect "what is said then" "$(probe-report launches plain.db | grep 'no call stacks')" \
	"no call stacks of launches: the program launched no kernel, or was not recorded with probe-run --call-stacks"

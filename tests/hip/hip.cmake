# SPDX-License-Identifier: MIT
# HIP programs on the simulated GPU, under the real runtimes. Each runs unchanged, and in
# configurations in which the runtime takes other paths: without SDMA, without interrupts, without
# large BAR.
if(NOT PROBE_BUILD_SIM OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc)
if(NOT HIPCC)
	message(STATUS "tests/hip: no hipcc, programs on the simulated GPU are not tested")
	return()
endif()

set(hip_dir ${CMAKE_CURRENT_LIST_DIR})
set(hip_out ${CMAKE_BINARY_DIR}/tests/hip)
file(MAKE_DIRECTORY ${hip_out})
set(hip_environment ${PROBE_SIM_ENVIRONMENT})

# From HIP 7 on the compiler at run time is a library of its own.
find_path(HIP_INCLUDE_DIR hip/hip_version.h)
set(hip_libraries)
if(HIP_INCLUDE_DIR)
	file(STRINGS ${HIP_INCLUDE_DIR}/hip/hip_version.h hip_major REGEX "define HIP_VERSION_MAJOR")
	string(REGEX MATCH "[0-9]+" hip_major "${hip_major}")
	if(hip_major GREATER_EQUAL 7)
		set(hip_libraries -lhiprtc)
	endif()
endif()

# probe_hip_program(NAME SOURCE OPTIONS [GPU <target>] [HEADERS <file>...])
function(probe_hip_program name source level)
	cmake_parse_arguments(arg "" "GPU" "HEADERS" ${ARGN})
	set(gpu gfx90a)
	if(arg_GPU)
		set(gpu ${arg_GPU})
	endif()
	add_custom_command(OUTPUT ${hip_out}/${name}
		COMMAND ${HIPCC} --offload-arch=${gpu} ${level} -Wall -I${CMAKE_SOURCE_DIR}
			${hip_dir}/${source}.hip -o ${hip_out}/${name} ${hip_libraries}
		DEPENDS ${hip_dir}/${source}.hip ${hip_dir}/hip_test.h ${arg_HEADERS}
		COMMENT "hipcc ${name}" VERBATIM)
	add_custom_target(hip_${name} ALL DEPENDS ${hip_out}/${name})
endfunction()

function(probe_hip_test name program)
	probe_test(NAME hip.${name} TIER hip FOLDER simgpu
		COMMAND ${hip_out}/${program} ${hip_out}/partial.co
		ENVIRONMENT "${hip_environment}" ${ARGN})
endfunction()

# The only argument: the code object that partial.hip loads.
# From LLVM 18 on HIP compiles for whole workgroups only, and refuses others without this option.
if(PROBE_HIP_LLVM GREATER_EQUAL 18)
	set(hip_partial_groups -fno-offload-uniform-block)
endif()
function(probe_hip_partial_code file gpu)
	add_custom_command(OUTPUT ${hip_out}/${file}
		COMMAND ${HIPCC} --genco --offload-arch=${gpu} -O2 ${hip_partial_groups}
			${hip_dir}/partial_kernel.hip -o ${hip_out}/${file}
		DEPENDS ${hip_dir}/partial_kernel.hip COMMENT "hipcc ${file}" VERBATIM)
	add_custom_target(hip_code_${file} ALL DEPENDS ${hip_out}/${file})
endfunction()
probe_hip_partial_code(partial.co gfx90a)

# Offered under ROCr 7 and later.
set(hip_virtual)
if(hip_major GREATER_EQUAL 7)
	set(hip_virtual virtual)
endif()
# LLVM 17 compiles programs wrongly at -O0: it reloads spilled registers before it restores EXEC, so that
# most lanes lose their pointer.
function(probe_hip_unoptimized name)
	if(NOT PROBE_HIP_LLVM EQUAL 17)
		probe_hip_program(${name}_O0 ${name} -O0)
		probe_hip_test(${name}.O0 ${name}_O0)
	endif()
endfunction()
foreach(name vadd copies streams shared scratch atomics arithmetic managed printing progress partial
		threads cooperative ${hip_virtual})
	probe_hip_program(${name} ${name} -O2)
	probe_hip_test(${name} ${name})
	probe_hip_unoptimized(${name})
	# Undefined registers must not matter, nor how waves are interleaved.
	probe_hip_test(${name}.quantum ${name}
		"PROBE_SIM_QUANTUM=7;PROBE_SIM_THREADS=3;PROBE_SIM_FILL=0xdeadbeef")
endforeach()
foreach(name vadd copies streams printing scratch threads ${hip_virtual})
	probe_hip_test(${name}.nosdma ${name} HSA_ENABLE_SDMA=0)
	probe_hip_test(${name}.nointerrupt ${name} HSA_ENABLE_INTERRUPT=0)
	probe_hip_test(${name}.nobar ${name} PROBE_SIM_LARGE_BAR=0)
endforeach()

# Programs of many kinds, and stress tests: as compiled for speed, and with a short quantum.
foreach(name bursts compiled divergence graphs grids halves hashing heap lookback matmul physics
		recorded sorting stencils waves)
	probe_hip_program(${name} ${name} -O2)
	probe_hip_test(${name} ${name})
endforeach()
foreach(name divergence halves sorting stencils waves)
	probe_hip_test(${name}.quantum ${name}
		"PROBE_SIM_QUANTUM=7;PROBE_SIM_THREADS=3;PROBE_SIM_FILL=0xdeadbeef")
endforeach()
# Everything is translated before it runs.
if(TARGET probe_sim_jit)
	foreach(name arithmetic shared divergence halves sorting stencils waves)
		probe_hip_test(${name}.jit ${name} PROBE_SIM_JIT=2)
	endforeach()
endif()
probe_hip_unoptimized(divergence)
probe_hip_program(exhaust exhaust -O2)
probe_hip_test(exhaust exhaust PROBE_SIM_VRAM_MIB=256)

probe_test(NAME hip.trace TIER hip FOLDER simgpu
	COMMAND sh ${hip_dir}/trace.sh ${hip_out}/vadd vadd ENVIRONMENT "${hip_environment}")

# HIP 5.7.1 and 6.4.3 refuse to create textures for gfx90a ("operation not supported").
probe_hip_program(textures textures -O2)
if(PROBE_HIP_LLVM EQUAL 15)
	probe_hip_test(textures textures)
	probe_hip_test(textures.base textures PROBE_SIM_ISA=base)
endif()

probe_hip_program(math math -O2)
probe_hip_test(math math)
probe_hip_program(counters counters -O2)
probe_hip_test(counters counters)

# Several GPUs.
probe_hip_program(peers peers -O2)
probe_hip_test(peers peers PROBE_SIM_GPUS=2)
probe_hip_test(peers.four peers PROBE_SIM_GPUS=4)
probe_hip_test(peers.nobar peers "PROBE_SIM_GPUS=2;PROBE_SIM_LARGE_BAR=0")
probe_hip_test(peers.nosdma peers "PROBE_SIM_GPUS=3;HSA_ENABLE_SDMA=0")

# Simulated time: the same in every run. With direct dispatch, HIP 5.2.3 gives a marker the host's
# clock if its thread loses the CPU just after the doorbell, as on a machine with load
# (simgpu/README.md); programs whose times are tested use its queue thread instead. Not with HIP 7: with that
# thread, 7.2.4 copied zeros to the host after a kernel's event in 3 of 16 runs of clocks.hip, and
# kernels started later in some; without it all 16 runs were equal.
set(hip_timed AMD_DIRECT_DISPATCH=0)
if(hip_major GREATER_EQUAL 7)
	set(hip_timed)
endif()
set(hip_timed_environment ${hip_environment} ${hip_timed})
probe_hip_program(clocks clocks -O2)
function(probe_clocks_test name program)
	probe_test(NAME hip.${name} TIER hip FOLDER simgpu
		COMMAND sh ${hip_dir}/clocks.sh ${hip_out}/${program} ${hip_out}/${name}.out
		ENVIRONMENT ${hip_timed_environment} ${ARGN})
endfunction()
probe_clocks_test(clocks clocks)
probe_clocks_test(clocks.nobar clocks PROBE_SIM_LARGE_BAR=0)
probe_clocks_test(clocks.nosdma clocks HSA_ENABLE_SDMA=0)
probe_hip_test(clocks.host clocks PROBE_SIM_MODEL=0)

# Simulated time against published numbers, and the same counters in every run.
probe_hip_program(timing timing -O2)
probe_hip_test(timing timing ${hip_timed})
set(hip_published_headers)
foreach(name caches compute exercises instructions laplacians memory rate stencils)
	list(APPEND hip_published_headers ${hip_dir}/published_${name}.h)
endforeach()
foreach(name published published_unseen)
	probe_hip_program(${name} ${name} -O2 HEADERS ${hip_published_headers})
	probe_test(NAME hip.${name} TIER hip FOLDER simgpu
		COMMAND Python3::Interpreter ${hip_dir}/published.py ${hip_out}/${name}
			${CMAKE_SOURCE_DIR}/tests/data/published_figures.csv
		ENVIRONMENT ${hip_timed_environment})
endforeach()
probe_test(NAME hip.same_clock TIER hip FOLDER simgpu
	COMMAND Python3::Interpreter ${hip_dir}/same_clock.py ${hip_out}/same_clock.json
		${hip_out}/waves ${hip_out}/divergence ${hip_out}/sorting ${hip_out}/physics
		${hip_out}/stencils ${hip_out}/matmul ${hip_out}/hashing ${hip_out}/arithmetic
	ENVIRONMENT ${hip_timed_environment})
foreach(name timing atomics shared cooperative)
	probe_clocks_test(${name}.same ${name})
endforeach()

probe_hip_program(polls polls -O2)
probe_test(NAME hip.polls TIER hip FOLDER simgpu
	COMMAND Python3::Interpreter ${hip_dir}/polls.py ${hip_out}/polls ${hip_out}/polls.json
	ENVIRONMENT ${hip_timed_environment})

# PC samples against the machine's own cycles per instruction; the same ones in every run.
probe_hip_program(sampling sampling "-O2;-std=c++17;-lhsa-runtime64")
foreach(name sessions invariants masks lanes stochastic host_trap)
	probe_test(NAME hip.sampling.${name} TIER hip FOLDER simgpu
		COMMAND ${hip_out}/sampling ${name} ENVIRONMENT "${hip_environment}" PROBE_SIM_PC=1)
endforeach()
# Some instructions of a piece are translated, some are not: EXEC is the same.
probe_test(NAME hip.sampling.jit TIER hip FOLDER simgpu
	COMMAND ${hip_out}/sampling lanes ENVIRONMENT "${hip_environment}" PROBE_SIM_JIT=2)
probe_test(NAME hip.sampling.same TIER hip FOLDER simgpu
	COMMAND sh ${hip_dir}/sampling.sh ${hip_out}/sampling ${hip_out}/sampling.same list 3000
	ENVIRONMENT "${hip_environment}" PROBE_SIM_PC=1)

# ROCr 6.2 and later sample by themselves, with what the simulated driver offers.
find_path(HSA_SAMPLING_INCLUDE_DIR hsa/hsa_ven_amd_pc_sampling.h)
if(HSA_SAMPLING_INCLUDE_DIR)
	probe_test(NAME hip.sampling.rocr TIER hip FOLDER simgpu
		COMMAND ${hip_out}/sampling host_trap ENVIRONMENT "${hip_environment}" PROBE_SIM_PC=1
			PROBE_SIM_DRIVER_SAMPLING=1)
	probe_test(NAME hip.sampling.rocr.same TIER hip FOLDER simgpu
		COMMAND sh ${hip_dir}/sampling.sh ${hip_out}/sampling ${hip_out}/sampling.rocr
			list_host_trap 150
		ENVIRONMENT "${hip_environment}" PROBE_SIM_PC=1 PROBE_SIM_DRIVER_SAMPLING=1)
	# Queue errors are the kernel driver's exceptions then.
	probe_hip_test(vadd.exceptions vadd PROBE_SIM_DRIVER_SAMPLING=1)
	probe_hip_test(streams.exceptions streams PROBE_SIM_DRIVER_SAMPLING=1)
endif()

# The simulated MI300X, which ROCr and HIP know from 6.1 on. Not timing, which expects gfx90a's
# figures, nor textures (gfx942 has no image instructions).
if(PROBE_HIP_LLVM GREATER_EQUAL 21)
	probe_hip_partial_code(partial_gfx942.co gfx942)
	foreach(name vadd copies streams shared scratch atomics arithmetic managed printing progress
			partial threads cooperative ${hip_virtual} bursts compiled divergence graphs grids halves
			hashing heap lookback matmul physics recorded sorting stencils waves math counters
			peers exhaust)
		probe_hip_program(gfx942_${name} ${name} -O2 GPU gfx942)
		set(options)
		if(name STREQUAL "peers")
			set(options PROBE_SIM_GPUS=2)
		elseif(name STREQUAL "exhaust")
			set(options PROBE_SIM_VRAM_MIB=256)
		endif()
		probe_test(NAME hip.gfx942.${name} TIER hip FOLDER simgpu
			COMMAND ${hip_out}/gfx942_${name} ${hip_out}/partial_gfx942.co
			ENVIRONMENT "${hip_environment}" PROBE_SIM_DEVICE=gfx942 ${options})
	endforeach()
	probe_hip_program(gfx942_clocks clocks -O2 GPU gfx942)
	probe_clocks_test(gfx942.clocks gfx942_clocks PROBE_SIM_DEVICE=gfx942)
	probe_clocks_test(gfx942.clocks.nosdma gfx942_clocks PROBE_SIM_DEVICE=gfx942 HSA_ENABLE_SDMA=0)
	probe_hip_program(gfx942_sampling sampling "-O2;-std=c++17;-lhsa-runtime64" GPU gfx942)
	foreach(name sessions invariants masks lanes stochastic host_trap)
		probe_test(NAME hip.gfx942.sampling.${name} TIER hip FOLDER simgpu
			COMMAND ${hip_out}/gfx942_sampling ${name}
			ENVIRONMENT "${hip_environment}" PROBE_SIM_DEVICE=gfx942 PROBE_SIM_PC=1)
	endforeach()
	probe_hip_program(gfx942_published published -O2 GPU gfx942 HEADERS ${hip_published_headers})
	probe_test(NAME hip.gfx942.published TIER hip FOLDER simgpu
		COMMAND Python3::Interpreter ${hip_dir}/published.py ${hip_out}/gfx942_published
			${CMAKE_SOURCE_DIR}/tests/data/published_figures.csv ${CMAKE_SOURCE_DIR}/simgpu/TIME.md
		ENVIRONMENT "${hip_environment}" PROBE_SIM_DEVICE=gfx942)
endif()

# Faults: with -g the report names the source line, %MARK% as marked in fault.hip. HIP 7.2 returns an error
# to the program instead of ending it, unless it is told to.
probe_hip_program(fault fault "-O2;-g")
probe_hip_program(fault_plain fault -O2)
function(probe_fault_test way)
	cmake_parse_arguments(arg "" "PROGRAM;NAME;ENVIRONMENT" "" ${ARGN})
	set(program fault)
	if(arg_PROGRAM)
		set(program ${arg_PROGRAM})
	endif()
	set(name ${way})
	if(arg_NAME)
		set(name ${arg_NAME})
	endif()
	probe_test(NAME hip.fault.${name} TIER hip FOLDER simgpu
		COMMAND sh ${hip_dir}/expect_fault.sh ${hip_out}/${program} ${way}
			${arg_UNPARSED_ARGUMENTS}
		ENVIRONMENT ${hip_environment} HIP_SKIP_ABORT_ON_GPU_ERROR=0 ${arg_ENVIRONMENT})
endfunction()
set(runtime_fault "Memory access fault by GPU node-1 ")
set(store "^probe-sim: memory fault on write: kernel _Z5storePim, workgroup .0,0,0., wave 0, lane 0, ")
probe_fault_test(write
	"^probe-sim: memory fault on write: kernel _Z13write_outsidePi, workgroup .*, wave 1, lane 6, address 0x[0-9a-f]+ .4 bytes., pc 0x[0-9a-f]+: global_store_dword .*; at .*/fault.hip:%write%$"
	"Memory access fault by GPU node-1 .*Page not present")
probe_fault_test(write NAME write.no_g PROGRAM fault_plain
	"^probe-sim: memory fault on write: kernel _Z13write_outsidePi, .*; source line unknown: compile with -g$"
	"${runtime_fault}")
probe_fault_test(write NAME write.nointerrupt ENVIRONMENT HSA_ENABLE_INTERRUPT=0
	"^probe-sim: memory fault on write: kernel _Z13write_outsidePi, .*; at .*/fault.hip:%write%$")
probe_fault_test(read
	"^probe-sim: memory fault on read: kernel _Z9read_nullPi, .* address 0x8 .*; a null pointer; at .*/fault.hip:%read%$"
	"${runtime_fault}")
probe_fault_test(past
	"${store}.*; 4096 bytes past the end of device memory 0x[0-9a-f]*-0x[0-9a-f]* .4194304 bytes.; at .*/fault.hip:%store%$"
	"${runtime_fault}")
probe_fault_test(free
	"${store}.*; 400 bytes into freed device memory 0x[0-9a-f]*-0x[0-9a-f]* .4194304 bytes.; at .*/fault.hip:%store%$"
	"${runtime_fault}")
# From 6.2 on the thunk registers host memory as a range of SVM, which ends with the memory itself.
if(PROBE_HIP_LLVM EQUAL 15)
	probe_fault_test(unregistered
		"${store}.*; 0 bytes into no longer registered host memory 0x[0-9a-f]*-0x[0-9a-f]* .65536 bytes.; at "
		"${runtime_fault}")
endif()
foreach(way host stack code)
	probe_fault_test(${way} "${store}.*; host memory that was never given to the GPU; at "
		"${runtime_fault}")
endforeach()
probe_fault_test(wild "${store}.*address 0x1234567890abcdec .*; nothing was allocated near it; at "
	"aborting with error")
probe_fault_test(misaligned
	"^probe-sim: misaligned access: kernel _Z10misalignedPc, .* lane 0, .*: global_atomic_add .*; at .*/amd_hip_atomic.h:[0-9]*, inlined at .*/fault.hip:%atomic%$"
	"aborting with error")
probe_fault_test(trap
	"^probe-sim: s_trap 2: kernel _Z7give_upPi, workgroup .*; at .*/fault.hip:%trap%$"
	"aborting with error")
if(HSA_SAMPLING_INCLUDE_DIR)
	probe_fault_test(trap NAME trap.exceptions ENVIRONMENT PROBE_SIM_DRIVER_SAMPLING=1
		"^probe-sim: s_trap 2: kernel _Z7give_upPi, workgroup .*; at .*/fault.hip:%trap%$"
		"aborting with error")
	probe_fault_test(write NAME write.exceptions ENVIRONMENT PROBE_SIM_DRIVER_SAMPLING=1
		"^probe-sim: memory fault on write: kernel _Z13write_outsidePi, .*; at .*/fault.hip:%write%$"
		"${runtime_fault}")
endif()
probe_fault_test(abort
	"^probe-sim: s_trap 2: kernel _Z10call_abortPi, workgroup .*, inlined at .*/fault.hip:%abort%$"
	"aborting with error")
probe_fault_test(assert
	"Device-side assertion .*the answer"
	"^probe-sim: s_trap 2: kernel _Z15check_assertionPi, workgroup .0,0,0., wave 0")
probe_fault_test(illegal
	"^probe-sim: illegal instruction: kernel _Z19unknown_instructionPi, .*bfff0000.*; at .*/fault.hip:%illegal%$"
	"aborting with error")
probe_fault_test(lds
	"^probe-sim: LDS access outside the workgroup's allocation: kernel _Z11outside_ldsPi, .* lane 0, address 0x13880 .*; the workgroup has 256 bytes; at .*/fault.hip:%lds%$"
	"aborting with error")
probe_fault_test(scratch
	"^probe-sim: access outside the lane's private memory: kernel _Z15outside_scratchPii, .* lane 0, address 0x4000.*; a lane has [0-9]* bytes; at .*/fault.hip:%scratch%$"
	"aborting with error")
probe_fault_test(call
	"^probe-sim: memory fault on instruction fetch: kernel _Z12call_nowherePim, .* address 0x10000 .*; nothing was allocated near it$"
	"${runtime_fault}")
probe_fault_test(calldata
	"^probe-sim: memory fault on instruction fetch: kernel _Z12call_nowherePim, .* bytes (into|past the end of) device memory "
	"${runtime_fault}")
# The line is also reported under probe-run.
if(TARGET probe-run AND TARGET probe-hsa)
	probe_fault_test(free NAME free.recorded
		ENVIRONMENT "UNDER=$<TARGET_FILE:probe-run> --device=sim --force -d ${hip_out}/fault-run -o fault.db --"
		"${store}.*; 400 bytes into freed device memory .*; at .*/fault.hip:%store%$"
		"${runtime_fault}")
endif()

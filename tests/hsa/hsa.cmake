# SPDX-License-Identifier: MIT
# Programs against HSA itself, on the simulated GPU: the same output with and without the tool.
if(NOT TARGET probe-hsa OR NOT PROBE_BUILD_SIM OR NOT TARGET probe-run OR NOT TARGET probe_pass_${PROBE_HIP_LLVM}
   OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc)
# It calls llvm-objcopy from LLVM 17 on.
find_program(OFFLOAD_BUNDLER NAMES clang-offload-bundler-${PROBE_HIP_LLVM} clang-offload-bundler
	HINTS /usr/lib/llvm-${PROBE_HIP_LLVM}/bin)
find_library(HSA_RUNTIME_LIBRARY hsa-runtime64)
if(NOT HIPCC OR NOT OFFLOAD_BUNDLER OR NOT HSA_RUNTIME_LIBRARY)
	message(STATUS "tests/hsa: no hipcc, clang-offload-bundler or libhsa-runtime64, not tested")
	return()
endif()

set(hsa_dir ${CMAKE_CURRENT_LIST_DIR})
set(hsa_out ${CMAKE_BINARY_DIR}/tests/hsa)
set(hsa_code ${hsa_out}/hsa_kernels.co)
file(MAKE_DIRECTORY ${hsa_out})

# A code object on its own, as the loader takes it. The programs pass the hidden arguments of version
# 4, which all runtimes load.
function(probe_hsa_code name)
	add_custom_command(OUTPUT ${hsa_out}/${name}.co
		COMMAND ${HIPCC} --genco --offload-arch=gfx90a -mcode-object-version=4 -g ${ARGN} ${hsa_dir}/${name}.hip
			-o ${hsa_out}/${name}.bundle
		COMMAND ${CMAKE_COMMAND} -E env "PATH=/usr/lib/llvm-${PROBE_HIP_LLVM}/bin:$ENV{PATH}"
			${OFFLOAD_BUNDLER} --unbundle --type=o
			--targets=hipv4-amdgcn-amd-amdhsa--gfx90a
			--input=${hsa_out}/${name}.bundle --output=${hsa_out}/${name}.co
		DEPENDS ${hsa_dir}/${name}.hip probe_pass_${PROBE_HIP_LLVM} COMMENT "hipcc ${name}.co" VERBATIM)
	add_custom_target(hsa_code_${name} ALL DEPENDS ${hsa_out}/${name}.co)
endfunction()

probe_hsa_code(hsa_kernels -O2 -fpass-plugin=$<TARGET_FILE:probe_pass_${PROBE_HIP_LLVM}>)
probe_hsa_code(call_depths -O1)
add_executable(call_depths ${hsa_dir}/call_depths.c)
target_link_libraries(call_depths PRIVATE probe_hsa_parts probe_wire probe_flags ${CMAKE_DL_LIBS})
probe_test(NAME hsa.call_depths TIER hsa FOLDER hsa-plugin
	COMMAND call_depths ${hsa_out}/call_depths.co)

foreach(program hsa_cases hsa_bench hsa_opencl)
	add_executable(${program} ${hsa_dir}/${program}.c ${hsa_dir}/hsa_app.c)
	target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR})
	target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
	target_link_libraries(${program} PRIVATE probe_flags ${HSA_RUNTIME_LIBRARY} Threads::Threads)
endforeach()

# A tool that gives another one the table of a newer runtime.
add_library(hsa_newer_runtime MODULE ${hsa_dir}/newer_runtime.c)
target_include_directories(hsa_newer_runtime PRIVATE ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR})
target_link_libraries(hsa_newer_runtime PRIVATE probe_flags ${CMAKE_DL_LIBS})
add_dependencies(hsa_cases hsa_newer_runtime)

# probe_same_test(NAME CASE KIND [VARIABLE=VALUE...])
function(probe_same_test name case kind)
	probe_test(NAME hsa.${name} TIER hsa FOLDER hsa-plugin
		COMMAND sh ${hsa_dir}/same.sh ${CMAKE_BINARY_DIR} ${hsa_code} ${case} ${kind}
		ENVIRONMENT ${ARGN})
endfunction()
foreach(case burst signals threads gate odd lds globals fork again leave overrun)
	foreach(kind memory trace off)
		probe_same_test(${case}.${kind} ${case} ${kind})
	endforeach()
endforeach()
foreach(case described counted)
	foreach(kind memory trace off)
		probe_same_test(${case}.${kind} ${case} ${kind} NEWER_RUNTIME=$<TARGET_FILE:hsa_newer_runtime>)
	endforeach()
endforeach()
# Forks while four threads dispatch.
probe_same_test(forks.trace forks trace HSA_CASES_FORKS=100)
foreach(kind memory trace off)
	probe_same_test(forks_long.${kind} forks ${kind} HSA_CASES_FORKS=1000)
	set_property(TEST hsa.forks_long.${kind} APPEND PROPERTY LABELS long)
endforeach()
# With the host's clock, time stamps are between the program's own readings of it.
probe_same_test(signals.host signals memory PROBE_SIM_MODEL=0)
# Counters copied by the DMA engines, and by the runtime's own copy kernels, which take too long with
# the cost model.
foreach(case burst threads signals)
	probe_same_test(${case}.dma ${case} memory PROBE_SIM_LARGE_BAR=0)
	probe_same_test(${case}.blit ${case} memory PROBE_SIM_LARGE_BAR=0 HSA_ENABLE_SDMA=0
		PROBE_SIM_MODEL=0)
endforeach()

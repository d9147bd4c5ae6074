# SPDX-License-Identifier: MIT
# Difficult cases of queues, signals, loading and process exit, with HSA directly.
if(NOT PROBE_BUILD_SIM OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc)
# It calls llvm-objcopy from LLVM 17 on.
find_program(OFFLOAD_BUNDLER NAMES clang-offload-bundler-${PROBE_HIP_LLVM} clang-offload-bundler
	HINTS /usr/lib/llvm-${PROBE_HIP_LLVM}/bin)
find_library(HSA_RUNTIME_LIBRARY hsa-runtime64)
if(NOT HIPCC OR NOT OFFLOAD_BUNDLER OR NOT HSA_RUNTIME_LIBRARY)
	return()
endif()

set(hard_dir ${CMAKE_CURRENT_LIST_DIR})
set(hard_code ${CMAKE_BINARY_DIR}/tests/hsa/hard_kernels)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/hsa)
add_custom_command(OUTPUT ${hard_code}.co
	COMMAND ${HIPCC} --genco --offload-arch=gfx90a -mcode-object-version=4 -O2 ${hard_dir}/hard_kernels.hip
		-o ${hard_code}.bundle
	COMMAND ${CMAKE_COMMAND} -E env "PATH=/usr/lib/llvm-${PROBE_HIP_LLVM}/bin:$ENV{PATH}"
		${OFFLOAD_BUNDLER} --unbundle --type=o
		--targets=hipv4-amdgcn-amd-amdhsa--gfx90a
		--input=${hard_code}.bundle --output=${hard_code}.co
	DEPENDS ${hard_dir}/hard_kernels.hip COMMENT "hipcc hard_kernels.co" VERBATIM)
add_custom_target(hsa_code_hard_kernels ALL DEPENDS ${hard_code}.co)

add_executable(hsa_hard ${hard_dir}/hsa_hard.c ${hard_dir}/hsa_app.c)
target_include_directories(hsa_hard PRIVATE ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR})
target_compile_definitions(hsa_hard PRIVATE _GNU_SOURCE)
target_link_libraries(hsa_hard PRIVATE probe_flags ${HSA_RUNTIME_LIBRARY} Threads::Threads)
add_executable(hsa_dlclose ${hard_dir}/hsa_dlclose.c)
target_include_directories(hsa_dlclose PRIVATE ${HSA_INCLUDE_DIR})
target_link_libraries(hsa_dlclose PRIVATE probe_flags ${CMAKE_DL_LIBS})

function(probe_hard_test name status)
	probe_test(NAME hsa.hard.${name} TIER hsa FOLDER simgpu
		COMMAND sh ${hard_dir}/expect_end.sh ${status} ${ARGN}
		ENVIRONMENT ${PROBE_SIM_ENVIRONMENT})
endfunction()
foreach(case queues waiters loads lives memory fork)
	probe_hard_test(${case} 0 $<TARGET_FILE:hsa_hard> ${hard_code}.co ${case})
endforeach()
foreach(way exit shut_down destroy quick waiting)
	probe_hard_test(leave_${way} 3 $<TARGET_FILE:hsa_hard> ${hard_code}.co leave_${way})
endforeach()
probe_hard_test(leave_abort 134 $<TARGET_FILE:hsa_hard> ${hard_code}.co leave_abort)
probe_hard_test(leave_kill 137 $<TARGET_FILE:hsa_hard> ${hard_code}.co leave_kill)
probe_hard_test(dlclose 0 $<TARGET_FILE:hsa_dlclose>)
set_property(TEST hsa.hard.memory APPEND PROPERTY ENVIRONMENT
	"TOLERATED=HSA exception: MemoryRegion::BlockAllocator::alloc failed.")
set_property(TEST hsa.hard.leave_shut_down APPEND PROPERTY ENVIRONMENT
	"TOLERATED=Warning: Resource leak detected by .*")

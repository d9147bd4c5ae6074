# SPDX-License-Identifier: MIT
# The machine side of the simulated GPU, with C functions in place of instructions.
if(NOT PROBE_BUILD_SIM)
	return()
endif()

set(machine_dir ${CMAKE_SOURCE_DIR}/simgpu)
find_path(HSAKMT_INCLUDE_DIR hsakmt.h REQUIRED)
find_path(HSA_INCLUDE_DIR hsa/amd_hsa_queue.h REQUIRED)
find_package(Threads REQUIRED)

# Compiled again, because only here may it be sanitized.
get_target_property(machine_files simgpu_machine SOURCES)
list(TRANSFORM machine_files PREPEND ${machine_dir}/)
add_library(simgpu_machine_tested OBJECT ${machine_files}
	${machine_dir}/time_cost.c ${CMAKE_CURRENT_LIST_DIR}/simgpu_fake_isa.c
	${CMAKE_CURRENT_LIST_DIR}/simgpu_runtime.c)
target_include_directories(simgpu_machine_tested PUBLIC ${machine_dir} ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_LIST_DIR}
	${HSAKMT_INCLUDE_DIR} ${HSA_INCLUDE_DIR})
target_compile_definitions(simgpu_machine_tested PUBLIC _GNU_SOURCE)
target_link_libraries(simgpu_machine_tested PUBLIC probe_flags probe_sanitize Threads::Threads)

foreach(name memory near stray sdma place kernel_name timeline engine machine packets)
	add_executable(simgpu_${name}_test ${CMAKE_CURRENT_LIST_DIR}/simgpu_${name}.c)
	target_link_libraries(simgpu_${name}_test PRIVATE simgpu_machine_tested ${CMOCKA_LIBRARY})
	add_test(NAME simgpu.${name} COMMAND simgpu_${name}_test)
	set_tests_properties(simgpu.${name} PROPERTIES LABELS unit TIMEOUT 120)
endforeach()

# Sessions of PC sampling ask the runtime which GPU an agent is.
add_library(simgpu_agents SHARED ${CMAKE_CURRENT_LIST_DIR}/simgpu_agents.c)
target_include_directories(simgpu_agents PRIVATE ${HSA_INCLUDE_DIR})
target_link_libraries(simgpu_agents PRIVATE probe_flags)
set_target_properties(simgpu_agents PROPERTIES OUTPUT_NAME hsa-runtime64 SOVERSION 1
	C_VISIBILITY_PRESET default
	LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/simgpu_agents)
add_executable(simgpu_sampling_test ${CMAKE_CURRENT_LIST_DIR}/simgpu_sampling.c)
target_compile_definitions(simgpu_sampling_test PRIVATE FAKE_RUNTIME="$<TARGET_FILE:simgpu_agents>")
add_dependencies(simgpu_sampling_test simgpu_agents)
target_link_libraries(simgpu_sampling_test PRIVATE simgpu_machine_tested ${CMOCKA_LIBRARY})
add_test(NAME simgpu.sampling COMMAND simgpu_sampling_test)
set_tests_properties(simgpu.sampling PROPERTIES LABELS unit TIMEOUT 120)

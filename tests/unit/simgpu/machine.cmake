# SPDX-License-Identifier: MIT
# The machine side of the simulated GPU, with C functions in place of instructions.
if(NOT PROBE_BUILD_SIM)
	return()
endif()

set(machine_dir ${CMAKE_SOURCE_DIR}/simgpu)
find_path(HSA_INCLUDE_DIR hsa/amd_hsa_queue.h REQUIRED)
find_package(Threads REQUIRED)

# Compiled again, because only here may it be sanitized.
get_target_property(machine_files simgpu_machine SOURCES)
list(TRANSFORM machine_files PREPEND ${machine_dir}/)
set(machine_support ${machine_dir}/base/timing_constants.c ${machine_dir}/mem/code_generation.c
	${CMAKE_CURRENT_LIST_DIR}/fake_isa.c)

# The simulated driver, without the functions it defines in place of the C library's.
get_target_property(driver_files simgpu_driver SOURCES)
list(REMOVE_ITEM driver_files driver/interposed_calls.c)
list(TRANSFORM driver_files PREPEND ${machine_dir}/)
add_library(simgpu_driver_tested OBJECT ${machine_files} ${driver_files} ${machine_support})
target_include_directories(simgpu_driver_tested PUBLIC ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR}
	${machine_dir}/driver)
target_compile_definitions(simgpu_driver_tested PUBLIC _GNU_SOURCE)
target_link_libraries(simgpu_driver_tested PUBLIC probe_flags probe_sanitize Threads::Threads
	${CMAKE_DL_LIBS})
foreach(name driver_calls driver_sampling driver_virtual_memory)
	add_executable(simgpu_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
	target_link_libraries(simgpu_${name} PRIVATE simgpu_driver_tested ${CMOCKA_LIBRARY})
	probe_test(NAME unit.simgpu.${name} TIER unit FOLDER simgpu COMMAND simgpu_${name})
endforeach()
set_property(TEST unit.simgpu.driver_virtual_memory APPEND PROPERTY ENVIRONMENT PROBE_SIM_GPUS=2)
# The MI300X samples stochastically, too.
probe_test(NAME unit.simgpu.driver_sampling.gfx942 TIER unit FOLDER simgpu
	COMMAND simgpu_driver_sampling ENVIRONMENT PROBE_SIM_DEVICE=gfx942)
set_property(TEST unit.simgpu.driver_sampling unit.simgpu.driver_sampling.gfx942 APPEND PROPERTY
	ENVIRONMENT PROBE_SIM_DRIVER_SAMPLING=1)

add_library(simgpu_machine_tested OBJECT ${machine_files} ${machine_support}
	${CMAKE_CURRENT_LIST_DIR}/fake_runtime.c ${CMAKE_CURRENT_LIST_DIR}/gpu_memory.c)
target_include_directories(simgpu_machine_tested PUBLIC ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR})
target_compile_definitions(simgpu_machine_tested PUBLIC _GNU_SOURCE)
target_link_libraries(simgpu_machine_tested PUBLIC probe_flags probe_sanitize Threads::Threads)

function(simgpu_machine_test name)
	add_executable(simgpu_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
	target_link_libraries(simgpu_${name} PRIVATE simgpu_machine_tested ${CMOCKA_LIBRARY})
	probe_test(NAME unit.simgpu.${name} TIER unit FOLDER simgpu COMMAND simgpu_${name})
endfunction()
foreach(name mapped_ranges fault_context stray_pointers sdma_commands wave_slot_claims kernel_symbols
		queue_timelines copy_engine_queues dispatches packets pc_sampling_sessions)
	simgpu_machine_test(${name})
endforeach()

# Sessions of PC sampling ask the runtime which GPU an agent is.
add_library(simgpu_fake_agents SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_agents.c)
target_include_directories(simgpu_fake_agents PRIVATE ${HSA_INCLUDE_DIR})
target_link_libraries(simgpu_fake_agents PRIVATE probe_flags)
set_target_properties(simgpu_fake_agents PROPERTIES OUTPUT_NAME hsa-runtime64 SOVERSION 1
	C_VISIBILITY_PRESET default
	LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/simgpu_fake_agents)
target_compile_definitions(simgpu_pc_sampling_sessions PRIVATE
	FAKE_RUNTIME="$<TARGET_FILE:simgpu_fake_agents>")
add_dependencies(simgpu_pc_sampling_sessions simgpu_fake_agents)

add_executable(simgpu_l1_lookups ${CMAKE_CURRENT_LIST_DIR}/l1_lookups.c
	${machine_dir}/exec/memory/l1_lookups.c)
target_include_directories(simgpu_l1_lookups PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(simgpu_l1_lookups PRIVATE probe_flags probe_sanitize ${CMOCKA_LIBRARY})
probe_test(NAME unit.simgpu.l1_lookups TIER unit FOLDER simgpu COMMAND simgpu_l1_lookups)

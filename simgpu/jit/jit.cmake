# SPDX-License-Identifier: MIT
# libprobe-sim-jit.so: translates hot code; the simulator loads it when there is any. It is not
# built if the headers of hipcc's LLVM are missing; the simulator then only interprets.
find_library(PROBE_SIM_LLVM LLVM-${PROBE_HIP_LLVM} PATHS /usr/lib/llvm-${PROBE_HIP_LLVM}/lib)
find_path(PROBE_SIM_LLVM_INCLUDE llvm-c/LLJIT.h PATHS /usr/lib/llvm-${PROBE_HIP_LLVM}/include NO_DEFAULT_PATH)
if(NOT PROBE_SIM_LLVM OR NOT PROBE_SIM_LLVM_INCLUDE)
	message(STATUS "simgpu: no LLVM ${PROBE_HIP_LLVM}, code is not translated")
	return()
endif()

add_library(probe_sim_jit MODULE jit/emit_block.c jit/emit_float.c jit/emit_operands.c
	jit/emit_salu.c jit/emit_state.c jit/emit_valu.c jit/llvm_session.c)
target_include_directories(probe_sim_jit PRIVATE ${CMAKE_SOURCE_DIR})
target_include_directories(probe_sim_jit SYSTEM PRIVATE ${PROBE_SIM_LLVM_INCLUDE})
target_link_libraries(probe_sim_jit PRIVATE probe_flags probe_relro ${PROBE_SIM_LLVM} Threads::Threads)
set_target_properties(probe_sim_jit PROPERTIES OUTPUT_NAME probe-sim-jit
	LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/probe/sim)
# nodelete: translated code is used until the process ends.
target_link_options(probe_sim_jit PRIVATE -Wl,-z,nodelete)
add_dependencies(probe-sim probe_sim_jit)
install(TARGETS probe_sim_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/probe/sim)

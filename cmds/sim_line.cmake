# SPDX-License-Identifier: MIT
# Builds probe-sim-line into the directory of libprobe-sim.so, which starts it to find the source
# line of a fault.
if(NOT PROBE_BUILD_REPORT OR NOT PROBE_BUILD_SIM)
	return()
endif()

add_executable(probe-sim-line ${CMAKE_CURRENT_LIST_DIR}/sim_line.c)
target_link_libraries(probe-sim-line PRIVATE probe_codeobj probe_common probe_flags)
set_target_properties(probe-sim-line PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/probe/sim)
install(TARGETS probe-sim-line DESTINATION ${CMAKE_INSTALL_LIBDIR}/probe/sim)

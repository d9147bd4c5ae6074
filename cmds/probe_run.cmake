# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
find_package(Threads REQUIRED)

# The git id changes with every commit: written anew at each build, touched only when different.
add_custom_target(probe_version_header
	COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
		-DOUT=${CMAKE_BINARY_DIR}/generated/probe_version.h
		-P ${CMAKE_SOURCE_DIR}/cmake/ProbeVersion.cmake
	BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/probe_version.h
	VERBATIM)

# All of probe-run but main(), for its tests.
file(GLOB run_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/options/*.c
	${CMAKE_CURRENT_LIST_DIR}/record/*.c ${CMAKE_CURRENT_LIST_DIR}/run/*.c)
add_library(probe_run_parts STATIC ${run_sources})
target_include_directories(probe_run_parts PUBLIC ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(probe_run_parts
	PUBLIC probe_store probe_codeobj probe_pcsample probe_wire probe_model Threads::Threads
		${CMAKE_DL_LIBS} stdc++
	PRIVATE probe_flags)
add_dependencies(probe_run_parts probe_version_header)

add_executable(probe-run ${CMAKE_CURRENT_LIST_DIR}/probe_run.c)
target_link_libraries(probe-run PRIVATE probe_run_parts probe_flags)
# What codeobj needs for parts that probe-run does not use must not be loaded at every start: amd-comgr
# alone costs some 40 ms.
target_link_options(probe-run PRIVATE -Wl,--as-needed)
if(TARGET probe-agents)
	add_dependencies(probe-run probe-agents)
endif()
install(TARGETS probe-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

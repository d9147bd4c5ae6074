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
add_library(probe_run_parts STATIC
	${CMAKE_CURRENT_LIST_DIR}/merge.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_account.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_agents.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_allocations.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_code.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_counters.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_filters.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_instances.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_launch.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_names.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_objects.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_options.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_paths.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_plugins.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_records.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_replay.c probe_run_replay_read.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_samples.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_sampling.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_server.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_session.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_late.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_trace.c
	${CMAKE_CURRENT_LIST_DIR}/probe_run_twice.c probe_run_unprobed.c probe_run_kind.c probe_run_device.c probe_run_groups.c proved_rows.c
	counted_rows.c launch_places.c launch_steps.c launch_range.c launch_memo.c proved_cost.c proved_counts.c)
target_include_directories(probe_run_parts PUBLIC ${CMAKE_CURRENT_LIST_DIR}
	${CMAKE_BINARY_DIR}/generated)
target_link_libraries(probe_run_parts
	PUBLIC probe_store probe_codeobj probe_pcsample probe_common Threads::Threads ${CMAKE_DL_LIBS} stdc++
	PRIVATE probe_rules probe_flags)
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

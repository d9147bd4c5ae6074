# SPDX-License-Identifier: MIT
# Golden tests of probe-run: one test per script in run/.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
find_program(SQLITE3_PROGRAM sqlite3 REQUIRED)
add_library(stand_in_profiler MODULE ${CMAKE_CURRENT_LIST_DIR}/run/stand_in_profiler.c)
target_link_libraries(stand_in_profiler PRIVATE probe_flags)
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/run/*.sh)
if(PROBE_SANITIZE)
	# A sanitizer maps terabytes: no limit of memory that programs could live with.
	list(FILTER cases EXCLUDE REGEX "/(handler_memory|soft_limits)\\.sh$")
endif()
foreach(case ${cases})
	get_filename_component(name ${case} NAME_WE)
	probe_test(NAME cmd.run.${name} TIER cmd FOLDER cmds/run
		COMMAND ${CMAKE_CURRENT_LIST_DIR}/golden.sh ${case}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
			TEST_HANDLERS=${CMAKE_CURRENT_BINARY_DIR}/test_handlers
			FAKE_APP=$<TARGET_FILE:fake-app>
			STAND_IN_PROFILER=$<TARGET_FILE:stand_in_profiler>)
endforeach()
probe_test(NAME cmd.run.foreign_lock_long TIER cmd FOLDER cmds/run LONG
	COMMAND ${CMAKE_CURRENT_LIST_DIR}/golden.sh ${CMAKE_CURRENT_LIST_DIR}/run/foreign_lock.sh
	ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} LOCK_SECONDS=300
		TEST_HANDLERS=${CMAKE_CURRENT_BINARY_DIR}/test_handlers FAKE_APP=$<TARGET_FILE:fake-app>)

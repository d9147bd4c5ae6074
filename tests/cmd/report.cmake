# SPDX-License-Identifier: MIT
# Golden tests of probe-report: one test per script in report/, on hand-written databases.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
find_program(SQLITE3_PROGRAM sqlite3 REQUIRED)
find_program(JQ_PROGRAM jq REQUIRED)
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/report/*.sh)
foreach(case ${cases})
	get_filename_component(name ${case} NAME_WE)
	probe_test(NAME cmd.report.${name} TIER cmd FOLDER cmds/report
		COMMAND ${CMAKE_CURRENT_LIST_DIR}/golden.sh ${case}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
			TEST_HANDLERS=${CMAKE_CURRENT_BINARY_DIR}/test_handlers
			FAKE_APP=$<TARGET_FILE:fake-app> SANITIZED=${PROBE_SANITIZE})
endforeach()
probe_test(NAME cmd.report.cut_databases_long TIER cmd FOLDER cmds/report LONG
	COMMAND ${CMAKE_CURRENT_LIST_DIR}/golden.sh ${CMAKE_CURRENT_LIST_DIR}/report/cut_databases.sh
	ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} STEP=64
		TEST_HANDLERS=${CMAKE_CURRENT_BINARY_DIR}/test_handlers FAKE_APP=$<TARGET_FILE:fake-app>)
probe_test(NAME cmd.compatibility TIER cmd FOLDER cmake
	COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/compatibility.py)
probe_test(NAME cmd.report.schemas TIER cmd FOLDER cmds/report
	COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/json_schema.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
		${CMAKE_SOURCE_DIR}/docs/schema)

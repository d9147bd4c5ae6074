# SPDX-License-Identifier: MIT
# Real programs, real runtimes, the simulated GPU: tests/e2e/<name>.sh, one ctest each.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT) OR PROBE_SANITIZE)
	return()
endif()

file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.sh)
foreach(script ${scripts})
	get_filename_component(name ${script} NAME_WE)
	if(name STREQUAL "lib")
		continue()
	endif()
	add_test(NAME e2e.${name} COMMAND sh ${script} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
	set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()

# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	add_test(NAME cmd.config COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/config.sh
		${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
	set_tests_properties(cmd.config PROPERTIES LABELS cmd TIMEOUT 60)
endif()

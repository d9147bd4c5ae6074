# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_test(NAME cmd.config TIER cmd FOLDER cmds
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/config.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
endif()

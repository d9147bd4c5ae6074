# SPDX-License-Identifier: MIT
# Completions of shells against the options that the programs print.
if(PROBE_BUILD_REPORT)
	probe_test(NAME cmd.completion TIER cmd FOLDER completions
		COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/completion.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
			${CMAKE_SOURCE_DIR})
endif()

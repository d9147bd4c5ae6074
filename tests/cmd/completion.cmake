# SPDX-License-Identifier: MIT
# Shell completions compared with the options that the programs print.
find_program(FISH_PROGRAM fish)
if(PROBE_BUILD_REPORT)
	probe_test(NAME cmd.completion.bash TIER cmd FOLDER completions
		COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/completion.sh bash
			${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
endif()
if(PROBE_BUILD_REPORT AND FISH_PROGRAM)
	probe_test(NAME cmd.completion.fish TIER cmd FOLDER completions
		COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/completion.sh fish
			${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
endif()

# SPDX-License-Identifier: MIT
# Shell completions compared with the options that the programs print.
if(PROBE_BUILD_REPORT)
	probe_test(NAME cmd.completion.bash TIER cmd FOLDER completions
		COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/completion.sh bash
			${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
endif()
foreach(shell zsh fish)
	string(TOUPPER ${shell} upper)
	find_program(${upper}_PROGRAM ${shell})
	if(PROBE_BUILD_REPORT AND ${upper}_PROGRAM)
		probe_test(NAME cmd.completion.${shell} TIER cmd FOLDER completions
			COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/completion.sh ${shell}
				${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${CMAKE_SOURCE_DIR})
	endif()
endforeach()

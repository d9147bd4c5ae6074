# SPDX-License-Identifier: MIT
# Calls of the recorder fail (goal R5 of docs/reliability.md), or it is killed before them (R2).
if(NOT PROBE_BUILD_REPORT OR PROBE_SANITIZE)
	return()
endif()
set(calls_dir ${CMAKE_CURRENT_LIST_DIR}/calls)
add_library(fail_call MODULE ${calls_dir}/fail_call.c)
target_link_libraries(fail_call PRIVATE probe_flags ${CMAKE_DL_LIBS})
set_target_properties(fail_call PROPERTIES C_VISIBILITY_PRESET default)

set(kill_at_calls Python3::Interpreter ${calls_dir}/kill_at_calls.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
	$<TARGET_FILE:fake-app> ${CMAKE_CURRENT_BINARY_DIR}/test_handlers $<TARGET_FILE:fail_call>)
probe_test(NAME cmd.kills_at_calls TIER cmd FOLDER cmds/run COMMAND ${kill_at_calls} 9)
probe_test(NAME cmd.kills_at_calls_long TIER cmd FOLDER cmds/run LONG COMMAND ${kill_at_calls} 1)
# probe_error_test(NAME STEP [LONG])
function(probe_error_test name step)
	probe_test(NAME cmd.${name} TIER cmd FOLDER cmds/run ${ARGN}
		COMMAND Python3::Interpreter ${calls_dir}/errors.py $<TARGET_FILE:fail_call> ${step}
			${CMAKE_CURRENT_BINARY_DIR}/${name}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} PROBE_DEVICE=sim
			FAKE_APP=$<TARGET_FILE:fake-app>)
endfunction()
probe_error_test(call_errors 13)
probe_error_test(call_errors_each 1 LONG)

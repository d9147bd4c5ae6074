# SPDX-License-Identifier: MIT
# SIGKILL at random times (goal R2 of docs/reliability.md): some in `make check`, 900 in `make check-long`.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
set(kills Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/kills.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
	$<TARGET_FILE:fake-app> ${CMAKE_CURRENT_BINARY_DIR}/test_handlers)
probe_test(NAME cmd.kills TIER cmd FOLDER cmds/run COMMAND ${kills} 18)
probe_test(NAME cmd.kills_long TIER cmd FOLDER cmds/run LONG COMMAND ${kills} 900 2)
# Nothing grows: two runs of 40 programs in `make check`, two hours of
# longer ones in `make check-long`. The sanitizers' own memory does grow.
if(PROBE_SANITIZE)
	return()
endif()
set(soak Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/soak.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
	$<TARGET_FILE:fake-app> ${CMAKE_CURRENT_BINARY_DIR}/test_handlers)
probe_test(NAME cmd.soak TIER cmd FOLDER cmds/run COMMAND ${soak} 0)
probe_test(NAME cmd.soak_long TIER cmd FOLDER cmds/run LONG COMMAND ${soak} 7200 150)

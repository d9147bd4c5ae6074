# SPDX-License-Identifier: MIT
# Allocations fail (goal R4 of docs/reliability.md): some in `make check`, each in `make check-long`.
if(NOT PROBE_BUILD_REPORT OR PROBE_SANITIZE)
	return()
endif()
add_library(fail_allocation MODULE ${CMAKE_CURRENT_LIST_DIR}/oom/fail_allocation.c)
target_link_libraries(fail_allocation PRIVATE probe_flags ${CMAKE_DL_LIBS})
set_target_properties(fail_allocation PROPERTIES C_VISIBILITY_PRESET default)
set(oom_dir ${CMAKE_CURRENT_LIST_DIR}/oom)

# probe_oom_test(NAME STEP_OF_REPORT STEP_OF_RUN STEP_OF_RECOVER [LONG])
function(probe_oom_test suffix report run recover)
	probe_test(NAME cmd.oom.report${suffix} TIER cmd FOLDER cmds/report ${ARGN}
		COMMAND ${oom_dir}/report.sh ${report} ${CMAKE_CURRENT_BINARY_DIR}/oom_report${suffix}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} TERM=dumb LC_ALL=C
			FAIL_ALLOCATION=$<TARGET_FILE:fail_allocation>)
	probe_test(NAME cmd.oom.run${suffix} TIER cmd FOLDER cmds/run ${ARGN}
		COMMAND Python3::Interpreter ${oom_dir}/run.py $<TARGET_FILE:fail_allocation> ${run}
			${CMAKE_CURRENT_BINARY_DIR}/oom_run${suffix}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} PROBE_DEVICE=sim
			FAKE_APP=$<TARGET_FILE:fake-app>)
	probe_test(NAME cmd.oom.recover${suffix} TIER cmd FOLDER cmds/run ${ARGN}
		COMMAND Python3::Interpreter ${oom_dir}/recover.py $<TARGET_FILE:fail_allocation>
			$<TARGET_FILE:fail_call> ${recover} ${CMAKE_CURRENT_BINARY_DIR}/oom_recover${suffix}
		ENVIRONMENT PROBE_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY} PROBE_DEVICE=sim
			FAKE_APP=$<TARGET_FILE:fake-app>)
endfunction()
probe_oom_test("" 503 181 4001)
probe_oom_test(_each 1 1 1 LONG)

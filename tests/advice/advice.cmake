# SPDX-License-Identifier: MIT
# Applies the advice of findings and measures again: a part of the cases, and all of them.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT) OR PROBE_SANITIZE OR
   NOT Python3_FOUND)
	return()
endif()
foreach(kind memory trace)
	probe_test(NAME e2e.advice_cases.${kind} TIER e2e FOLDER handlers COMMAND Python3::Interpreter
		${CMAKE_CURRENT_LIST_DIR}/advice.py ${CMAKE_BINARY_DIR} --kind ${kind} --share 40)
	probe_test(NAME e2e.advice_cases_all.${kind} LONG TIER e2e FOLDER handlers COMMAND Python3::Interpreter
		${CMAKE_CURRENT_LIST_DIR}/advice.py ${CMAKE_BINARY_DIR} --kind ${kind})
endforeach()

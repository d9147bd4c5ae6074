# SPDX-License-Identifier: MIT
# Advice, tested by doing what it says: a share of the cases, and all of them.
if(NOT TARGET probe_plugin_memory OR NOT HIPCC OR NOT TARGET hsakmt)
	return()
endif()
foreach(kind memory trace)
	probe_test(NAME e2e.advice_cases.${kind} TIER e2e FOLDER handlers COMMAND ${Python3_EXECUTABLE}
		${CMAKE_CURRENT_LIST_DIR}/advice.py ${CMAKE_BINARY_DIR} --kind ${kind} --share 40)
	probe_test(NAME e2e.advice_cases_all.${kind} LONG TIER e2e FOLDER handlers COMMAND ${Python3_EXECUTABLE}
		${CMAKE_CURRENT_LIST_DIR}/advice.py ${CMAKE_BINARY_DIR} --kind ${kind})
endforeach()

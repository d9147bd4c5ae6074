# SPDX-License-Identifier: MIT
# Parts of libprobe-hsa.so that need no runtime.
if(NOT TARGET probe_hsa_parts)
	return()
endif()
foreach(test api_table kernargs filters occupancy sampler tables)
	add_executable(unit_hsa_${test} ${CMAKE_CURRENT_LIST_DIR}/hsa_${test}.c)
	target_link_libraries(unit_hsa_${test} PRIVATE probe_hsa_parts probe_wire probe_flags
		probe_sanitize ${CMOCKA_LIBRARY} ${CMAKE_DL_LIBS})
	probe_test(NAME unit.hsa.${test} TIER unit FOLDER hsa-plugin COMMAND unit_hsa_${test})
endforeach()
# Sessions that hang, or were refused, are left behind.
set_tests_properties(unit.hsa.sampler PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
# Filters and outgrown kernel tables live as long as the process: dispatching threads read them
# without a lock. The leak check would report them.
set_tests_properties(unit.hsa.filters unit.hsa.tables PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)

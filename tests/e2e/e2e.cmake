# SPDX-License-Identifier: MIT
# Real programs, real runtimes, the simulated GPU: tests/e2e/<name>.sh, one ctest each.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT) OR PROBE_SANITIZE)
	return()
endif()

file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.sh)
foreach(script ${scripts})
	get_filename_component(name ${script} NAME_WE)
	if(name STREQUAL "lib")
		continue()
	endif()
	add_test(NAME e2e.${name} COMMAND sh ${script} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
	set_tests_properties(e2e.${name} PROPERTIES LABELS e2e TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()

# The same with portable probes, as RDNA gets them.
foreach(name groups intrinsics messages time)
	add_test(NAME e2e.${name}_portable
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/${name}.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
	set_tests_properties(e2e.${name}_portable PROPERTIES LABELS e2e TIMEOUT 300
		ENVIRONMENT "PROBE_PORTABLE=1;test=${name}_portable")
endforeach()

# Which line each instruction belongs to, for the comparison of probes with the machine.
add_executable(isa_lines ${CMAKE_CURRENT_LIST_DIR}/isa/isa_lines.c)
target_include_directories(isa_lines PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(isa_lines PRIVATE probe_codeobj probe_store probe_common probe_flags)
set_target_properties(isa_lines PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

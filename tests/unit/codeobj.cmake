# SPDX-License-Identifier: MIT
if(NOT TARGET probe_codeobj)
	return()
endif()
foreach(name sites read inlines hostile)
	add_executable(unit_codeobj_${name} ${CMAKE_CURRENT_LIST_DIR}/codeobj_${name}.c)
	target_link_libraries(unit_codeobj_${name} PRIVATE probe_codeobj probe_flags ${CMOCKA_LIBRARY})
	target_compile_definitions(unit_codeobj_${name} PRIVATE
		PROBE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
	probe_test(NAME unit.codeobj.${name} TIER unit FOLDER codeobj COMMAND unit_codeobj_${name})
endforeach()

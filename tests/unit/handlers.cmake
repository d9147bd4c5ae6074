# SPDX-License-Identifier: MIT
if(NOT TARGET probe_rules)
	return()
endif()
foreach(name lds_model coalesce memory)
	add_executable(unit_handlers_${name} ${CMAKE_CURRENT_LIST_DIR}/handlers_${name}.c)
	target_link_libraries(unit_handlers_${name} PRIVATE probe_rules probe_flags ${CMOCKA_LIBRARY})
	target_compile_definitions(unit_handlers_${name} PRIVATE
		PROBE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
	add_test(NAME handlers.${name} COMMAND unit_handlers_${name})
endforeach()
target_sources(unit_handlers_memory PRIVATE ${CMAKE_SOURCE_DIR}/handlers/memory.c)

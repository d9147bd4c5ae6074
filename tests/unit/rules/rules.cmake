# SPDX-License-Identifier: MIT
foreach(name lds_model cache_lines)
	add_executable(unit_rules_${name} ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
	target_link_libraries(unit_rules_${name} PRIVATE probe_rules probe_flags ${CMOCKA_LIBRARY})
	target_compile_definitions(unit_rules_${name} PRIVATE
		PROBE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
	add_test(NAME rules.${name} COMMAND unit_rules_${name})
	set_tests_properties(rules.${name} PROPERTIES LABELS "unit;rules")
endforeach()

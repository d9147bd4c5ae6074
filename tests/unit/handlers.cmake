# SPDX-License-Identifier: MIT
if(NOT TARGET probe_rules)
	return()
endif()
set(plugins memory divergence heatmap cache log race time)
foreach(name advice advice_global arrays ${plugins})
	add_executable(unit_handlers_${name} ${CMAKE_CURRENT_LIST_DIR}/handlers_${name}.c)
	target_link_libraries(unit_handlers_${name} PRIVATE
		probe_handler_parts probe_advice probe_flags ${CMOCKA_LIBRARY} m)
	target_compile_definitions(unit_handlers_${name} PRIVATE
		PROBE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
	probe_test(NAME unit.handlers.${name} TIER unit FOLDER handlers COMMAND unit_handlers_${name})
endforeach()
foreach(name ${plugins})
	target_sources(unit_handlers_${name} PRIVATE ${CMAKE_SOURCE_DIR}/handlers/${name}.c)
endforeach()
target_sources(unit_handlers_cache PRIVATE ${CMAKE_SOURCE_DIR}/handlers/cache_rows.c)
target_sources(unit_handlers_heatmap PRIVATE ${CMAKE_SOURCE_DIR}/handlers/heatmap_rows.c)
target_sources(unit_handlers_memory PRIVATE ${CMAKE_SOURCE_DIR}/handlers/memory_rows.c)
target_sources(unit_handlers_time PRIVATE ${CMAKE_SOURCE_DIR}/handlers/time_rows.c)
foreach(name advice advice_global arrays)
	target_sources(unit_handlers_${name} PRIVATE
		${CMAKE_SOURCE_DIR}/handlers/memory.c ${CMAKE_SOURCE_DIR}/handlers/memory_rows.c)
endforeach()
# The n-th write fails.
target_link_options(unit_handlers_log PRIVATE -Wl,--wrap=write)

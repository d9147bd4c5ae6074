# SPDX-License-Identifier: MIT
# probe-run and the store, with a fake application in place of a GPU program.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()

add_library(fake_app STATIC ${CMAKE_CURRENT_LIST_DIR}/fake_app.c)
target_include_directories(fake_app PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_link_libraries(fake_app PUBLIC probe_wire PRIVATE probe_pcsample probe_flags)
add_executable(fake-app ${CMAKE_CURRENT_LIST_DIR}/fake_app_main.c)
target_link_libraries(fake-app PRIVATE fake_app probe_flags)
set_target_properties(fake-app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

# Handlers good and bad: same source, one thing different.
function(test_handler name)
	add_library(${name} MODULE ${CMAKE_SOURCE_DIR}/tests/unit/run_handler_count.c)
	target_link_libraries(${name} PRIVATE probe_headers probe_flags)
	target_compile_definitions(${name} PRIVATE ${ARGN})
	set_target_properties(${name} PROPERTIES PREFIX ""
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/test_handlers)
endfunction()
test_handler(count)
test_handler(old_abi TEST_ABI=0)
test_handler(new_abi TEST_ABI=9)
test_handler(no_symbol TEST_NO_SYMBOL)

foreach(test names segment_reader trace_parser trace_widen trace_pack arena options regular proved_rows proved_counts counted_rows launch_places launch_range launch_memo store unprobed)
	add_executable(unit_run_${test} ${CMAKE_CURRENT_LIST_DIR}/run_${test}.c)
	target_compile_definitions(unit_run_${test} PRIVATE
		TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
	target_link_libraries(unit_run_${test} PRIVATE probe_cmd_run probe_flags ${CMOCKA_LIBRARY})
	target_link_options(unit_run_${test} PRIVATE -Wl,--as-needed)
	probe_test(NAME unit.run.${test} TIER unit FOLDER cmds COMMAND unit_run_${test})
endforeach()

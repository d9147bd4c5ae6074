# SPDX-License-Identifier: MIT
# Programs that replace a GPU program and real handlers in the tests of probe-run and probe-report.
if(NOT PROBE_BUILD_REPORT)
	return()
endif()

add_executable(fake-app ${CMAKE_CURRENT_LIST_DIR}/fake_app.c
	${CMAKE_CURRENT_LIST_DIR}/fake_app_main.c)
target_link_libraries(fake-app PRIVATE probe_wire probe_pcsample probe_flags)
set_target_properties(fake-app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})

# Valid and broken handlers: the same source with one difference.
function(test_handler name source)
	add_library(${name} MODULE ${CMAKE_SOURCE_DIR}/tests/cmd/fake_app/${source})
	target_link_libraries(${name} PRIVATE probe_headers probe_flags)
	target_compile_definitions(${name} PRIVATE ${ARGN})
	set_target_properties(${name} PROPERTIES PREFIX ""
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/test_handlers)
endfunction()
test_handler(count test_handler.c)
test_handler(old_abi test_handler.c TEST_ABI=0)
test_handler(new_abi test_handler.c TEST_ABI=9)
test_handler(no_symbol test_handler.c TEST_NO_SYMBOL)
test_handler(short_struct refused_handler.c REFUSED_SIZE=4)
test_handler(long_struct refused_handler.c REFUSED_SIZE=sizeof\(struct\ longer\))
test_handler(bad_name refused_handler.c REFUSED_NAME="a-b")
test_handler(no_streams refused_handler.c REFUSED_STREAMS=1u<<31)
test_handler(no_batch refused_handler.c REFUSED_BATCH=NULL)

# Not sanitized: it is preloaded into programs that are not, such as sh.
foreach(name nothing kill_child)
	add_library(${name} MODULE ${CMAKE_SOURCE_DIR}/tests/cmd/fake_app/${name}.c)
	target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
	set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET default
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/test_handlers/preload)
endforeach()

# SPDX-License-Identifier: MIT
probe_unit_tests(wire LIBRARIES probe_wire)

# The many-threads case again under the thread sanitizer, whatever the build is.
if(NOT PROBE_SANITIZE)
	add_executable(unit_wire_segment_tsan ${CMAKE_CURRENT_LIST_DIR}/segment_writer.c
		${CMAKE_SOURCE_DIR}/wire/segment_writer.c ${CMAKE_SOURCE_DIR}/common/crc32.c)
	target_include_directories(unit_wire_segment_tsan PRIVATE ${CMAKE_SOURCE_DIR})
	target_compile_options(unit_wire_segment_tsan PRIVATE -fsanitize=thread)
	target_link_options(unit_wire_segment_tsan PRIVATE -fsanitize=thread)
	target_link_libraries(unit_wire_segment_tsan PRIVATE probe_headers probe_flags ${CMOCKA_LIBRARY})
	probe_test(NAME unit.wire.segment_tsan TIER unit FOLDER wire COMMAND unit_wire_segment_tsan)
endif()

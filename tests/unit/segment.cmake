# SPDX-License-Identifier: MIT
# Checksum and segment writer (common/).
foreach(test crc32 segment)
	add_executable(unit_common_${test} ${CMAKE_CURRENT_LIST_DIR}/common_${test}.c)
	target_include_directories(unit_common_${test} PRIVATE ${CMAKE_CURRENT_LIST_DIR})
	target_compile_definitions(unit_common_${test} PRIVATE _GNU_SOURCE)
	target_link_libraries(unit_common_${test} PRIVATE probe_wire probe_flags probe_sanitize ${CMOCKA_LIBRARY})
	probe_test(NAME unit.common.${test} TIER unit FOLDER common COMMAND unit_common_${test})
endforeach()

# The many-threads case again under the thread sanitizer, whatever the build is.
if(NOT PROBE_SANITIZE)
	add_executable(unit_common_segment_tsan ${CMAKE_CURRENT_LIST_DIR}/common_segment.c
		${CMAKE_SOURCE_DIR}/wire/segment_writer.c ${CMAKE_SOURCE_DIR}/common/crc32.c)
	target_include_directories(unit_common_segment_tsan PRIVATE ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_SOURCE_DIR})
	target_compile_definitions(unit_common_segment_tsan PRIVATE _GNU_SOURCE)
	target_compile_options(unit_common_segment_tsan PRIVATE -fsanitize=thread)
	target_link_options(unit_common_segment_tsan PRIVATE -fsanitize=thread)
	target_link_libraries(unit_common_segment_tsan PRIVATE probe_headers probe_flags ${CMOCKA_LIBRARY})
	probe_test(NAME unit.common.segment_tsan TIER unit FOLDER wire COMMAND unit_common_segment_tsan)
endif()

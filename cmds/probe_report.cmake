# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()

file(GLOB report_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/report/*.c)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

# Style sheet and scripts of the HTML page, joined; html_page.c includes their bytes.
set(page_dir ${CMAKE_BINARY_DIR}/generated/page)
file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/report-html/*)
add_custom_command(OUTPUT ${page_dir}/page.js ${page_dir}/page.css ${page_dir}/page_hashes.h
	COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/report-html -DOUT=${page_dir}
		-P ${PROJECT_SOURCE_DIR}/cmake/PageParts.cmake
	DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/cmake/PageParts.cmake VERBATIM)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/report/html_page.c PROPERTIES
	OBJECT_DEPENDS "${page_dir}/page.js;${page_dir}/page.css;${page_dir}/page_hashes.h"
	INCLUDE_DIRECTORIES ${page_dir}
	COMPILE_DEFINITIONS "PAGE_STYLE=\"${page_dir}/page.css\";PAGE_PROGRAM=\"${page_dir}/page.js\"")

add_library(probe_cmd_report STATIC ${report_sources})
target_include_directories(probe_cmd_report PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(probe_cmd_report
	PUBLIC probe_cmd_record probe_rules ZLIB::ZLIB PkgConfig::JANSSON m PRIVATE probe_flags probe_harden)
add_dependencies(probe_cmd_report probe_version_header)

add_executable(probe-report ${CMAKE_CURRENT_LIST_DIR}/probe_report.c ${CMAKE_CURRENT_LIST_DIR}/wrap_allocations.c)
target_link_libraries(probe-report PRIVATE probe_cmd_report probe_flags probe_harden)
target_link_options(probe-report PRIVATE -pie ${PROBE_WRAP_ALLOCATIONS})
install(TARGETS probe-report RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

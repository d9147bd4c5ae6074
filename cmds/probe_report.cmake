# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()

file(GLOB report_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/report/*.c)
add_executable(probe-report ${CMAKE_CURRENT_LIST_DIR}/probe_report.c ${report_sources})
target_include_directories(probe-report PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(probe-report PRIVATE
	probe_cmd_record probe_rules probe_flags m)
add_dependencies(probe-report probe_version_header)
install(TARGETS probe-report RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

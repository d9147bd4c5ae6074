# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()

add_executable(probe-report
	${CMAKE_CURRENT_LIST_DIR}/merge.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_annotate.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_counts.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_export.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_findings.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_info.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_join.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_kernels.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_lines.c probe_report_list.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_replay.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_samples.c
	${CMAKE_CURRENT_LIST_DIR}/probe_report_tables.c
	${CMAKE_CURRENT_LIST_DIR}/report_account.c
	${CMAKE_CURRENT_LIST_DIR}/report_code.c
	${CMAKE_CURRENT_LIST_DIR}/report_filter.c
	${CMAKE_CURRENT_LIST_DIR}/report_no_samples.c
	${CMAKE_CURRENT_LIST_DIR}/report_position.c
	${CMAKE_CURRENT_LIST_DIR}/report_query.c
	${CMAKE_CURRENT_LIST_DIR}/report_runs.c
	${CMAKE_CURRENT_LIST_DIR}/report_source.c
	${CMAKE_CURRENT_LIST_DIR}/report_text.c
	${CMAKE_CURRENT_LIST_DIR}/report_unpack.c
	${CMAKE_CURRENT_LIST_DIR}/report_vtab.c)
target_include_directories(probe-report PRIVATE ${CMAKE_CURRENT_LIST_DIR}
	${CMAKE_BINARY_DIR}/generated)
target_link_libraries(probe-report PRIVATE
	probe_run_parts probe_store probe_codeobj probe_pcsample probe_rules probe_common probe_flags m)
add_dependencies(probe-report probe_version_header)
install(TARGETS probe-report RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

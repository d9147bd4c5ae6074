# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
add_executable(probe-config ${CMAKE_CURRENT_LIST_DIR}/probe_config.c)
target_include_directories(probe-config PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(probe-config PRIVATE PROBE_HIP_LLVM=${PROBE_HIP_LLVM})
target_link_libraries(probe-config PRIVATE probe_common probe_flags probe_sanitize)
# cmds/probe_run.cmake creates it.
add_dependencies(probe-config probe_version_header)
install(TARGETS probe-config RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

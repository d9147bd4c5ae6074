# SPDX-License-Identifier: MIT
if(NOT PROBE_BUILD_REPORT)
	return()
endif()
find_package(Threads REQUIRED)

# The git id changes with every commit: the header is generated at each build, but touched only if
# it changes.
add_custom_target(probe_version_header
	COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
		-DOUT=${CMAKE_BINARY_DIR}/generated/probe_version.h
		-P ${CMAKE_SOURCE_DIR}/cmake/ProbeVersion.cmake
	BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/probe_version.h
	VERBATIM)

# Each folder below cmds/ is a library that may use those before it: options <- record <- run.
foreach(folder options record run)
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/${folder}/*.c)
	add_library(probe_cmd_${folder} STATIC ${sources})
	target_link_libraries(probe_cmd_${folder} PRIVATE probe_flags probe_harden)
	target_include_directories(probe_cmd_${folder} PRIVATE ${CMAKE_BINARY_DIR}/generated)
	add_dependencies(probe_cmd_${folder} probe_version_header)
endforeach()
target_link_libraries(probe_cmd_options PUBLIC probe_codeobj probe_common ${CMAKE_DL_LIBS})
# libstdc++ provides __cxa_demangle().
target_link_libraries(probe_cmd_record
	PUBLIC probe_cmd_options probe_store probe_codeobj probe_pcsample probe_wire probe_model
		Threads::Threads stdc++)
target_link_libraries(probe_cmd_run PUBLIC probe_cmd_record)

add_executable(probe-run ${CMAKE_CURRENT_LIST_DIR}/probe_run.c ${CMAKE_CURRENT_LIST_DIR}/wrap_allocations.c)
target_link_libraries(probe-run PRIVATE probe_cmd_run probe_flags probe_harden)
target_link_options(probe-run PRIVATE -pie ${PROBE_WRAP_ALLOCATIONS})
# Libraries that only other parts of codeobj need must not be loaded at every start: amd-comgr alone
# costs some 40 ms.
target_link_options(probe-run PRIVATE -Wl,--as-needed)
if(TARGET probe-agents)
	add_dependencies(probe-run probe-agents)
endif()
install(TARGETS probe-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# SPDX-License-Identifier: MIT
# probe-run starts this program to query the agents and their sampling methods.
if(NOT PROBE_BUILD_REPORT OR NOT PROBE_BUILD_HSA)
	return()
endif()
find_path(HSA_INCLUDE_DIR hsa/hsa.h REQUIRED)

add_executable(probe-agents ${CMAKE_CURRENT_LIST_DIR}/probe_agents.c)
target_include_directories(probe-agents PRIVATE ${CMAKE_SOURCE_DIR} ${HSA_INCLUDE_DIR})
target_link_libraries(probe-agents PRIVATE probe_common_plain probe_flags ${CMAKE_DL_LIBS})
set_target_properties(probe-agents PROPERTIES
	RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/probe)
install(TARGETS probe-agents DESTINATION lib/probe)

# SPDX-License-Identifier: MIT
if(PROBE_BUILD_REPORT)
	probe_test(NAME cmd.debian_root TIER cmd FOLDER cmake
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/debian_root.sh ${CMAKE_SOURCE_DIR})
endif()

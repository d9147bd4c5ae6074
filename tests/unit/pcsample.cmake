# SPDX-License-Identifier: MIT
if(NOT TARGET probe_pcsample)
	return()
endif()
foreach(name decode attribute profile)
	add_executable(unit_pcsample_${name} ${CMAKE_CURRENT_LIST_DIR}/pcsample_${name}.c)
	target_link_libraries(unit_pcsample_${name} PRIVATE probe_pcsample probe_flags ${CMOCKA_LIBRARY})
	probe_test(NAME unit.pcsample.${name} TIER unit FOLDER pcsample COMMAND unit_pcsample_${name})
endforeach()

# SPDX-License-Identifier: MIT
# hipcc's LLVM: the major for which the plugin is required, and with which tests and examples are
# compiled. Without hipcc it is Debian 12's.
find_program(HIPCC hipcc)
set(PROBE_HIP_LLVM 15)
if(HIPCC)
	execute_process(COMMAND ${HIPCC} --version OUTPUT_VARIABLE hipcc_version ERROR_QUIET)
	if(hipcc_version MATCHES "clang version ([0-9]+)")
		set(PROBE_HIP_LLVM ${CMAKE_MATCH_1})
	endif()
endif()

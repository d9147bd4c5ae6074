# SPDX-License-Identifier: MIT
# The pass with lit and FileCheck of LLVM 15 (package llvm-15-tools), always with the verifier.
if(NOT PROBE_BUILD_PASS OR PROBE_SANITIZE)
	return()
endif()
set(lit /usr/lib/llvm-15/build/utils/lit/lit.py)
find_program(PROBE_HIPCC hipcc)
find_package(Python3 COMPONENTS Interpreter)
if(NOT EXISTS ${lit} OR NOT EXISTS /usr/lib/llvm-15/bin/FileCheck OR NOT PROBE_HIPCC OR NOT Python3_FOUND)
	message(FATAL_ERROR "tests/pass needs llvm-15-tools, python3 and hipcc (or -DPROBE_BUILD_TESTS=OFF)")
endif()
set(pass_out ${CMAKE_BINARY_DIR}/tests/pass)
file(MAKE_DIRECTORY ${pass_out})
probe_test(NAME pass.lit TIER pass FOLDER llvm-plugin
	COMMAND Python3::Interpreter ${lit} -v -j2 ${CMAKE_CURRENT_LIST_DIR}
	ENVIRONMENT PASS_TEST_DIR=${pass_out} PASS_LLVM_BIN=/usr/lib/llvm-15/bin
		PASS_PLUGINS=${CMAKE_BINARY_DIR}/lib/probe PASS_HIPCC=${PROBE_HIPCC})

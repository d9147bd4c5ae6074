# SPDX-License-Identifier: MIT
# The pass with lit and FileCheck of LLVM 15 (package llvm-15-tools), always with the verifier. The
# expected IR and costs are LLVM 15's, so with a hipcc of another LLVM these tests are left out.
if(NOT PROBE_BUILD_PASS OR PROBE_SANITIZE OR NOT PROBE_HIP_LLVM EQUAL 15)
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

# What the memory kind costs, in instructions of the simulated GPU: exact, so no test of speed. A limit is one
# hundredth above what it was when it was set. Programs and limits:
if(PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT)
	set(pass_costs
		examples/transpose 1.27 examples/strided_copy 1.3 examples/reduction 1.2
		examples/histogram 7.6 examples/convolution 2.04
		tests/hip/matmul 4.5 tests/hip/stencils 1.66 tests/hip/sorting 12.9
		tests/hip/hashing 2.92 tests/hip/physics 1.82)
	while(pass_costs)
		list(POP_FRONT pass_costs program limit)
		get_filename_component(name ${program} NAME)
		probe_test(NAME pass.cost.${name} TIER pass FOLDER llvm-plugin
			COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/probe_cost.py ${CMAKE_BINARY_DIR}
				${PROBE_HIPCC} ${CMAKE_SOURCE_DIR}/${program}.hip ${limit})
	endwhile()
endif()

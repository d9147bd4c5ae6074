# SPDX-License-Identifier: MIT
# Random kernels, compiled with and without the plugin.
if(NOT PROBE_BUILD_PASS OR PROBE_SANITIZE OR NOT TARGET probe_pass_15)
	return()
endif()
set(fuzz_compile Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/compile_kernels.py --clang
	/usr/lib/llvm-15/bin/clang++ --plugin $<TARGET_FILE:probe_pass_15>)
probe_test(NAME fuzz.compile TIER fuzz FOLDER llvm-plugin COMMAND ${fuzz_compile} --seed 1 --count 30)
# Kernels that once failed: a workgroup id in vector registers, as a scalar operand of the time
# kind.
probe_test(NAME fuzz.compile_found TIER fuzz FOLDER llvm-plugin COMMAND ${fuzz_compile} --seed 3 --first 110 --count 10)
probe_test(NAME fuzz.compile_all TIER fuzz FOLDER llvm-plugin LONG
	COMMAND ${fuzz_compile} --seed 2 --count 20000 --jobs 2)

# SPDX-License-Identifier: MIT
find_package(Python3 COMPONENTS Interpreter REQUIRED)
# Segments that an application has damaged, or not finished: goals R6 and R7 of docs/reliability.md.
if(PROBE_BUILD_REPORT AND NOT PROBE_SANITIZE)
	add_executable(hostile_segments ${CMAKE_CURRENT_LIST_DIR}/hostile_segments.c
		${CMAKE_CURRENT_LIST_DIR}/hostile_recording.c
		${CMAKE_SOURCE_DIR}/tests/cmd/fake_app/fake_app.c)
	target_link_libraries(hostile_segments PRIVATE probe_cmd_record probe_flags)
	target_link_options(hostile_segments PRIVATE -Wl,--as-needed -Wl,--wrap=malloc -Wl,--wrap=calloc
		-Wl,--wrap=realloc)
	probe_test(NAME fuzz.hostile_segments TIER fuzz FOLDER cmds/record COMMAND hostile_segments 150)
	probe_test(NAME fuzz.hostile_segments_long TIER fuzz FOLDER cmds/record LONG
		COMMAND hostile_segments 10000 1000)
	probe_test(NAME fuzz.options TIER fuzz FOLDER cmds/options COMMAND Python3::Interpreter
		${CMAKE_CURRENT_LIST_DIR}/random_options.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} 60)
	probe_test(NAME fuzz.options_long TIER fuzz FOLDER cmds/options LONG COMMAND Python3::Interpreter
		${CMAKE_CURRENT_LIST_DIR}/random_options.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} 5000 2)
	probe_test(NAME fuzz.databases TIER fuzz FOLDER cmds/report COMMAND Python3::Interpreter
		${CMAKE_CURRENT_LIST_DIR}/random_databases.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} 40)
	# Each value at each word of each host record is one of about 114,000 segments.
	probe_test(NAME fuzz.hostile_fields TIER fuzz FOLDER cmds/record COMMAND hostile_segments fields 1501)
	probe_test(NAME fuzz.hostile_fields_long TIER fuzz FOLDER cmds/record LONG COMMAND hostile_segments fields 11)
	# Cut off at each 104th byte.
	probe_test(NAME fuzz.cut_segments TIER fuzz FOLDER cmds/record COMMAND hostile_segments cut 104)
	probe_test(NAME fuzz.cut_segments_long TIER fuzz FOLDER cmds/record LONG COMMAND hostile_segments cut 8)
endif()

# Random kernels, compiled with and without the plugin.
if(NOT PROBE_BUILD_PASS OR PROBE_SANITIZE OR NOT TARGET probe_pass_15)
	return()
endif()
set(fuzz_compile Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/compile_kernels.py --clang
	/usr/lib/llvm-15/bin/clang++ --plugin $<TARGET_FILE:probe_pass_15>)
probe_test(NAME fuzz.compile TIER fuzz FOLDER llvm-plugin COMMAND ${fuzz_compile} --seed 1 --count 30)
# Indices that the proof of addresses takes apart; some are computed from multiples of themselves.
probe_test(NAME fuzz.compile_indices TIER fuzz FOLDER llvm-plugin COMMAND ${fuzz_compile} --indices --no-fallback --seed 1
	--count 100)
# Kernels that once failed: a workgroup id in vector registers, as a scalar operand of the time
# kind.
probe_test(NAME fuzz.compile_found TIER fuzz FOLDER llvm-plugin COMMAND ${fuzz_compile} --seed 3 --first 110 --count 10)
probe_test(NAME fuzz.compile_all TIER fuzz FOLDER llvm-plugin LONG
	COMMAND ${fuzz_compile} --seed 2 --count 20000 --jobs 2)

# SPDX-License-Identifier: MIT
# libprobe-hsa.so without a runtime: fake_hsa.h is the table of functions and the packet processor.
if(NOT TARGET probe_hsa_parts)
	return()
endif()
find_package(Threads REQUIRED)

# The library itself is never sanitized: here its files are compiled again.
if(PROBE_SANITIZE)
	get_target_property(hsa_files probe_hsa_parts SOURCES)
	list(TRANSFORM hsa_files PREPEND ${CMAKE_SOURCE_DIR}/hsa-plugin/)
	add_library(probe_hsa_tested OBJECT ${hsa_files})
	target_include_directories(probe_hsa_tested PUBLIC ${CMAKE_SOURCE_DIR}
		${HSA_INCLUDE_DIR} ${COMGR_INCLUDE_DIR})
	target_compile_definitions(probe_hsa_tested PUBLIC _GNU_SOURCE)
	target_link_libraries(probe_hsa_tested PUBLIC probe_headers PRIVATE probe_flags probe_sanitize)
else()
	add_library(probe_hsa_tested ALIAS probe_hsa_parts)
endif()

foreach(test api_table calls code_image collector completion copies counter_sum counter_tables dispatch doorbells
		filters frames hip_tracer kernargs kernel_table kernel_verdict cooperative_fit packet_relay queue_hooks random_environment
		rings sampler wave_storage)
	add_executable(unit_hsa_${test} ${CMAKE_CURRENT_LIST_DIR}/${test}.c
		${CMAKE_CURRENT_LIST_DIR}/fake_hsa.c ${CMAKE_CURRENT_LIST_DIR}/fake_kernel.c)
	target_link_libraries(unit_hsa_${test} PRIVATE probe_hsa_tested probe_wire probe_flags
		probe_sanitize Threads::Threads ${CMOCKA_LIBRARY} ${CMAKE_DL_LIBS})
	# Allocations of the tool itself fail when the test wants it (fake_hsa.h).
	target_link_options(unit_hsa_${test} PRIVATE -Wl,--wrap=calloc)
	probe_test(NAME unit.hsa.${test} TIER unit FOLDER hsa-plugin COMMAND unit_hsa_${test})
endforeach()
target_link_options(unit_hsa_sampler PRIVATE -Wl,--wrap=pthread_cond_timedwait)

# Stand-ins for HIP by the names of its libraries; the number is sizeof(hip_api_data_t) less 16.
set(fake_hip ${CMAKE_CURRENT_BINARY_DIR}/fake_hip)
foreach(row .5=824 .6=1504 .7=1504 =1504 .8=2048)
	string(REPLACE "=" ";" row "${row}")
	list(GET row 0 number)
	list(GET row 1 bytes)
	string(REPLACE "." "_" name "unit_hsa_fake_hip${number}")
	add_library(${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_hip.c)
	target_compile_definitions(${name} PRIVATE ARGUMENTS=${bytes} $<$<NOT:$<STREQUAL:${number},.5>>:R0600>)
	target_link_libraries(${name} PRIVATE probe_flags)
	set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME libamdhip64 SUFFIX ".so${number}"
		LIBRARY_OUTPUT_DIRECTORY ${fake_hip})
	add_dependencies(unit_hsa_hip_tracer ${name})
endforeach()
target_compile_definitions(unit_hsa_hip_tracer PRIVATE FAKE_HIP="${fake_hip}")

# Filters, kernel tables that were outgrown, and sampling sessions that hang live as long as the
# process, by design. The leak check would report them.
foreach(test filters kernel_table random_environment sampler)
	set_tests_properties(unit.hsa.${test} PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endforeach()

# The table of HSA's functions against the headers of the ROCr that is installed.
probe_test(NAME unit.hsa.functions TIER unit FOLDER hsa-plugin
	COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/hsa-plugin/runtime/hsa_functions.py --check
		${HSA_INCLUDE_DIR}/hsa ${CMAKE_SOURCE_DIR}/hsa-plugin/runtime/hsa_functions.h)

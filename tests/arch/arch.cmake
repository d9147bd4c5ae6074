# SPDX-License-Identifier: MIT
find_package(Python3 COMPONENTS Interpreter REQUIRED)
probe_test(NAME arch.labels TIER arch FOLDER tests
	COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/labels.py ${CMAKE_SOURCE_DIR}
		${CMAKE_BINARY_DIR} ${CMAKE_CTEST_COMMAND})
probe_test(NAME arch.public_headers TIER arch FOLDER include
	COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/public_headers.sh ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR})
if(NOT PROBE_SANITIZE)
	probe_test(NAME arch.installed_links TIER arch FOLDER docs
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/installed_links.sh ${CMAKE_BINARY_DIR})
endif()
if(TARGET probe-hsa)
	probe_test(NAME arch.imports TIER arch FOLDER hsa-plugin
		COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/imports.py
			$<TARGET_FILE:probe-hsa>)
endif()

# The allowed dependencies between folders (arrows.txt), checked in #include lines and in object
# files.
probe_test(NAME arch.includes TIER arch FOLDER tests
	COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/includes.py ${CMAKE_SOURCE_DIR})
# Sanitizers add calls of their own, so only one build is checked.
if(NOT PROBE_SANITIZE)
	# Without simgpu/, which takes three quarters of the time of `make lint`.
	probe_test(NAME arch.cppcheck TIER arch FOLDER tests
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/cppcheck.sh ${CMAKE_SOURCE_DIR} cmds codeobj common
			devlib examples handlers hsa-plugin include llvm-plugin model pcsample rules store
			tests wire)
	# Warnings of the other compiler. A build with clang has them already.
	if(CMAKE_C_COMPILER_ID STREQUAL GNU)
		probe_test(NAME arch.clang_warnings TIER arch FOLDER tests
			COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/clang_warnings.py
				clang-${PROBE_HIP_LLVM} ${CMAKE_BINARY_DIR})
	endif()
	if(TARGET probe-hsa AND TARGET probe_plugin_count)
		probe_test(NAME arch.abi TIER arch FOLDER include
			COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/abi.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
	endif()
	probe_test(NAME arch.objects TIER arch FOLDER tests
		COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/objects.py
			${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
endif()

set(loaded_libraries)
foreach(library probe-hsa probe-roctx probe-sim probe_sim_jit)
	if(TARGET ${library})
		list(APPEND loaded_libraries $<TARGET_FILE:${library}>)
	endif()
endforeach()
if(PROBE_BUILD_REPORT AND NOT PROBE_SANITIZE)
	probe_test(NAME arch.hardening TIER arch FOLDER cmds
		COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/hardening.sh
			$<TARGET_FILE:probe-run> $<TARGET_FILE:probe-report>
			$<TARGET_FILE:probe_plugin_memory> $<TARGET_FILE:probe_plugin_cache>
			$<TARGET_FILE:probe_plugin_race> $<TARGET_FILE:probe_plugin_log>
			--loaded ${loaded_libraries})
endif()

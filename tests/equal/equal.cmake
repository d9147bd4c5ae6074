# SPDX-License-Identifier: MIT
# Instrumented equals original: 200 kernels, written and generated, times every probe kind. A program's
# output is a hash of all memory its kernels may write, per kernel; see equal.h.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT) OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc REQUIRED)
set(equal_dir ${CMAKE_CURRENT_LIST_DIR})
set(equal_out ${CMAKE_BINARY_DIR}/tests/equal)
set(equal_kinds memory trace time count)
list(JOIN equal_kinds "," equal_kinds_text)
file(MAKE_DIRECTORY ${equal_out})

# Each program is also compiled without the plugin: these kernels are the reference. PORTABLE: with
# the generic probes, as for RDNA. CLANG <major>: with that clang, which keeps calls of device
# functions that hipcc inlines. Debian's HIP runtime loads code objects of version 4.
function(probe_equal_program name source)
	cmake_parse_arguments(arg "PORTABLE" "CLANG" "" ${ARGN})
	set(portable 0)
	if(arg_PORTABLE)
		set(portable 1)
	endif()
	set(compiler ${HIPCC})
	set(major ${PROBE_HIP_LLVM})
	set(libraries)
	if(arg_CLANG)
		set(major ${arg_CLANG})
		set(compiler /usr/lib/llvm-${major}/bin/clang++ -x hip -mcode-object-version=4 --rocm-path=/usr
			--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode)
		set(libraries -lamdhip64)
		if(NOT TARGET probe_pass_${major} OR NOT EXISTS /usr/lib/llvm-${major}/bin/clang++)
			return()
		endif()
	endif()
	foreach(way plain probed)
		set(plugin)
		if(way STREQUAL "probed")
			set(plugin -fpass-plugin=$<TARGET_FILE:probe_pass_${major}>)
		endif()
		add_custom_command(OUTPUT ${equal_out}/${name}.${way}
			COMMAND ${CMAKE_COMMAND} -E env PROBE_KINDS=${equal_kinds_text} PROBE_PORTABLE=${portable}
				${compiler} --offload-arch=gfx90a -w -fno-strict-aliasing
				${arg_UNPARSED_ARGUMENTS} -I${equal_dir} -I${CMAKE_SOURCE_DIR}/include ${plugin} ${source}
				-o ${equal_out}/${name}.${way} ${libraries}
			DEPENDS ${source} ${equal_dir}/equal.h probe_pass_${major}
			COMMENT "hipcc ${name}.${way}" VERBATIM)
		add_custom_target(equal_${name}_${way} ALL DEPENDS ${equal_out}/${name}.${way})
	endforeach()
	foreach(kind ${equal_kinds})
		probe_test(NAME equal.${name}.${kind} TIER equal FOLDER llvm-plugin
			COMMAND sh ${equal_dir}/equal.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}
				${equal_out}/${name} ${kind}
			ENVIRONMENT PROBE_SIM_MODEL=0)
	endforeach()
endfunction()

function(probe_equal_generated seed count)
	add_custom_command(OUTPUT ${equal_out}/generated${seed}.hip
		COMMAND Python3::Interpreter ${equal_dir}/generate.py ${seed} ${count}
			${equal_out}/generated${seed}.hip
		DEPENDS ${equal_dir}/generate.py COMMENT "Generating kernels ${seed}" VERBATIM)
	probe_equal_program(generated${seed} ${equal_out}/generated${seed}.hip ${ARGN})
endfunction()

probe_equal_program(written ${equal_dir}/written.hip -O2 -g)
probe_equal_program(written_portable ${equal_dir}/written.hip PORTABLE -O2 -g)
probe_equal_generated(1 25 -O2 -g)
probe_equal_generated(2 25 -O2)
probe_equal_generated(4 25 -O3 -g)
probe_equal_generated(6 25 -O2 -g -fno-inline)
probe_equal_generated(3 8 -O0 -g)
probe_equal_generated(9 8 PORTABLE -O0 -g)
probe_equal_generated(7 15 CLANG 15 -O2 -g -fno-inline)
probe_equal_generated(8 15 CLANG 19 -O2 -g)

# SPDX-License-Identifier: MIT
# Compile, run and report as a user does, on the simulated GPU. Each tests/e2e/<name>.sh is the test
# e2e.<name>; its line `# Folder: <folder>` names the folder of the tree that it tests.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_HSA AND PROBE_BUILD_SIM AND PROBE_BUILD_REPORT) OR PROBE_SANITIZE)
	return()
endif()
set(e2e_dir ${CMAKE_CURRENT_LIST_DIR})

# probe_e2e_test(NAME SCRIPT FOLDER [ARGUMENTS <argument>...] [ENVIRONMENT <variable>=<value>...])
function(probe_e2e_test name script folder)
	cmake_parse_arguments(arg "" "" "ARGUMENTS;ENVIRONMENT" ${ARGN})
	probe_test(NAME e2e.${name} TIER e2e FOLDER ${folder}
		COMMAND sh ${e2e_dir}/${script} ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR} ${arg_ARGUMENTS}
		ENVIRONMENT test=${name} ${arg_ENVIRONMENT})
endfunction()

file(GLOB scripts CONFIGURE_DEPENDS ${e2e_dir}/*.sh)
list(REMOVE_ITEM scripts ${e2e_dir}/lib.sh)
foreach(script ${scripts})
	get_filename_component(name ${script} NAME_WE)
	file(STRINGS ${script} folder REGEX "^# Folder: ")
	string(REPLACE "# Folder: " "" folder "${folder}")
	if(NOT folder)
		message(FATAL_ERROR "${script} lacks the line '# Folder: <folder of the tree that it tests>'")
	endif()
	probe_e2e_test(${name} ${name}.sh ${folder})
endforeach()

# The same with generic probes, as for RDNA.
foreach(name workgroup_filters intrinsics messages time_regions)
	probe_e2e_test(${name}_portable ${name}.sh devlib ENVIRONMENT PROBE_PORTABLE=1)
endforeach()

# Proofs about addresses, a test per program: PROGRAM MINIMUM_OF_PROVED_SITES.
function(probe_proof_test program minimum)
	get_filename_component(name ${program} NAME_WE)
	probe_e2e_test(proved_addresses.${name} proofs/proved_addresses.sh llvm-plugin
		ARGUMENTS ${program} ${minimum})
endfunction()
probe_proof_test(examples/transpose.hip 10)
probe_proof_test(examples/strided_copy.hip 12)
probe_proof_test(examples/reduction.hip 50)
probe_proof_test(examples/convolution.hip 6)
probe_proof_test(tests/e2e/proofs/workgroup_shapes.hip 14)
probe_proof_test(tests/e2e/proofs/bit_fields.hip 7)
probe_proof_test(tests/e2e/proofs/argument_strides.hip 7)
probe_proof_test(tests/e2e/proofs/hidden_addresses.hip 12)

# Counters derived from proofs equal those of the addresses, a test per program.
foreach(program transpose strided_copy reduction histogram convolution)
	probe_e2e_test(equal_counters.${program} proofs/equal_counters.sh devlib
		ARGUMENTS examples/${program}.hip)
endforeach()
file(GLOB programs CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${e2e_dir}/proofs/*.hip)
foreach(program ${programs})
	get_filename_component(name ${program} NAME_WE)
	probe_e2e_test(equal_counters.${name} proofs/equal_counters.sh devlib ARGUMENTS ${program})
endforeach()
if(PROBE_HIP_LLVM GREATER_EQUAL 21)
	foreach(name data_dependent_masks lanes_leave_loops repeated_patterns)
		probe_e2e_test(equal_counters.gfx942.${name} proofs/equal_counters.sh devlib
			ARGUMENTS tests/e2e/proofs/${name}.hip ENVIRONMENT target=gfx942)
	endforeach()
endif()
probe_e2e_test(equal_counters.repeated_patterns_measured proofs/equal_counters.sh devlib
	ARGUMENTS tests/e2e/proofs/repeated_patterns.hip ENVIRONMENT PROBE_PROVE=0)

# The line of each instruction, to compare probes with the simulator.
add_executable(isa_lines ${e2e_dir}/isa/isa_lines.c)
target_include_directories(isa_lines PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(isa_lines PRIVATE probe_codeobj probe_store probe_common probe_flags)
set_target_properties(isa_lines PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

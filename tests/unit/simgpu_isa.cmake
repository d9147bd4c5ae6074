# SPDX-License-Identifier: MIT
# The instruction set against LLVM 15 as oracle and assembler (llvm-15-dev is required).
if(NOT PROBE_BUILD_SIM)
	return()
endif()
find_library(LLVM15_LIBRARY LLVM-15 PATHS /usr/lib/llvm-15/lib REQUIRED)
find_path(LLVM15_INCLUDE_DIR llvm-c/Disassembler.h PATHS /usr/lib/llvm-15/include REQUIRED)
find_program(LLVM_MC_15 NAMES llvm-mc-15 REQUIRED)

function(simgpu_isa_test name)
	add_executable(simgpu_isa_${name} ${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_${name}.c
		${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_host.c ${ARGN} ${simgpu_isa_objects})
	target_include_directories(simgpu_isa_${name} PRIVATE ${CMAKE_SOURCE_DIR}/simgpu
		${CMAKE_CURRENT_SOURCE_DIR}/unit)
	target_include_directories(simgpu_isa_${name} SYSTEM PRIVATE ${LLVM15_INCLUDE_DIR})
	target_link_libraries(simgpu_isa_${name} PRIVATE probe_flags ${CMOCKA_LIBRARY} m pthread)
	add_test(NAME simgpu.isa_${name} COMMAND simgpu_isa_${name})
endfunction()

set(simgpu_isa_objects $<TARGET_OBJECTS:simgpu_isa> $<TARGET_OBJECTS:simgpu_isa_base>
	$<TARGET_OBJECTS:simgpu_isa_avx2> $<TARGET_OBJECTS:simgpu_isa_avx512>)
simgpu_isa_test(decode)
target_link_libraries(simgpu_isa_decode PRIVATE ${LLVM15_LIBRARY})
simgpu_isa_test(coverage)
target_compile_definitions(simgpu_isa_coverage PRIVATE
	TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")

# Tests that run code do so at every vector level the host has.
function(simgpu_isa_lab_test name)
	simgpu_isa_test(${name} ${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_lab.c)
	target_compile_definitions(simgpu_isa_${name} PRIVATE LLVM_MC="${LLVM_MC_15}"
		TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
	foreach(level base avx2)
		add_test(NAME simgpu.isa_${name}_${level} COMMAND simgpu_isa_${name})
		set_tests_properties(simgpu.isa_${name}_${level} PROPERTIES
			ENVIRONMENT PROBE_SIM_ISA=${level})
	endforeach()
	# All of it translated, at both levels that do.
	if(TARGET probe_sim_jit)
		add_dependencies(simgpu_isa_${name} probe_sim_jit)
		foreach(level avx2 avx512)
			add_test(NAME simgpu.isa_${name}_jit_${level} COMMAND simgpu_isa_${name})
			set_tests_properties(simgpu.isa_${name}_jit_${level} PROPERTIES
				ENVIRONMENT "PROBE_SIM_ISA=${level};PROBE_SIM_JIT=2")
		endforeach()
	endif()
endfunction()
simgpu_isa_lab_test(valu)
simgpu_isa_lab_test(salu)
simgpu_isa_lab_test(float)
simgpu_isa_lab_test(memory)
simgpu_isa_lab_test(atomic)
simgpu_isa_lab_test(lds)
simgpu_isa_lab_test(mfma)
simgpu_isa_lab_test(mods)
simgpu_isa_lab_test(wave)
simgpu_isa_lab_test(control)
simgpu_isa_lab_test(trans)
simgpu_isa_lab_test(typed)
simgpu_isa_lab_test(scalar)
simgpu_isa_lab_test(image)
simgpu_isa_lab_test(mode)
simgpu_isa_lab_test(random)

# What the fidelity report says of the tests is true and complete.
add_test(NAME simgpu.isa_known
	COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_known.sh ${CMAKE_BINARY_DIR}/bin
		check ${CMAKE_SOURCE_DIR}/simgpu/isa_known.inc)

# Every opcode that executes is run by a directed test.
foreach(class alu memory)
	add_test(NAME simgpu.isa_untested_${class}
		COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_untested.sh
			${CMAKE_BINARY_DIR}/bin ${class})
endforeach()

# The vector levels agree bit for bit, NaN included.
add_test(NAME simgpu.isa_levels
	COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/unit/simgpu_isa_levels.sh ${CMAKE_BINARY_DIR}/bin
		valu float trans mode mfma mods)

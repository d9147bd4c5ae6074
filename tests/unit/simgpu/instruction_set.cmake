# SPDX-License-Identifier: MIT
# The instruction set against LLVM 15 as oracle and assembler: its texts are those of that release, so
# with a hipcc of another LLVM these tests are left out.
if(NOT PROBE_BUILD_SIM OR NOT PROBE_HIP_LLVM EQUAL 15)
	return()
endif()
find_library(LLVM15_LIBRARY LLVM-15 PATHS /usr/lib/llvm-15/lib REQUIRED)
find_path(LLVM15_INCLUDE_DIR llvm-c/Disassembler.h PATHS /usr/lib/llvm-15/include REQUIRED)
find_program(LLVM_MC_15 NAMES llvm-mc-15 REQUIRED)

set(simgpu_test_dir ${CMAKE_CURRENT_LIST_DIR})

function(simgpu_isa_test name)
	add_executable(simgpu_isa_${name} ${simgpu_test_dir}/isa_${name}.c
		${simgpu_test_dir}/flat_address_space.c ${ARGN} ${simgpu_isa_objects})
	target_include_directories(simgpu_isa_${name} PRIVATE ${CMAKE_SOURCE_DIR})
	target_include_directories(simgpu_isa_${name} SYSTEM PRIVATE ${LLVM15_INCLUDE_DIR})
	target_link_libraries(simgpu_isa_${name} PRIVATE probe_flags ${CMOCKA_LIBRARY} m pthread)
	probe_test(NAME unit.simgpu.isa_${name} TIER unit FOLDER simgpu COMMAND simgpu_isa_${name})
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
	simgpu_isa_test(${name} ${simgpu_test_dir}/snippet_lab.c)
	target_compile_definitions(simgpu_isa_${name} PRIVATE LLVM_MC="${LLVM_MC_15}"
		TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
	foreach(level base avx2)
		probe_test(NAME unit.simgpu.isa_${name}_${level} TIER unit FOLDER simgpu
			COMMAND simgpu_isa_${name} ENVIRONMENT PROBE_SIM_ISA=${level})
	endforeach()
	# All of it translated, at both levels that do. A sanitizer does not see what translated code does: random
	# words end at pages that must not be accessed, and the default build executes them.
	if(TARGET probe_sim_jit AND NOT (PROBE_SANITIZE AND name STREQUAL "random"))
		add_dependencies(simgpu_isa_${name} probe_sim_jit)
		foreach(level avx2 avx512)
			probe_test(NAME unit.simgpu.isa_${name}_jit_${level} TIER unit FOLDER simgpu
				COMMAND simgpu_isa_${name}
				ENVIRONMENT PROBE_SIM_ISA=${level} PROBE_SIM_JIT=2)
		endforeach()
	endif()
endfunction()
foreach(name valu salu float memory atomic lds mfma mods wave control trans typed scalar image mode
		patterns random gfx942 gfx942_matrix)
	simgpu_isa_lab_test(${name})
endforeach()

# The fidelity report's table of directed tests is true and complete.
probe_test(NAME unit.simgpu.tested_opcodes TIER unit FOLDER simgpu
	COMMAND sh ${simgpu_test_dir}/tested_opcodes.sh ${CMAKE_BINARY_DIR}/bin
		check ${CMAKE_SOURCE_DIR}/simgpu/diag/tested_opcodes.inc)

# Every opcode that executes is run by a directed test.
foreach(class alu memory)
	probe_test(NAME unit.simgpu.untested_opcodes_${class} TIER unit FOLDER simgpu
		COMMAND sh ${simgpu_test_dir}/untested_opcodes.sh ${CMAKE_BINARY_DIR}/bin ${class})
endforeach()

# The vector levels agree bit for bit, NaN included.
probe_test(NAME unit.simgpu.vector_levels TIER unit FOLDER simgpu
	COMMAND sh ${simgpu_test_dir}/vector_levels.sh ${CMAKE_BINARY_DIR}/bin
		valu float trans mode mfma mods)

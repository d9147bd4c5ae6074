# SPDX-License-Identifier: MIT
# The device library on the simulated GPU, compared exactly with a model. Kernels are compiled with
# the pass at -O2, with all checks, and at -O0 and -O3 without -g, with the checks that apply there.
if(NOT (PROBE_BUILD_PASS AND PROBE_BUILD_SIM) OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc REQUIRED)
set(devlib_dir ${CMAKE_CURRENT_LIST_DIR})
set(devlib_out ${CMAKE_BINARY_DIR}/tests/devlib)
file(MAKE_DIRECTORY ${devlib_out})

add_custom_command(OUTPUT ${devlib_out}/truth
	COMMAND ${HIPCC} -std=c++17 -O1 --offload-arch=gfx90a -Wall -I${CMAKE_SOURCE_DIR}/include
		-I${CMAKE_SOURCE_DIR} ${devlib_dir}/counter_truth.hip
		-o ${devlib_out}/truth -Wl,$<TARGET_FILE:probe_wire_plain>
	DEPENDS ${devlib_dir}/counter_truth.hip ${devlib_dir}/reference_model.h
		${devlib_dir}/trace_check.h ${devlib_dir}/../hip/hip_test.h
		${CMAKE_SOURCE_DIR}/include/probe/wire_device.h ${CMAKE_SOURCE_DIR}/wire/trace_expand.h
		${CMAKE_SOURCE_DIR}/model/counter_sums.h probe_wire_plain
	COMMENT "hipcc devlib_truth" VERBATIM)
add_custom_target(devlib_truth ALL DEPENDS ${devlib_out}/truth)

# Everything is measured, because proofs bypass the device library. Without the cost model: a wave
# waits for a ring for a hundred sleeps, which suffices only if workgroups run one after the other.
function(probe_devlib_test name level)
	set(code ${devlib_out}/kernels_${name}.co)
	set(environment PROBE_PROVE=0)
	if("${name}" STREQUAL "portable")
		set(environment PROBE_PROVE=0 PROBE_PORTABLE=1)
	endif()
	separate_arguments(flags UNIX_COMMAND "${level}")
	add_custom_command(OUTPUT ${code}
		COMMAND ${CMAKE_COMMAND} -E env ${environment} ${HIPCC} --genco --offload-arch=gfx90a ${flags}
			-fpass-plugin=$<TARGET_FILE:probe_pass_${PROBE_HIP_LLVM}> ${devlib_dir}/access_kernels.hip -o ${code}
		DEPENDS ${devlib_dir}/access_kernels.hip probe_pass_${PROBE_HIP_LLVM}
		COMMENT "hipcc devlib_kernels ${level}" VERBATIM)
	add_custom_target(devlib_kernels_${name} ALL DEPENDS ${code})
	probe_test(NAME devlib.${name} TIER devlib FOLDER devlib
		COMMAND ${devlib_out}/truth ${code} ${ARGN}
		ENVIRONMENT ${PROBE_SIM_ENVIRONMENT} PROBE_SIM_MODEL=0)
endfunction()

probe_devlib_test(O2 "-O2 -g" ${CMAKE_SOURCE_DIR}/tests/data/lds_oracle.csv)
probe_devlib_test(O0 "-O0 -g")
probe_devlib_test(O3 "-O3")
# The probes for RDNA, in waves of 64 lanes, against the same model.
probe_devlib_test(portable "-O2 -g" ${CMAKE_SOURCE_DIR}/tests/data/lds_oracle.csv few)
# Undefined registers and the order of waves must not matter.
probe_test(NAME devlib.turns TIER devlib FOLDER devlib
	COMMAND ${devlib_out}/truth ${devlib_out}/kernels_O2.co
		${CMAKE_SOURCE_DIR}/tests/data/lds_oracle.csv few
	ENVIRONMENT ${PROBE_SIM_ENVIRONMENT} PROBE_SIM_MODEL=0
		PROBE_SIM_QUANTUM=7 PROBE_SIM_THREADS=3 PROBE_SIM_FILL=0xdeadbeef)

# Generic probes for waves of 32, as the lower half of waves of 64.
add_custom_command(OUTPUT ${devlib_out}/wave32.co
	COMMAND ${PROBE_CLANG_${PROBE_HIP_LLVM}} -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -ffreestanding -std=gnu11 -O2
		-Wall -Wextra -Werror -Xclang -fconvergent-functions -mcode-object-version=4
		-I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/include
		${devlib_dir}/wave32_measure.c -o ${devlib_out}/wave32.co
	DEPENDS ${devlib_dir}/wave32_measure.c ${CMAKE_SOURCE_DIR}/include/probe/wire_device.h
		${CMAKE_SOURCE_DIR}/devlib/measure_unit.h ${CMAKE_SOURCE_DIR}/devlib/wave_ids.h
		${CMAKE_SOURCE_DIR}/devlib/line_counts.h ${CMAKE_SOURCE_DIR}/devlib/lds_passes.h
		${CMAKE_SOURCE_DIR}/devlib/lane_affine.h
	COMMENT "clang devlib_wave32" VERBATIM)
add_custom_command(OUTPUT ${devlib_out}/wave32
	COMMAND ${HIPCC} -std=c++17 -O1 --offload-arch=gfx90a -Wall -I${CMAKE_SOURCE_DIR}/include
		-I${CMAKE_SOURCE_DIR} ${devlib_dir}/wave32_truth.hip -o ${devlib_out}/wave32
	DEPENDS ${devlib_dir}/wave32_truth.hip ${devlib_dir}/reference_model.h
		${devlib_dir}/../hip/hip_test.h ${CMAKE_SOURCE_DIR}/include/probe/wire_device.h
	COMMENT "hipcc devlib_wave32" VERBATIM)
add_custom_target(devlib_wave32 ALL DEPENDS ${devlib_out}/wave32 ${devlib_out}/wave32.co)
probe_test(NAME devlib.wave32 TIER devlib FOLDER devlib
	COMMAND ${devlib_out}/wave32 ${devlib_out}/wave32.co
	ENVIRONMENT ${PROBE_SIM_ENVIRONMENT} PROBE_SIM_MODEL=0)

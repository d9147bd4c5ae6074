# SPDX-License-Identifier: MIT
# Programs against HSA itself, on the simulated GPU: the same output with and without the tool.
if(NOT TARGET probe-hsa OR NOT TARGET hsakmt OR NOT TARGET probe-run OR NOT TARGET probe_pass_15
   OR PROBE_SANITIZE)
	return()
endif()
find_program(HIPCC hipcc)
find_program(OFFLOAD_BUNDLER NAMES clang-offload-bundler-15 clang-offload-bundler)
find_library(HSA_RUNTIME_LIBRARY hsa-runtime64)
if(NOT HIPCC OR NOT OFFLOAD_BUNDLER OR NOT HSA_RUNTIME_LIBRARY)
	message(STATUS "tests/hsa: no hipcc, clang-offload-bundler or libhsa-runtime64, not tested")
	return()
endif()

set(hsa_dir ${CMAKE_CURRENT_LIST_DIR})
set(hsa_out ${CMAKE_BINARY_DIR}/tests/hsa)
set(hsa_code ${hsa_out}/hsa_kernels.co)
file(MAKE_DIRECTORY ${hsa_out})

# A code object on its own, as the loader takes it.
function(probe_hsa_code name)
	add_custom_command(OUTPUT ${hsa_out}/${name}.co
		COMMAND ${HIPCC} --genco --offload-arch=gfx90a -g ${ARGN} ${hsa_dir}/${name}.hip
			-o ${hsa_out}/${name}.bundle
		COMMAND ${OFFLOAD_BUNDLER} --unbundle --type=o
			--targets=hipv4-amdgcn-amd-amdhsa--gfx90a
			--input=${hsa_out}/${name}.bundle --output=${hsa_out}/${name}.co
		DEPENDS ${hsa_dir}/${name}.hip probe_pass_15 COMMENT "hipcc ${name}.co" VERBATIM)
	add_custom_target(hsa_code_${name} ALL DEPENDS ${hsa_out}/${name}.co)
endfunction()

probe_hsa_code(hsa_kernels -O2 -fpass-plugin=$<TARGET_FILE:probe_pass_15>)
probe_hsa_code(call_depths -O1)
add_executable(call_depths ${hsa_dir}/call_depths.c)
target_link_libraries(call_depths PRIVATE probe_hsa_parts probe_wire probe_flags ${CMAKE_DL_LIBS})
add_test(NAME hsa.call_depths COMMAND call_depths ${hsa_out}/call_depths.co)
set_tests_properties(hsa.call_depths PROPERTIES TIMEOUT 60)

foreach(program hsa_cases hsa_bench hsa_opencl)
	add_executable(${program} ${hsa_dir}/${program}.c ${hsa_dir}/hsa_app.c)
	target_include_directories(${program} PRIVATE ${HSA_INCLUDE_DIR})
	target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
	target_link_libraries(${program} PRIVATE probe_flags ${HSA_RUNTIME_LIBRARY} Threads::Threads)
endforeach()

foreach(case burst signals threads gate odd lds globals fork again leave overrun)
	foreach(way memory trace off)
		add_test(NAME hsa.${case}.${way}
			COMMAND sh ${hsa_dir}/same.sh ${CMAKE_BINARY_DIR} ${hsa_code} ${case} ${way})
		set_tests_properties(hsa.${case}.${way} PROPERTIES LABELS hsa TIMEOUT 120)
	endforeach()
endforeach()
# With the host's clock, stamps lie between the program's own readings of it.
add_test(NAME hsa.signals.host
	COMMAND sh ${hsa_dir}/same.sh ${CMAKE_BINARY_DIR} ${hsa_code} signals memory)
set_tests_properties(hsa.signals.host PROPERTIES LABELS hsa TIMEOUT 120
	ENVIRONMENT PROBE_SIM_MODEL=0)
# Counters by way of the DMA engines, and of the runtime's own copy kernels: those take too long with
# the cost model.
foreach(case burst threads signals)
	add_test(NAME hsa.${case}.dma
		COMMAND sh ${hsa_dir}/same.sh ${CMAKE_BINARY_DIR} ${hsa_code} ${case} memory)
	add_test(NAME hsa.${case}.blit
		COMMAND sh ${hsa_dir}/same.sh ${CMAKE_BINARY_DIR} ${hsa_code} ${case} memory)
	set_tests_properties(hsa.${case}.dma hsa.${case}.blit PROPERTIES LABELS hsa TIMEOUT 120)
	set_property(TEST hsa.${case}.dma PROPERTY ENVIRONMENT PROBE_SIM_LARGE_BAR=0)
	set_property(TEST hsa.${case}.blit PROPERTY
		ENVIRONMENT PROBE_SIM_LARGE_BAR=0 HSA_ENABLE_SDMA=0 PROBE_SIM_MODEL=0)
endforeach()

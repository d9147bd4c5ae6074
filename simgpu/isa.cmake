# SPDX-License-Identifier: MIT
# The instruction set: decoder, scalar instructions, and the vector instructions once per level
# of host vector width; the level is chosen when the library is loaded (PROBE_SIM_ISA).
set(simgpu_isa_options -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math)
# Some bodies do not vectorise (libm calls); LANES need not be told.
if(CMAKE_C_COMPILER_ID MATCHES Clang)
	list(APPEND simgpu_isa_options -Wno-pass-failed)
endif()

add_library(simgpu_isa OBJECT
	code_cache.c constants.c decode.c decode_vector.c exec_control.c exec_flow.c exec_fork.c
	exec_salu.c exec_smem.c exec_tables.c fidelity.c inst_text.c inst_text_memory.c inst_text_scalar.c
	inst_text_vector.c isa_tables.c lds_banks.c memo.c sampled_inst.c texel.c time_cost.c timing.c translate.c
	wave_log.c wave_memory.c)
target_compile_options(simgpu_isa PRIVATE ${simgpu_isa_options})
target_link_libraries(simgpu_isa PRIVATE probe_flags)
target_include_directories(simgpu_isa PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})

set(simgpu_flags_base)
set(simgpu_flags_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(simgpu_flags_avx512 ${simgpu_flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl
	-mprefer-vector-width=512)
set(simgpu_isa_sources $<TARGET_OBJECTS:simgpu_isa>)
foreach(level base avx2 avx512)
	add_library(simgpu_isa_${level} OBJECT
		buffer_access.c exec_atomic.c exec_buffer.c exec_lane.c exec_lds.c exec_lds_atomic.c
		exec_format.c exec_image.c
		exec_mem.c exec_mfma.c exec_mods.c exec_run.c exec_smem_atomic.c exec_valu_cmp.c exec_valu_cvt.c
		exec_valu_f16.c exec_valu_f32.c exec_valu_f64.c exec_valu_int.c exec_valu_mask.c
		exec_vop3p.c mem_access.c)
	target_compile_definitions(simgpu_isa_${level} PRIVATE SIM_LEVEL=${level})
	target_compile_options(simgpu_isa_${level} PRIVATE -O3 ${simgpu_isa_options}
		${simgpu_flags_${level}})
	target_link_libraries(simgpu_isa_${level} PRIVATE probe_flags)
	list(APPEND simgpu_isa_sources $<TARGET_OBJECTS:simgpu_isa_${level}>)
endforeach()

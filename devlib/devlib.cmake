# SPDX-License-Identifier: MIT
# probe_devlib(MAJOR CLANG LLVM_LINK OUT): builds the device library as bitcode of one LLVM major.
# It is compiled for gfx900; the pass removes the target's attributes and adds those of each kernel.
# "NAME" is for gfx9, "NAME_LANES" portable code (portable_probe.h) for waves of so many lanes.
set(PROBE_DEVLIB_PARTS memory_probe access_batch bucket_insert trace_probe ring_cursor time_probe block_counter
	workgroup_filter)
foreach(lanes 32 64)
	foreach(name portable_probe trace_probe ring_cursor time_probe block_counter workgroup_filter)
		list(APPEND PROBE_DEVLIB_PARTS ${name}_${lanes})
	endforeach()
endforeach()

function(probe_devlib major clang llvm_link out)
	set(dir ${CMAKE_BINARY_DIR}/devlib/llvm-${major})
	file(MAKE_DIRECTORY ${dir})
	file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/devlib/*.h ${CMAKE_SOURCE_DIR}/include/probe/*.h)
	set(parts)
	foreach(name ${PROBE_DEVLIB_PARTS})
		set(source ${CMAKE_SOURCE_DIR}/devlib/${name}.c)
		set(portable)
		if(name MATCHES "^(.*)_(32|64)$")
			set(source ${CMAKE_SOURCE_DIR}/devlib/${CMAKE_MATCH_1}.c)
			set(portable -DDEV_PORTABLE=${CMAKE_MATCH_2})
		endif()
		add_custom_command(OUTPUT ${dir}/${name}.bc
			COMMAND ${clang} -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -ffreestanding
				-std=gnu11 -O2 -Wall -Wextra -Werror ${portable}
				-Xclang -fconvergent-functions -Xclang -mcode-object-version=none
				-I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/include -emit-llvm -c ${source} -o ${dir}/${name}.bc
			DEPENDS ${source} ${headers}
			COMMENT "Device library ${name} for LLVM ${major}" VERBATIM)
		list(APPEND parts ${dir}/${name}.bc)
	endforeach()
	add_custom_command(OUTPUT ${dir}/devlib.bc
		COMMAND ${llvm_link} ${parts} -o ${dir}/devlib.bc
		DEPENDS ${parts} COMMENT "Device library for LLVM ${major}" VERBATIM)
	set(${out} ${dir}/devlib.bc PARENT_SCOPE)
endfunction()

# SPDX-License-Identifier: MIT
# probe_devlib(MAJOR CLANG LLVM_LINK OUT): the device library as bitcode of one LLVM major.
# Compiled for plain gfx9: the pass drops the target and each kernel brings its own.
function(probe_devlib major clang llvm_link out)
	set(dir ${CMAKE_BINARY_DIR}/devlib/llvm-${major})
	file(MAKE_DIRECTORY ${dir})
	file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/devlib/*.h)
	set(parts)
	foreach(name devlib_memory devlib_group devlib_trace devlib_cursor devlib_time devlib_count
		devlib_portable32 devlib_portable64)
		set(source ${CMAKE_SOURCE_DIR}/devlib/${name}.c)
		add_custom_command(OUTPUT ${dir}/${name}.bc
			COMMAND ${clang} -target amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -ffreestanding
				-std=gnu11 -O2 -Wall -Wextra -Werror
				-Xclang -fconvergent-functions -Xclang -mcode-object-version=none
				-I${CMAKE_SOURCE_DIR}/include -emit-llvm -c ${source} -o ${dir}/${name}.bc
			DEPENDS ${source} ${headers} ${CMAKE_SOURCE_DIR}/include/probe/wire.h
			COMMENT "Device library ${name} for LLVM ${major}" VERBATIM)
		list(APPEND parts ${dir}/${name}.bc)
	endforeach()
	add_custom_command(OUTPUT ${dir}/devlib.bc
		COMMAND ${llvm_link} ${parts} -o ${dir}/devlib.bc
		DEPENDS ${parts} COMMENT "Device library for LLVM ${major}" VERBATIM)
	set(${out} ${dir}/devlib.bc PARENT_SCOPE)
endfunction()

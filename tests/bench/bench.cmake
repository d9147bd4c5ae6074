# SPDX-License-Identifier: MIT
# Programs of `make bench` (tests/bench/bench.py).
add_executable(bench_handler ${CMAKE_CURRENT_LIST_DIR}/bench_handler.c)
target_link_libraries(bench_handler PRIVATE probe_flags probe_headers ${CMAKE_DL_LIBS})
add_executable(bench_pcsample ${CMAKE_CURRENT_LIST_DIR}/bench_pcsample.c)
target_link_libraries(bench_pcsample PRIVATE probe_pcsample probe_flags)
add_executable(bench_lines ${CMAKE_CURRENT_LIST_DIR}/bench_lines.c)
target_link_libraries(bench_lines PRIVATE probe_codeobj probe_flags)

# The same kernels under pocl, if OpenCL is installed (cmake/packages.sh bench installs it).
find_path(OPENCL_INCLUDE_DIR CL/cl.h)
find_library(OPENCL_LIBRARY OpenCL)
if(OPENCL_INCLUDE_DIR AND OPENCL_LIBRARY)
	add_executable(bench_opencl ${CMAKE_CURRENT_LIST_DIR}/bench_opencl.c)
	target_include_directories(bench_opencl SYSTEM PRIVATE ${OPENCL_INCLUDE_DIR})
	target_link_libraries(bench_opencl PRIVATE probe_flags ${OPENCL_LIBRARY})
endif()

# SPDX-License-Identifier: MIT
# find_package(probe) and pkg-config for handlers built outside the tree, and the installed headers.
include(CMakePackageConfigHelpers)

set(PROBE_INCLUDE_DIR include)
set(PROBE_RULES_LIBRARY lib/libprobe-rules.a)
set(PROBE_PASS_PLUGIN lib/probe/llvm-${PROBE_HIP_LLVM}/libprobe.so)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/probeConfig.cmake.in
	${CMAKE_BINARY_DIR}/lib/cmake/probe/probeConfig.cmake
	INSTALL_DESTINATION lib/cmake/probe
	PATH_VARS PROBE_INCLUDE_DIR PROBE_RULES_LIBRARY PROBE_PASS_PLUGIN)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lib/cmake/probe/probeConfigVersion.cmake
	COMPATIBILITY SameMajorVersion)
configure_file(${CMAKE_SOURCE_DIR}/cmake/probe.pc.in ${CMAKE_BINARY_DIR}/lib/pkgconfig/probe.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lib/pkgconfig/probe.pc DESTINATION lib/pkgconfig)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/probe DESTINATION include)
install(FILES ${CMAKE_BINARY_DIR}/lib/cmake/probe/probeConfig.cmake
	${CMAKE_BINARY_DIR}/lib/cmake/probe/probeConfigVersion.cmake
	DESTINATION lib/cmake/probe)
# As in the source tree, so that links between documents hold (tests/arch/installed_links.sh).
foreach(folder . simgpu report-html)
	file(GLOB documents ${CMAKE_SOURCE_DIR}/${folder}/*.md)
	install(FILES ${documents} DESTINATION share/doc/probe/${folder} COMPONENT documents)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION share/doc/probe COMPONENT documents PATTERN man EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/probe COMPONENT documents)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/probe RENAME copyright)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION share/doc/probe COMPONENT documents
	PATTERN CMakeLists.txt EXCLUDE)

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
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION share/doc/probe PATTERN man EXCLUDE)
install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/probe)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/probe RENAME copyright)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION share/doc/probe
	PATTERN CMakeLists.txt EXCLUDE)

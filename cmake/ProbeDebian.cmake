# SPDX-License-Identifier: MIT
# `make package`: a Debian package of what `cmake --install` installs. Dependencies are those that
# dpkg-shlibdeps finds for this release of Debian; hipcc is needed to compile programs, not to run them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME probe)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Probe developers <probe@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "what GPU kernels do, per source line, on AMD GPUs or simulated")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
	"Probe instruments HIP kernels when they are compiled, records what they do when they run, and\n\
reports it per source line. A simulated gfx90a runs them where there is no GPU.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib/probe/sim)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "hipcc, libamdhip64-dev, libhsa-runtime64-1")
# Loaded only when needed: export to OTF2, load into PostgreSQL.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopen-trace-format2-10, libpq5")
set(CPACK_STRIP_FILES ON)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)

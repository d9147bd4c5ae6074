# SPDX-License-Identifier: MIT
# Warnings and sanitizers shared by every C target of the tree: link probe_flags.
add_library(probe_flags INTERFACE)
target_compile_options(probe_flags INTERFACE
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wimplicit-fallthrough)
# Other compilers give warnings that were never seen here.
set(known_compiler OFF)
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_C_COMPILER_VERSION MATCHES "^12\\.")
	set(known_compiler ON)
endif()
option(PROBE_WERROR "warnings are errors (default: with gcc 12)" ${known_compiler})
if(PROBE_WERROR)
	target_compile_options(probe_flags INTERFACE -Werror)
endif()
target_link_options(probe_flags INTERFACE -Wl,-z,defs)

# For everything that is installed.
add_library(probe_relro INTERFACE)
target_link_options(probe_relro INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# For programs that read untrusted data. FORTIFY needs an optimised build, and hides errors that the
# address sanitizer would find.
add_library(probe_harden INTERFACE)
target_compile_options(probe_harden INTERFACE -fstack-protector-strong)
target_link_libraries(probe_harden INTERFACE probe_relro)
if(NOT PROBE_SANITIZE)
	target_compile_options(probe_harden INTERFACE
		$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
endif()

# Host programs and unit tests only: never for libraries loaded into an application.
set(PROBE_SANITIZE "" CACHE STRING "sanitizers for host code, e.g. address,undefined")
add_library(probe_sanitize INTERFACE)
if(PROBE_SANITIZE)
	target_compile_options(probe_sanitize INTERFACE -fsanitize=${PROBE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(probe_sanitize INTERFACE -fsanitize=${PROBE_SANITIZE})
	# gcc does not see through the thread sanitizer's calls; other builds have this warning.
	if(PROBE_SANITIZE MATCHES "thread")
		target_compile_options(probe_sanitize INTERFACE -Wno-maybe-uninitialized)
	endif()
endif()

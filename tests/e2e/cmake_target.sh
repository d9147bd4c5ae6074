#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's CMake project with probe_instrument_target(): its kernels have clones of the requested
# kinds.
# Folder: cmake
. "$(dirname "$0")/lib.sh"

mkdir app
cp "$source/examples/transpose.hip" app/transpose.cpp
cp "$source/examples/check.h" app/
cat >app/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(app CXX)
find_package(probe REQUIRED)
add_executable(app transpose.cpp)
target_compile_options(app PRIVATE -x hip --offload-arch=gfx90a -O2)
probe_instrument_target(app KINDS memory)
END
configure()
{
	cmake -B app/build -S app -DCMAKE_CXX_COMPILER=hipcc "-Dprobe_DIR=$(probe-config --cmake-dir)" >cmake.log 2>&1
}
configure || fail "configure: $(cat cmake.log)"
cmake --build app/build >build.log 2>&1 || fail "build: $(cat build.log)"
record app.db -q -- "$work/app/build/app" >/dev/null
expect "bank conflicts" "$(sqlite3 app.db 'SELECT sum(conflicts) FROM probe_memory_site')" 992
expect "kinds of clones" "$(probe-report info "$work/app/build/app" | grep -c 'count')" 0

sed -i 's/KINDS memory/KINDS speed/' app/CMakeLists.txt
configure && fail "an unknown kind is accepted"
grep -q "'speed' is no kind of" cmake.log || fail "no message: $(cat cmake.log)"

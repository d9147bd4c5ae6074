# SPDX-License-Identifier: MIT
# Thin: installs packages, then CMake (CMakePresets.json) does the work.
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
CONFIGURE := cmake --preset default --log-level=WARNING

.PHONY: help demo lint tidy coverage tsan fuzz check check-long check-rocm6.1 check-rocm6.4 check-rocm7.2 bench build install package clean

help:
	@echo 'make demo     build, compile examples/transpose.hip with the plugin, run it, print the report'
	@echo 'make check    build and run every test'
	@echo 'make check-long   build and run the generators at full size: hours'
	@echo 'make check-rocm6.1   build and test under ROCr 6.1.2 and HIP 5.7.1, in a root of Debian 13 (as root)'
	@echo 'make check-rocm6.4   the same under ROCr and HIP 6.4.3, in a root of Debian forky'
	@echo 'make check-rocm7.2   the same under ROCr and HIP 7.2.4, in a root of Debian experimental'
	@echo 'make lint     cppcheck over all C code (make check leaves out simgpu/)'
	@echo 'make tidy     clang-tidy over the host code; TIDY="FOLDER..." for some folders (package clang-tidy-15)'
	@echo 'make coverage lines and functions that the unit and command tests execute'
	@echo 'make tsan     tests of what has threads (library, recorder, simulated GPU) under the thread sanitizer'
	@echo 'make fuzz     each fuzzer for FUZZ_SECONDS (3600), from FUZZ_SEED (1) on; FUZZ="NAME..." for some (clang-15)'
	@echo 'make bench    measure; prints a table and writes build/bench.json (PARTS="PART..." for some parts)'
	@echo 'make build    build only'
	@echo 'make install  install under PREFIX ($(PREFIX))'
	@echo 'make package  a Debian package in build/package, installed and tried in a mount namespace (as root)'
	@echo 'make clean    remove build/'
	@echo 'Missing Debian packages are installed first (as root or with sudo) and named.'

demo:
	@cmake/packages.sh demo
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=OFF
	@cmake --build --preset default
	@tests/demo.sh build

build:
	@cmake/packages.sh check
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default

check:
	@cmake/packages.sh check
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@ctest --preset asan
	@ctest --preset default --output-junit results.xml

check-rocm6.1:
	@cmake/debian-root.sh trixie

check-rocm6.4:
	@cmake/debian-root.sh forky

check-rocm7.2:
	@cmake/debian-root.sh experimental

check-long: build
	@ctest --preset long

lint:
	@cmake/packages.sh check
	@tests/arch/cppcheck.sh .

TIDY ?= cmds codeobj common handlers hsa-plugin llvm-plugin model pcsample rules store wire
tidy:
	@cmake/packages.sh check
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default
	@tests/arch/clang_tidy.py clang-tidy-15 build $(TIDY)

coverage:
	@cmake/packages.sh check
	@cmake --preset coverage --log-level=WARNING
	@cmake --build --preset coverage
	@ctest --preset coverage
	@tests/arch/coverage_table.py . build/coverage

tsan:
	@cmake/packages.sh check
	@cmake --preset tsan --log-level=WARNING
	@cmake --build --preset tsan
	@rm -f build/tsan/report.*
	@ctest --preset tsan
# A process of a test may be one whose status and output nothing compares.
	@! grep -l . build/tsan/report.* 2>/dev/null

fuzz:
	@cmake/packages.sh check
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default
	@cmake --preset fuzz --log-level=WARNING
	@cmake --build --preset fuzz
	@tests/fuzz/fuzz.py build build/fuzz $(FUZZ)

bench:
	@cmake/packages.sh bench
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default
	@python3 tests/bench/bench.py build --parts '$(PARTS)'

install:
	@cmake/packages.sh demo
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=OFF
	@cmake --build --preset default
	@cmake --install build --prefix $(PREFIX)

package:
	@cmake/packages.sh demo
	@$(CONFIGURE)
	@cmake --build --preset default
	@cd build && cpack -G DEB
	@cmake/package-check.sh build/package/*.deb

clean:
	@rm -rf build

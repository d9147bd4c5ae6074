# SPDX-License-Identifier: MIT
# Thin: installs packages, then CMake (CMakePresets.json) does the work.
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
CONFIGURE := cmake --preset default --log-level=WARNING

.PHONY: help demo check bench build install clean

help:
	@echo 'make demo     build, compile examples/transpose.hip with the plugin, run it, print the report'
	@echo 'make check    build and run every test'
	@echo 'make bench    measure; prints a table and writes build/bench.json'
	@echo 'make build    build only'
	@echo 'make install  install under PREFIX ($(PREFIX))'
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

check: build
	@cmake --preset asan --log-level=WARNING
	@cmake --build --preset asan
	@ctest --preset asan
	@ctest --preset default

bench:
	@cmake/packages.sh bench
	@$(CONFIGURE) -DPROBE_BUILD_TESTS=ON
	@cmake --build --preset default
	@python3 tests/bench/bench.py build

install: build
	@cmake --install build --prefix $(PREFIX)

clean:
	@rm -rf build

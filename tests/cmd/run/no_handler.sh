# SPDX-License-Identifier: MIT
probe-run -a nothing true
probe-run -a . true
probe-run -a mine.so true
probe-run -a ./mine.so true
mkdir directory
probe-run -a ./directory true

/* SPDX-License-Identifier: MIT */
/* Stands in for libprobe-sim.so, which probe-run preloads into the program: fake-app needs no GPU. */
extern int probe_test_nothing;
int probe_test_nothing;

/* SPDX-License-Identifier: MIT */
/*
 * Records ROCTx ranges and marks, from libroctx64.so: Probe's (roctx/) or AMD's of ROCm 5.3 to 6.
 */
#ifndef PROBE_HSA_PLUGIN_HOOKS_MARKERS_H
#define PROBE_HSA_PLUGIN_HOOKS_MARKERS_H

/* Does nothing unless the application has loaded the library. */
void probe_markers_install(void);

#endif

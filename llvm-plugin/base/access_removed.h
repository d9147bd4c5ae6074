/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LLVM_PLUGIN_BASE_ACCESS_REMOVED_H
#define PROBE_LLVM_PLUGIN_BASE_ACCESS_REMOVED_H

/* Metadata of a load that the back end removes from the original kernel: it is not probed. */
#define ACCESS_REMOVED "probe.removed"

#endif

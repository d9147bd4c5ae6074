/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/process/tool.h"

struct probe_tool probe_tool;

/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/tool.h"

struct probe_tool probe_tool;

/* SPDX-License-Identifier: MIT */
/* Probes for waves of 64 lanes of any target. */
#define DEV_PORTABLE 64

#include "devlib_portable.h"

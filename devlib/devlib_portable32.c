/* SPDX-License-Identifier: MIT */
/* Probes for waves of 32 lanes of any target. */
#define DEV_PORTABLE 32

#include "devlib_portable.h"

/* SPDX-License-Identifier: MIT */
/*
 * Code objects of a recording. It collects their bytes; then it stores their hash, their site table
 * and the source lines that sites refer to in the database.
 */
#ifndef PROBE_CMDS_RECORD_CODE_OBJECTS_H
#define PROBE_CMDS_RECORD_CODE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct run_code;

/* A chunk has arrived. False if it is not the next one, or without memory. */
bool run_code_bytes(struct recording *recording, struct run_code *code, uint64_t offset,
		    const unsigned char *bytes, size_t size);

#endif

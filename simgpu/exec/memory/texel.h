/* SPDX-License-Identifier: MIT */
/*
 * Elements of typed buffers and images: conversion between memory formats and four 32-bit channels.
 * Formats have the numbers of the "Buffer" and "Image Resource Descriptor" tables of the ISA
 * manual.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_TEXEL_H
#define PROBE_SIMGPU_EXEC_MEMORY_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

enum texel_number {
	TEXEL_UNORM,
	TEXEL_SNORM,
	TEXEL_USCALED,
	TEXEL_SSCALED,
	TEXEL_UINT,
	TEXEL_SINT,
	TEXEL_RESERVED,
	TEXEL_FLOAT,
	TEXEL_SRGB = 9, /* images only */
};

struct texel_format {
	uint8_t data;	/* number and width of the channels */
	uint8_t number; /* enum texel_number */
};

/* Bytes of an element; 0 if the simulator does not support the format. */
unsigned int texel_bytes(struct texel_format format);

/* True if the shader sees the channels of this format as integers. */
static inline bool texel_is_integer(struct texel_format format)
{
	return format.number == TEXEL_UINT || format.number == TEXEL_SINT;
}

/* The four channels of an element: absent ones are 0, an absent fourth is 1. */
void texel_read(struct texel_format format, const void *from, uint32_t channel[4]);

/* Rounds, clamps and packs; channels beyond those of the format are dropped. */
void texel_write(struct texel_format format, const uint32_t channel[4], void *to);

/* Applies selects 0..7 of a descriptor to the channels: constants 0 and 1, or one of them. */
void texel_select(struct texel_format format, uint32_t selects, uint32_t channel[4]);

#endif

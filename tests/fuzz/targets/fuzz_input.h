/* SPDX-License-Identifier: MIT */
/* For fuzz targets: takes an input apart. Reads after its end give zeros. */
#ifndef PROBE_TESTS_FUZZ_INPUT_H
#define PROBE_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The entry point of libFuzzer, and of replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A statement about results that is false ends the process, like a sanitizer's finding. */
#define FUZZ_ASSERT(condition)                                                                     \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

static inline size_t fuzz_take(struct fuzz_input *input, void *out, size_t size)
{
	size_t taken = size < input->left ? size : input->left;

	memset(out, 0, size);
	if (taken)
		memcpy(out, input->at, taken);
	input->at += taken;
	input->left -= taken;
	return taken;
}

static inline uint32_t fuzz_u32(struct fuzz_input *input)
{
	uint32_t ret;

	fuzz_take(input, &ret, sizeof(ret));
	return ret;
}

/* The bytes as a string, in a block of its own size. */
static inline char *fuzz_text(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_ASSERT(text);
	if (size)
		memcpy(text, bytes, size);
	text[size] = 0;
	return text;
}

/* Words of a command line, one per line of the text, which is changed. Returns their number. */
static inline int fuzz_words(char *text, char **words, int max)
{
	int count = 0;

	for (char *word = strtok(text, "\n"); word && count < max; word = strtok(NULL, "\n"))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

#ifdef PROBE_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max, unsigned seed);

/* For files with offsets: seldom moves what is behind the place that is changed. */
#define FUZZ_MUTATE_IN_PLACE                                                                       \
	size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t max, unsigned seed)     \
	{                                                                                          \
		size_t at = size ? (seed >> 4) * 2654435761u % size : 0, part = size - at;         \
                                                                                                   \
		if (!size || !(seed & 15))                                                         \
			return LLVMFuzzerMutate(bytes, size, max);                                 \
		part = part < 32 ? part : 32;                                                      \
		LLVMFuzzerMutate(bytes + at, part, part);                                          \
		return size;                                                                       \
	}
#else
#define FUZZ_MUTATE_IN_PLACE
#endif

#endif

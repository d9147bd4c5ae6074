/* SPDX-License-Identifier: MIT */
#include "wire/trace_unpack.h"

#include <stdint.h>
#include <string.h>

#include <probe/wire.h>

#define SLOTS 64u

enum { TOKEN_AGAIN = 0x00, TOKEN_STEP = 0x40, TOKEN_AFFINE = 0x80, TOKEN_BYTES = 0x81 };

/* The last affine record of a slot, and the change of its base. An empty slot has word0 0. */
struct slot {
	struct probe_rec_affine last;
	uint64_t step;
};

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* The unread input. */
struct input {
	const unsigned char *at;
	size_t left;
};

static bool get_number(struct input *in, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (!in->left)
			return false;
		byte = *in->at++;
		in->left--;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool get_bytes(struct input *in, void *out, size_t size)
{
	if (size > in->left)
		return false;
	memcpy(out, in->at, size);
	in->at += size;
	in->left -= size;
	return true;
}

static bool unpack_affine(struct input *in, unsigned token, struct slot *slots,
			  struct probe_rec_affine *ret)
{
	struct slot *slot = &slots[token % SLOTS];
	uint64_t step;

	if (token == TOKEN_AFFINE) {
		if (!get_bytes(in, ret, sizeof(*ret)))
			return false;
		slots[ret->word0 % SLOTS] = (struct slot){.last = *ret};
		return true;
	}
	if (!slot->last.word0)
		return false;
	if (token >= TOKEN_STEP) {
		if (!get_number(in, &step))
			return false;
		slot->step = unzigzag(step);
	}
	slot->last.base += slot->step;
	*ret = slot->last;
	return true;
}

bool probe_trace_unpack(const unsigned char *packed, size_t packed_size, unsigned char *out,
			size_t size)
{
	struct input in = {packed, packed_size};
	struct slot slots[SLOTS] = {0};
	size_t n = 0;

	while (in.left) {
		unsigned token = *in.at++;
		struct probe_rec_affine rec;
		uint64_t length;

		in.left--;
		if (token > TOKEN_BYTES)
			return false;
		if (token == TOKEN_BYTES) {
			if (!get_number(&in, &length) || length > size - n ||
			    !get_bytes(&in, out + n, length))
				return false;
			n += length;
			continue;
		}
		if (size - n < sizeof(rec) || !unpack_affine(&in, token, slots, &rec))
			return false;
		memcpy(out + n, &rec, sizeof(rec));
		n += sizeof(rec);
	}
	return n == size;
}

/* SPDX-License-Identifier: MIT */
#include "wire/trace_pack.h"

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

static size_t put_number(unsigned char *out, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

static uint64_t zigzag(uint64_t value)
{
	return value << 1 ^ (0 - (value >> 63));
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

static size_t pack_affine(const struct probe_rec_affine *rec, struct slot *slots,
			  unsigned char *out)
{
	unsigned s = rec->word0 % SLOTS;
	struct slot *slot = &slots[s];
	uint64_t step = rec->base - slot->last.base;
	size_t n;

	if (rec->word0 != slot->last.word0 || rec->stride != slot->last.stride ||
	    rec->exec != slot->last.exec) {
		*slot = (struct slot){.last = *rec};
		out[0] = TOKEN_AFFINE;
		memcpy(out + 1, rec, sizeof(*rec));
		return 1 + sizeof(*rec);
	}
	slot->last.base = rec->base;
	if (step == slot->step) {
		out[0] = (unsigned char)(TOKEN_AGAIN + s);
		return 1;
	}
	slot->step = step;
	out[0] = (unsigned char)(TOKEN_STEP + s);
	n = put_number(out + 1, zigzag(step));
	return 1 + n;
}

/* Size of the record at `at`, which is not affine; all remaining bytes if its size is unknown. */
static size_t other_size(const unsigned char *at, size_t left)
{
	uint32_t words[2];
	unsigned form;

	if (left < sizeof(words))
		return left;
	memcpy(words, at, sizeof(words));
	form = words[0] >> PROBE_FORM_SHIFT;
	if (form == PROBE_FORM_WAVE && left >= sizeof(struct probe_rec_wave))
		return sizeof(struct probe_rec_wave);
	if ((form == PROBE_FORM_NEAR || form == PROBE_FORM_FULL) && words[1] && words[1] % 8 == 0 &&
	    words[1] <= left)
		return words[1];
	return left;
}

static bool is_affine(const unsigned char *at, size_t left)
{
	return left >= sizeof(struct probe_rec_affine) &&
	       at[3] == PROBE_FORM_AFFINE; /* the form is the top byte of word 0 */
}

size_t probe_trace_pack(const unsigned char *bytes, size_t size, unsigned char *out)
{
	struct slot slots[SLOTS] = {0};
	size_t n = 0, pos = 0;

	while (pos < size) {
		struct probe_rec_affine rec;
		size_t from = pos;

		for (; is_affine(bytes + pos, size - pos); pos += sizeof(rec)) {
			memcpy(&rec, bytes + pos, sizeof(rec));
			n += pack_affine(&rec, slots, out + n);
		}
		from = pos;
		while (pos < size && !is_affine(bytes + pos, size - pos))
			pos += other_size(bytes + pos, size - pos);
		if (pos == from)
			continue;
		out[n++] = TOKEN_BYTES;
		n += put_number(out + n, pos - from);
		memcpy(out + n, bytes + from, pos - from);
		n += pos - from;
	}
	return n;
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

/* SPDX-License-Identifier: MIT */
/* Table probe_messages_seen: each element of each message, in hexadecimal. */
#include <stdio.h>
#include <stdlib.h>

#include <probe/handler.h>

struct seen {
	const struct probe_host *host;
	int table;
};

static const struct probe_column columns[] = {
	{"tag", PROBE_TYPE_TEXT},      {"line", PROBE_TYPE_INTEGER}, {"group_x", PROBE_TYPE_INTEGER},
	{"wave", PROBE_TYPE_INTEGER},  {"lane", PROBE_TYPE_INTEGER}, {"lanes", PROBE_TYPE_INTEGER},
	{"bytes", PROBE_TYPE_INTEGER}, {"data", PROBE_TYPE_TEXT},
};

static int seen_open(const struct probe_host *host, void **state)
{
	struct seen *seen = malloc(sizeof(*seen));

	if (!seen)
		return -1;
	seen->host = host;
	seen->table = host->table(host->ctx, "seen", columns, 8);
	*state = seen;
	return seen->table < 0 ? seen->table : 0;
}

static int seen_batch(void *state, const struct probe_batch *batch)
{
	const struct seen *seen = state;
	int err = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const struct probe_message *message = &batch->messages[i];
		const struct probe_site_info *site = seen->host->site(
			seen->host->ctx, batch->dispatch->code_object, message->site);
		uint64_t exec = message->exec;

		for (uint32_t k = 0; k < message->count && !err; k++, exec &= exec - 1) {
			const unsigned char *data =
				(const unsigned char *)message->data + k * message->stride;
			char text[2 * PROBE_MESSAGE_MAX + 1] = "";

			for (uint32_t b = 0; b < message->bytes; b++)
				sprintf(text + 2 * b, "%02x", data[b]);
			err = seen->host->row(seen->host->ctx, seen->table,
					      (const union probe_value[]){
						      {.text = site ? site->name : "?"},
						      {.integer = site ? site->line : 0},
						      {.integer = message->wave->group[0]},
						      {.integer = message->wave->wave},
						      {.integer = __builtin_ctzll(exec)},
						      {.integer = message->lanes},
						      {.integer = message->bytes},
						      {.text = text},
					      },
					      8);
		}
	}
	return err;
}

static int seen_close(void *state)
{
	free(state);
	return 0;
}

PROBE_HANDLER struct probe_handler probe_handler = {
	.size = sizeof(struct probe_handler),
	.abi = PROBE_HANDLER_ABI,
	.name = "messages",
	.summary = "what kernels say",
	.streams = PROBE_STREAM_MESSAGE,
	.open = seen_open,
	.batch = seen_batch,
	.close = seen_close,
};

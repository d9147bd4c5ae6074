/* SPDX-License-Identifier: MIT */
/* A handler with one thing wrong, which REFUSED_* says: probe-run must refuse to load it. */
#include <stddef.h>

#include <probe/handler.h>

#ifndef REFUSED_SIZE
#define REFUSED_SIZE sizeof(struct probe_handler)
#endif
#ifndef REFUSED_NAME
#define REFUSED_NAME "refused"
#endif
#ifndef REFUSED_STREAMS
#define REFUSED_STREAMS PROBE_STREAM_ACCESS
#endif
#ifndef REFUSED_BATCH
#define REFUSED_BATCH batch
#endif

static int open(const struct probe_host *host, void **state)
{
	(void)host;
	*state = NULL;
	return 0;
}

static int batch(void *state, const struct probe_batch *records)
{
	(void)state;
	(void)records;
	return 0;
}

static int close(void *state)
{
	return batch(state, NULL);
}

/* As a newer header may have it. */
struct longer {
	struct probe_handler known;
	uint64_t more;
};

extern PROBE_EXPORT const struct longer refused __asm__(PROBE_HANDLER_SYMBOL);

const struct longer refused = {
	.known =
		{
			.size = REFUSED_SIZE,
			.abi = PROBE_HANDLER_ABI,
			.name = REFUSED_NAME,
			.summary = "for tests",
			.streams = REFUSED_STREAMS,
			.open = open,
			.batch = REFUSED_BATCH,
			.close = close,
		},
	.more = 1,
};

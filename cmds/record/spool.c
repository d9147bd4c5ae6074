/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "wire/segment_reader_file.h"

#define BUFFER_BYTES (2u << 20)
#define RECORD_MAX   (1u << 20)
/* Limits of what waits for the database: in the file, in memory. */
#define AHEAD_MAX  (4ull << 30)
#define MEMORY_MAX (64ull << 20)
/* How long rings wait for a host record that a thread has begun. */
#define PATIENCE_NS 10000000000ull

#define STREAM_ROUND UINT32_MAX
#define STREAM_HOST  (UINT32_MAX - 1)

/* Followed by the item, padded to a multiple of 8. */
struct entry {
	uint32_t size; /* without the padding */
	uint32_t stream;
	uint64_t end; /* position in the ring after it */
};

/* A host record; its payload follows. */
struct host_entry {
	uint32_t type, tid;
	uint64_t time;
};

enum {
	ENTRY_MAX = sizeof(struct entry) + sizeof(struct host_entry) + RECORD_MAX,
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool ensure(struct spool_buffer *buffer, size_t capacity)
{
	unsigned char *bytes;

	if (capacity <= buffer->capacity)
		return true;
	bytes = realloc(buffer->bytes, capacity);
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return true;
}

/* From here on the recorder's memory has the only copy. */
static void give_up(struct spool *spool)
{
	spool->broken = true;
	segment_reader_unlink(spool->segment);
	if (spool->fd < 0)
		return;
	unlink(spool->path);
	/* The database needs the space of what is not complete. */
	if (ftruncate(spool->fd, (off_t)spool->written))
		return;
}

static struct probe_err *init(struct spool *spool, struct segment_reader *segment)
{
	spool->segment = segment;
	segment->hold = true;
	spool->ring_ends = calloc(segment->ring_count + 1, sizeof(*spool->ring_ends));
	if (!spool->ring_ends || !ensure(&spool->batch, BUFFER_BYTES) ||
	    !ensure(&spool->in, BUFFER_BYTES))
		return probe_err_oom();
	return NULL;
}

struct probe_err *spool_create(struct spool *spool, const char *path,
			       const struct spool_settings *settings,
			       struct segment_reader *segment)
{
	struct probe_err *err;

	*spool = (struct spool){.fd = -1, .path = strdup(path)};
	err = init(spool, segment);
	if (!err && spool->path)
		spool->fd = spool_make_file(path, settings, segment);
	spool->written = spool->taken = spool_begin(settings->options_size);
	if (spool->fd >= 0)
		memcpy(spool->recording, segment->path, sizeof(spool->recording));
	else if (!err)
		give_up(spool);
	return err;
}

void spool_end(struct spool *spool)
{
	free(spool->batch.bytes);
	free(spool->in.bytes);
	free(spool->ring_ends);
	spool->batch = spool->in = (struct spool_buffer){0};
	spool->ring_ends = NULL;
}

void spool_deinit(struct spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->path);
	spool_end(spool);
	*spool = (struct spool){.fd = -1};
}

void spool_remove(struct spool *spool)
{
	segment_reader_unlink(spool->segment);
	if (!spool->broken)
		unlink(spool->path);
}

/* ---- The file of another recorder ------------------------------------------------------------ */

static struct probe_err *read_options(struct spool *spool, const struct spool_header *header,
				      struct spool_settings *ret)
{
	uint32_t size = header->options_size;

	if (spool_read(spool->fd, spool->batch.bytes, size, sizeof(*header)) != size)
		return probe_err_create("%s: ends in its options", spool->path);
	*ret = (struct spool_settings){
		.pid = (pid_t)header->pid,
		.start = header->start,
		.kind = header->kind,
		.flags = header->flags,
		.options = (const char *)spool->batch.bytes,
		.options_size = size,
	};
	return NULL;
}

struct probe_err *spool_open(struct spool *spool, const char *path,
			     struct spool_settings *ret_settings, struct segment_reader *segment,
			     bool *ret_absent)
{
	struct spool_header header;
	struct stat status;
	struct probe_err *err;

	if (strlen(path) <= strlen(SPOOL_SUFFIX) ||
	    strcmp(path + strlen(path) - strlen(SPOOL_SUFFIX), SPOOL_SUFFIX))
		return probe_err_create("%s: its name does not end in %s", path, SPOOL_SUFFIX);
	*spool = (struct spool){.fd = spool_lock(path, true), .resumed = true};
	*segment = (struct segment_reader){.fd = -1};
	/* Another process may have finished it meanwhile. */
	*ret_absent = spool->fd < 0 || fstat(spool->fd, &status) || !status.st_nlink;
	if (*ret_absent)
		return probe_err_create("%s: %s", path,
					spool->fd < 0 ? strerror(errno) : "was removed");
	spool->path = strdup(path);
	err = spool->path ? spool_read_header(spool->fd, path, &header) : probe_err_oom();
	if (!err)
		err = spool_open_segment(&header, segment);
	if (!err)
		err = init(spool, segment);
	if (!err)
		err = read_options(spool, &header, ret_settings);
	if (err)
		return err;
	memcpy(spool->recording, header.segment, sizeof(spool->recording));
	spool->taken = spool_begin(header.options_size);
	spool->written = (uint64_t)status.st_size;
	return NULL;
}

bool spool_is_empty(const struct spool *spool)
{
	return spool->written == spool->taken;
}

void spool_continue(struct spool *spool)
{
	struct segment_reader *segment = spool->segment;

	spool->resumed = false;
	spool->written = spool->taken;
	if (ftruncate(spool->fd, (off_t)spool->written))
		give_up(spool);
	segment->loss.corrupt = spool->last.corrupt;
	segment->loss.uncommitted = spool->last.uncommitted;
	if (!*segment->path) {
		/* An empty one: nothing is left to read. */
		segment->host->head = spool->host_end;
		segment->host->emitted = spool->last.emitted;
		segment->host->dropped = spool->last.dropped;
		for (uint32_t i = 0; i < segment->ring_count; i++) {
			segment->heads[i].head = spool->ring_ends[i];
			segment->heads[i].emitted = i ? 0 : spool->last.rings.emitted;
			segment->heads[i].dropped = i ? 0 : spool->last.rings.dropped;
			segment->heads[i].waited = i ? 0 : spool->last.rings.waited;
		}
	}
	segment_reader_seek(segment, spool->host_end);
	for (uint32_t i = 0; i < segment->ring_count; i++)
		segment_reader_ring_seek(segment, i, spool->ring_ends[i]);
}

/* ---- From the segment to the file -------------------------------------------------------------
 */

/* The copies are safe: frees the segment's space. */
static void release(struct spool *spool)
{
	const struct spool_buffer *batch = &spool->batch;
	bool host = false;

	for (size_t at = 0; at < batch->size;) {
		const struct entry *entry = (const struct entry *)(batch->bytes + at);

		if (entry->stream < STREAM_HOST)
			segment_reader_ring_release(spool->segment, entry->stream, entry->end);
		host = host || entry->stream == STREAM_HOST;
		at += sizeof(*entry) + padded(entry->size);
	}
	/* Also what was skipped. */
	if (host || spool->segment->host_released != spool->segment->host_tail)
		segment_reader_release(spool->segment);
}

static void flush(struct spool *spool)
{
	struct spool_buffer *batch = &spool->batch;

	if (!spool->broken && batch->size &&
	    !spool_write(spool->fd, batch->bytes, batch->size, spool->written))
		give_up(spool);
	release(spool);
	if (spool->broken)
		return;
	if (spool->unused && spool->taken == spool->written) {
		/* What was written is what is taken next: it need not be read from the file. */
		struct spool_buffer in = spool->in;

		spool->in = *batch;
		spool->in_offset = spool->written;
		*batch = in;
		spool->written += spool->in.size;
	} else {
		spool->written += batch->size;
	}
	batch->size = 0;
}

/* Space for the largest item; false without memory. */
static bool reserve(struct spool *spool)
{
	struct spool_buffer *batch = &spool->batch;

	if (batch->capacity - batch->size >= ENTRY_MAX)
		return true;
	if (!spool->broken)
		flush(spool);
	return batch->capacity - batch->size >= ENTRY_MAX || ensure(batch, 2 * batch->capacity);
}

static void *begin_entry(struct spool *spool, uint32_t stream, uint64_t end, size_t size)
{
	struct spool_buffer *batch = &spool->batch;
	struct entry *entry = (struct entry *)(batch->bytes + batch->size);

	*entry = (struct entry){(uint32_t)size, stream, end};
	memset((unsigned char *)(entry + 1) + size, 0, padded(size) - size);
	batch->size += sizeof(*entry) + padded(size);
	return entry + 1;
}

/* Returns whether all records were read that were there at the beginning. */
static bool take_host(struct spool *spool, bool final)
{
	struct segment_reader *segment = spool->segment;
	uint64_t start = segment->host_tail;
	enum segment_state state = SEGMENT_RECORD;
	struct segment_record record;

	while (segment->host_tail - start < segment->host_size) {
		struct host_entry *to;

		if (!reserve(spool))
			return false;
		state = segment_reader_next(segment, final, &record);
		if (state != SEGMENT_RECORD)
			break;
		to = begin_entry(spool, STREAM_HOST, segment->host_tail, sizeof(*to) + record.size);
		*to = (struct host_entry){record.type, record.tid, record.time};
		memcpy(to + 1, record.payload, record.size);
	}
	if (state != SEGMENT_WAIT)
		spool->waiting = 0;
	else if (!spool->waiting)
		spool->waiting = now_ns();
	return !spool->waiting || now_ns() - spool->waiting > PATIENCE_NS;
}

static void take_rings(struct spool *spool)
{
	struct segment_reader *segment = spool->segment;

	for (uint32_t i = 0; i < segment->ring_count; i++) {
		const struct segment_ring *ring = &segment->rings[i];

		while (ring->limit != ring->tail && reserve(spool)) {
			struct entry *entry =
				(struct entry *)(spool->batch.bytes + spool->batch.size);
			size_t size = segment_reader_ring_peek(segment, i, entry + 1);

			if (!size)
				break;
			segment_reader_ring_consume(segment, i, size);
			begin_entry(spool, i, ring->tail, size);
		}
	}
}

static void put_round(struct spool *spool, bool drained)
{
	struct segment_reader *segment = spool->segment;
	struct spool_round *round;

	if (!reserve(spool))
		return;
	round = begin_entry(spool, STREAM_ROUND, segment->host_tail, sizeof(*round));
	*round = (struct spool_round){
		.emitted = segment_reader_emitted(segment),
		.dropped = segment_reader_dropped(segment),
		.corrupt = segment->loss.corrupt,
		.uncommitted = segment->loss.uncommitted,
		.rings = segment_reader_ring_counts(segment),
		.drained = drained,
	};
}

bool spool_fill(struct spool *spool, struct spool_round_options options)
{
	uint64_t before = spool->written + spool->batch.size;
	bool complete, any;

	spool->unused = options.unused;
	segment_reader_beat(spool->segment, false);
	if (spool->resumed || spool->written - spool->taken > AHEAD_MAX ||
	    (spool->broken && spool->batch.size > MEMORY_MAX))
		return false;
	if (options.rings)
		segment_reader_snapshot(spool->segment);
	complete = take_host(spool, options.final);
	if (options.rings && complete)
		take_rings(spool);
	any = spool->written + spool->batch.size != before;
	/* Else the round goes on with the next call: its rings have not been read. */
	if (complete && (any || options.empty || options.final))
		put_round(spool, options.final && !any);
	flush(spool);
	return any;
}

/* ---- From the file ----------------------------------------------------------------------------
 */

/* Bytes of the next item, at least `size` if there are as many. */
static const unsigned char *look(struct spool *spool, size_t size)
{
	uint64_t at = spool->taken - spool->in_offset;

	if (spool->in_memory)
		return spool->in.size - spool->in_at >= size ? spool->in.bytes + spool->in_at
							     : NULL;
	if (spool->written - spool->taken < size)
		return NULL;
	if (at > spool->in.size || spool->in.size - at < size) {
		uint64_t rest = spool->written - spool->taken;

		spool->in_offset = spool->taken;
		spool->in.size =
			spool_read(spool->fd, spool->in.bytes,
				   rest < BUFFER_BYTES ? rest : BUFFER_BYTES, spool->taken);
		at = 0;
	}
	return spool->in.size - at >= size ? spool->in.bytes + at : NULL;
}

static bool parse(struct spool *spool, const struct entry *entry, struct spool_item *ret)
{
	const unsigned char *bytes = (const unsigned char *)(entry + 1);
	struct host_entry host;

	if (entry->end % 8)
		return false;
	*ret = (struct spool_item){.bytes = bytes, .size = entry->size};
	if (entry->stream == STREAM_ROUND && entry->size == sizeof(ret->round)) {
		ret->type = SPOOL_ROUND;
		memcpy(&ret->round, bytes, sizeof(ret->round));
		spool->last = ret->round;
		spool->host_end = entry->end;
		return true;
	}
	if (entry->stream == STREAM_HOST && entry->size >= sizeof(host)) {
		memcpy(&host, bytes, sizeof(host));
		ret->type = SPOOL_HOST;
		ret->record = (struct segment_record){
			.type = host.type,
			.tid = host.tid,
			.time = host.time,
			.payload = bytes + sizeof(host),
			.size = entry->size - sizeof(host),
		};
		spool->host_end = entry->end;
		return true;
	}
	if (entry->stream >= spool->segment->ring_count || entry->size % 8 ||
	    entry->size > segment_reader_ring_size(spool->segment, entry->stream))
		return false;
	ret->type = SPOOL_RING;
	ret->ring = entry->stream;
	spool->ring_ends[entry->stream] = entry->end;
	return true;
}

static bool take(struct spool *spool, struct spool_item *ret)
{
	const struct entry *entry = (const struct entry *)look(spool, sizeof(*entry));
	size_t size;

	if (!entry || entry->size > ENTRY_MAX - sizeof(*entry))
		return false;
	size = sizeof(*entry) + padded(entry->size);
	entry = (const struct entry *)look(spool, size);
	if (!entry || !parse(spool, entry, ret))
		return false;
	if (spool->in_memory)
		spool->in_at += size;
	else
		spool->taken += size;
	return true;
}

bool spool_holds(struct spool *spool, uint64_t bytes)
{
	uint64_t begin = spool->taken;
	struct spool_item item;
	bool ret;

	while (spool->taken < bytes && take(spool, &item))
		;
	ret = spool->taken >= bytes;
	spool->taken = begin;
	spool->host_end = 0;
	memset(spool->ring_ends, 0, spool->segment->ring_count * sizeof(*spool->ring_ends));
	spool->last = (struct spool_round){0};
	return ret;
}

bool spool_next(struct spool *spool, struct spool_item *ret)
{
	struct spool_buffer in;

	if (take(spool, ret))
		return true;
	if (spool->resumed)
		return false; /* the end, or what was being written there */
	if (!spool->in_memory && spool->taken != spool->written) {
		/* Another process has changed the file. */
		spool->segment->loss.corrupt++;
		spool->taken = spool->written;
	}
	if (!spool->broken || !spool->batch.size)
		return false;
	if (spool->fd >= 0) {
		/* All of the file has been taken. */
		close(spool->fd);
		spool->fd = -1;
	}
	in = spool->in;
	spool->in = spool->batch;
	spool->batch = in;
	spool->batch.size = spool->in_at = 0;
	spool->in_memory = true;
	return take(spool, ret);
}

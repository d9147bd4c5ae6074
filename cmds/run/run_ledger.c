/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/run_ledger.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* Pages are used as they are written: some hundred bytes per process, or 1.5 KB with a summary. */
#define LEDGER_BYTES (64u << 20)

/* Entries from the beginning, summaries from the end. */
struct run_ledger {
	uint64_t entries_end, summaries_begin;
	alignas(8) unsigned char bytes[LEDGER_BYTES - 2 * sizeof(uint64_t)];
};

struct run_ledger *run_ledger_create(void)
{
	struct run_ledger *ledger = mmap(NULL, sizeof(*ledger), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (ledger == MAP_FAILED)
		return NULL;
	ledger->summaries_begin = sizeof(ledger->bytes);
	return ledger;
}

void run_ledger_destroy(struct run_ledger *ledger)
{
	if (ledger)
		munmap(ledger, sizeof(*ledger));
}

struct ledger_entry *run_ledger_add(struct run_ledger *ledger, pid_t pid, const char *path)
{
	size_t length = strlen(path) + 1;
	uint64_t size = (sizeof(struct ledger_entry) + length + 7) & ~7ull;
	struct ledger_entry *entry = (struct ledger_entry *)(ledger->bytes + ledger->entries_end);

	if (size > ledger->summaries_begin - ledger->entries_end)
		return NULL;
	entry->size = (uint32_t)size;
	entry->pid = pid;
	memcpy(entry->path, path, length);
	/* A recorder that is killed before this has added nothing. */
	atomic_signal_fence(memory_order_release);
	ledger->entries_end += size;
	return entry;
}

struct ledger_entry *run_ledger_next(struct run_ledger *ledger, const struct ledger_entry *entry)
{
	unsigned char *at = entry ? (unsigned char *)entry + entry->size : ledger->bytes;

	return at < ledger->bytes + ledger->entries_end ? (struct ledger_entry *)at : NULL;
}

struct ledger_entry *run_ledger_ended(struct run_ledger *ledger, const struct ledger_entry *entry)
{
	struct ledger_entry *next = run_ledger_next(ledger, entry);

	while (next && atomic_load(&next->state) != LEDGER_COMPLETE &&
	       atomic_load(&next->state) != LEDGER_FAILED)
		next = run_ledger_next(ledger, next);
	return next;
}

static uint64_t put_summary(struct run_ledger *ledger, const char *summary, size_t size)
{
	if (!summary || size > ledger->summaries_begin - ledger->entries_end)
		return 0;
	ledger->summaries_begin -= size;
	memcpy(ledger->bytes + ledger->summaries_begin, summary, size);
	return ledger->summaries_begin;
}

void run_ledger_end(struct run_ledger *ledger, struct ledger_entry *entry,
		    const struct recording *recording, const char *summary, size_t summary_size)
{
	struct stat status = {0};

	recording_outcome(recording, &entry->outcome);
	entry->summary = put_summary(ledger, summary, summary_size);
	if (!stat(entry->path, &status)) {
		entry->device = status.st_dev;
		entry->inode = status.st_ino;
	}
	atomic_store(&entry->state, entry->outcome.failed ? LEDGER_FAILED : LEDGER_COMPLETE);
}

bool run_ledger_in_place(const struct ledger_entry *entry)
{
	struct stat status;

	return !lstat(entry->path, &status) && status.st_dev == entry->device &&
	       status.st_ino == entry->inode;
}

const char *run_ledger_summary(const struct run_ledger *ledger, const struct ledger_entry *entry)
{
	return entry->summary ? (const char *)ledger->bytes + entry->summary : "";
}

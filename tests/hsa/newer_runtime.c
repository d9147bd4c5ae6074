/* SPDX-License-Identifier: MIT */
/*
 * Stands in for a ROCr after 7.2, whose table of AMD functions has counted queues and
 * hsa_amd_queue_create: a tool (HSA_TOOLS_LIB) that loads another (NEWER_RUNTIME_TOOL), and gives
 * it the runtime's table with these functions added. They make queues by the runtime's
 * hsa_queue_create. Layouts: hsa_api_trace.h and hsa_ext_amd.h of AMD's interface 1.31.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "tests/hsa/newer_runtime.h"

enum {
	CORE_QUEUE_CREATE = 7,
	CORE_QUEUE_DESTROY = 9,
	OLD_BYTES = 456,   /* smaller tables (ROCr 5.2 to 5.5) have other places */
	OLD_INSERTED = 16, /* in 5.2, two functions are missing from here on */
	OLD_LAST = 38,	   /* the last entry of 5.2 that is needed here */
	OLD_GET_MASK = 47,
	SET_MASK = 10,
	SET_PRIORITY = 39,
	GET_MASK = 52,
	COUNTED_ACQUIRE = 76,
	COUNTED_RELEASE = 77,
	QUEUE_CREATE = 86,
	ENTRIES = 91,
	STEP = 0x12,
};

#define EXPORT __attribute__((visibility("default")))

typedef void (*entry)(void);

struct table {
	uint32_t major_id, minor_id, step_id, reserved;
	entry entries[];
};

struct root {
	uint32_t major_id, minor_id, step_id, reserved;
	struct table *parts[2];
	void *rest[8];
};

static struct {
	struct table version;
	entry entries[ENTRIES];
} newer;
static struct table *const newer_table = (struct table *)&newer;

static __typeof__(hsa_queue_create) *create;
static __typeof__(hsa_queue_destroy) *destroy;
static __typeof__(hsa_amd_queue_set_priority) *set_priority;
static __typeof__(hsa_amd_queue_cu_set_mask) *set_mask;

static hsa_status_t create_one(hsa_agent_t agent, struct newer_descriptor *d)
{
	hsa_status_t status;

	d->queue = NULL;
	if (d->version != 1 || d->traffic_class || d->header[0] || d->reserved[0] ||
	    !d->queue_size_bytes || d->queue_size_bytes % 64 || d->priority > 2)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	if (d->engine_type)
		return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
	status = create(agent, d->queue_size_bytes / 64, d->compute.type, d->callback,
			d->callback_data, d->compute.private_segment_size, UINT32_MAX, &d->queue);
	if (!status && d->compute.cu_mask_count)
		status = set_mask(d->queue, d->compute.cu_mask_count, d->compute.cu_mask);
	if (!status)
		status = set_priority(d->queue, d->priority);
	return status;
}

static hsa_status_t queue_create(hsa_agent_t agent, struct newer_descriptor *descs, uint32_t count)
{
	hsa_status_t first = descs && count ? 0 : HSA_STATUS_ERROR_INVALID_ARGUMENT;

	for (uint32_t i = 0; descs && i < count; i++) {
		hsa_status_t status = create_one(agent, &descs[i]);

		first = first ? first : status;
	}
	return first;
}

/* Every one is a hardware queue: the runtime may share them, but need not. */
static hsa_status_t acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
			    void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			    uint64_t flags, hsa_queue_t **queue)
{
	(void)flags;
	if (type != HSA_QUEUE_TYPE_MULTI)
		return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
	if (priority > 2 || !queue)
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	return create(agent, 1024, type, callback, data, 0, 0, queue);
}

static hsa_status_t release(hsa_queue_t *queue)
{
	return queue ? destroy(queue) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* Where the runtime's table has the entry of a newer one; -1 = nowhere. */
static int place(const struct table *own, int index)
{
	int place = index;

	if (own->minor_id < OLD_BYTES) {
		if (index == GET_MASK)
			place = OLD_GET_MASK;
		else if (index == OLD_INSERTED || index == OLD_INSERTED + 1 || index > OLD_LAST + 2)
			place = -1;
		else if (index > OLD_INSERTED)
			place = index - 2;
	}
	if (place >= 0 && 16 + 8 * ((uint32_t)place + 1) > own->minor_id)
		place = -1;
	return place;
}

static void fill(const struct root *root)
{
	const struct table *own = root->parts[1];

	newer_table->major_id = own->major_id;
	newer_table->minor_id = sizeof(newer);
	newer_table->step_id = STEP;
	for (int i = 0; i < ENTRIES; i++)
		newer_table->entries[i] = place(own, i) < 0 ? NULL : own->entries[place(own, i)];
	create = (__typeof__(create))root->parts[0]->entries[CORE_QUEUE_CREATE];
	destroy = (__typeof__(destroy))root->parts[0]->entries[CORE_QUEUE_DESTROY];
	set_priority = (__typeof__(set_priority))newer_table->entries[SET_PRIORITY];
	set_mask = (__typeof__(set_mask))newer_table->entries[SET_MASK];
	newer_table->entries[COUNTED_ACQUIRE] = (entry)acquire;
	newer_table->entries[COUNTED_RELEASE] = (entry)release;
	newer_table->entries[QUEUE_CREATE] = (entry)queue_create;
}

/* The program's calls of older functions go through the runtime's own table. */
static void give_back(const struct root *root)
{
	for (int i = 0; i < ENTRIES; i++)
		if (place(root->parts[1], i) >= 0)
			root->parts[1]->entries[place(root->parts[1], i)] = newer_table->entries[i];
}

EXPORT bool OnLoad(struct root *root, uint64_t version, uint64_t failed_count,
		   const char *const *failed);
EXPORT void OnUnload(void);

bool OnLoad(struct root *root, uint64_t version, uint64_t failed_count, const char *const *failed)
{
	const char *name = getenv("NEWER_RUNTIME_TOOL");
	void *tool = name ? dlopen(name, RTLD_NOW) : NULL;
	bool (*load)(struct root *, uint64_t, uint64_t, const char *const *) = NULL;
	struct root copy;

	fill(root);
	if (!tool)
		return true;
	*(void **)&load = dlsym(tool, "OnLoad");
	memcpy(&copy, root, root->minor_id < sizeof(copy) ? root->minor_id : sizeof(copy));
	copy.parts[1] = newer_table;
	load(&copy, version, failed_count, failed);
	give_back(root);
	return true;
}

void OnUnload(void)
{
	const char *name = getenv("NEWER_RUNTIME_TOOL");
	void *tool = name ? dlopen(name, RTLD_NOW | RTLD_NOLOAD) : NULL;
	void (*unload)(void) = NULL;

	if (tool)
		*(void **)&unload = dlsym(tool, "OnUnload");
	if (unload)
		unload();
}

hsa_status_t newer_queue_create(hsa_agent_t agent, struct newer_descriptor *descs, uint32_t count)
{
	return ((newer_queue_create_fn *)newer_table->entries[QUEUE_CREATE])(agent, descs, count);
}

hsa_status_t newer_counted_acquire(hsa_agent_t agent, uint32_t type, uint32_t priority,
				   void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				   void *data, uint64_t flags, hsa_queue_t **queue)
{
	return ((newer_counted_acquire_fn *)newer_table->entries[COUNTED_ACQUIRE])(
		agent, type, priority, callback, data, flags, queue);
}

hsa_status_t newer_counted_release(hsa_queue_t *queue)
{
	return ((newer_counted_release_fn *)newer_table->entries[COUNTED_RELEASE])(queue);
}

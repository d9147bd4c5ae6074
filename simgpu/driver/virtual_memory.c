/* SPDX-License-Identifier: MIT */
/*
 * dma-bufs and libdrm's buffer objects. A dma-buf is a memory file that names a part of the render
 * file; it works in this process only. Unlike the kernel's, it does not keep memory that is freed.
 * Of libdrm's interface only what is accessed is declared, and calls about other objects go to
 * libdrm.
 */
#include "simgpu/driver/virtual_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/driver_export.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/libdrm_calls.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/mem/gpu_allocations.h"

#define DMABUF_MAGIC 0x4655424d41444d53ull

enum {
	/* amdgpu_bo_handle_type */
	HANDLE_KMS = 1,
	HANDLE_DMABUF = 2,
	/* operations of amdgpu_bo_va_op(), and flags */
	OP_MAP = 1,
	OP_UNMAP = 2,
	PAGE_WRITEABLE = 1 << 2,
	PAGE_EXECUTABLE = 1 << 3,
	GEM_MMAP = 1, /* DRM_AMDGPU_GEM_MMAP */
};

/* The content of a dma-buf's file. */
struct dmabuf {
	uint64_t magic;
	struct sim_memory_part part;
};

/* amdgpu_bo_handle. As in libdrm, a GPU has one for the same memory, however often it is imported.
 */
struct amdgpu_bo {
	struct sim_memory_part part;
	uint32_t node; /* of the GPU into which it is imported */
	uint32_t id;   /* the kernel's handle */
	uint32_t uses;
	void *host;
	struct amdgpu_bo *next;
};

struct import_result {
	struct amdgpu_bo *object;
	uint64_t size;
};

/* A range that is mapped to GPUs. */
struct mapping {
	uint64_t address, size;
	uint32_t nodes; /* bit n: node n */
	struct mapping *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct amdgpu_bo *objects;
static struct mapping *mappings;
static uint32_t last_id;

int sim_dmabuf_create(const struct sim_memory_part *part, int flags)
{
	const struct dmabuf content = {DMABUF_MAGIC, *part};
	int fd = memfd_create("probe-sim-dmabuf", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	if (fd < 0)
		return -errno;
	if (pwrite(fd, &content, sizeof(content), 0) == sizeof(content))
		return fd;
	close(fd);
	return -ENOMEM;
}

static bool ours(const struct amdgpu_bo *object)
{
	const struct amdgpu_bo *one;

	pthread_mutex_lock(&lock);
	for (one = objects; one && one != object; one = one->next)
		;
	pthread_mutex_unlock(&lock);
	return one;
}

/* Under the lock. */
static struct amdgpu_bo *use_object(const struct sim_memory_part *part, uint32_t node)
{
	struct amdgpu_bo *object = objects;

	while (object && (object->part.offset != part->offset || object->node != node))
		object = object->next;
	if (!object) {
		object = calloc(1, sizeof(*object));
		if (!object)
			return NULL;
		*object = (struct amdgpu_bo){
			.part = *part, .node = node, .id = ++last_id, .next = objects};
		objects = object;
	}
	object->uses++;
	return object;
}

int amdgpu_bo_import(struct amdgpu_device *device, unsigned type, uint32_t handle,
		     struct import_result *ret);
SIM_DRIVER_EXPORT int amdgpu_bo_import(struct amdgpu_device *device, unsigned type, uint32_t handle,
				       struct import_result *ret)
{
	struct amdgpu_bo *object;
	struct dmabuf content;

	if (!sim_drm_node(device))
		return SIM_LIBDRM(amdgpu_bo_import, device, type, handle, ret);
	if (type != HANDLE_DMABUF ||
	    pread((int)handle, &content, sizeof(content), 0) != sizeof(content) ||
	    content.magic != DMABUF_MAGIC)
		return -EINVAL;
	pthread_mutex_lock(&lock);
	object = use_object(&content.part, sim_drm_node(device));
	pthread_mutex_unlock(&lock);
	if (!object)
		return -ENOMEM;
	*ret = (struct import_result){object, object->part.size};
	return 0;
}

/* Under the lock. */
static void release_object(struct amdgpu_bo *object)
{
	struct amdgpu_bo **link = &objects;

	if (--object->uses)
		return;
	while (*link != object)
		link = &(*link)->next;
	*link = object->next;
	if (object->host)
		munmap(object->host, object->part.size);
	free(object);
}

int amdgpu_bo_free(struct amdgpu_bo *object);
SIM_DRIVER_EXPORT int amdgpu_bo_free(struct amdgpu_bo *object)
{
	if (!ours(object))
		return SIM_LIBDRM(amdgpu_bo_free, object);
	pthread_mutex_lock(&lock);
	release_object(object);
	pthread_mutex_unlock(&lock);
	return 0;
}

int amdgpu_bo_export(struct amdgpu_bo *object, unsigned type, uint32_t *ret);
SIM_DRIVER_EXPORT int amdgpu_bo_export(struct amdgpu_bo *object, unsigned type, uint32_t *ret)
{
	int fd;

	if (!ours(object))
		return SIM_LIBDRM(amdgpu_bo_export, object, type, ret);
	if (type == HANDLE_KMS) {
		*ret = object->id;
		return 0;
	}
	if (type != HANDLE_DMABUF)
		return -EINVAL;
	fd = sim_dmabuf_create(&object->part, O_CLOEXEC);
	if (fd < 0)
		return fd;
	*ret = (uint32_t)fd;
	return 0;
}

int amdgpu_bo_cpu_map(struct amdgpu_bo *object, void **ret);
SIM_DRIVER_EXPORT int amdgpu_bo_cpu_map(struct amdgpu_bo *object, void **ret)
{
	void *pages;

	if (!ours(object))
		return SIM_LIBDRM(amdgpu_bo_cpu_map, object, ret);
	if (!object->host) {
		pages = sim_render_view(object->part.offset, object->part.size);
		if (!pages)
			return -ENOMEM;
		object->host = pages;
	}
	*ret = object->host;
	return 0;
}

/* Descriptions of images, for other processes. */
int amdgpu_bo_query_info(struct amdgpu_bo *object, void *info);
SIM_DRIVER_EXPORT int amdgpu_bo_query_info(struct amdgpu_bo *object, void *info)
{
	return ours(object) ? -ENOSYS : SIM_LIBDRM(amdgpu_bo_query_info, object, info);
}

int amdgpu_bo_set_metadata(struct amdgpu_bo *object, void *metadata);
SIM_DRIVER_EXPORT int amdgpu_bo_set_metadata(struct amdgpu_bo *object, void *metadata)
{
	return ours(object) ? -ENOSYS : SIM_LIBDRM(amdgpu_bo_set_metadata, object, metadata);
}

/* Under the lock. */
static uint64_t offset_of(uint32_t id)
{
	for (const struct amdgpu_bo *object = objects; object; object = object->next)
		if (object->id == id)
			return object->part.offset;
	return UINT64_MAX;
}

/* Where the host finds a buffer object in the render file. */
int drmCommandWriteRead(int fd, unsigned long command, void *data, unsigned long size);
SIM_DRIVER_EXPORT int drmCommandWriteRead(int fd, unsigned long command, void *data,
					  unsigned long size)
{
	uint64_t *args = data, offset;

	if (!sim_is_render(fd))
		return SIM_LIBDRM(drmCommandWriteRead, fd, command, data, size);
	if (command != GEM_MMAP || size != sizeof(*args))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	offset = offset_of((uint32_t)*args);
	pthread_mutex_unlock(&lock);
	if (offset == UINT64_MAX)
		return -ENOENT;
	*args = offset;
	return 0;
}

/* ---- Mappings to GPUs ----------------------------------------------------------------------- */

struct request {
	const struct amdgpu_bo *object;
	uint64_t offset, size, address;
	uint32_t access;
};

/* Under the lock: where the list has it, or has its end. */
static struct mapping **find(uint64_t address, uint64_t size)
{
	struct mapping **link = &mappings;

	while (*link && ((*link)->address != address || (*link)->size != size))
		link = &(*link)->next;
	return link;
}

/* The machine accesses memory at the GPU's address, so the host maps it there as well. */
static int add_mapping(const struct request *want, struct mapping **link)
{
	const struct sim_block block = {
		.kind = SIM_BLOCK_ALLOC,
		.base = want->address,
		.size = want->size,
		.node = want->object->part.node,
		.access = want->access,
		.counted = true,
	};
	struct mapping *mapping = calloc(1, sizeof(*mapping));
	int err = mapping ? sim_render_map(want->address, want->object->part.offset + want->offset,
					   want->size)
			  : -ENOMEM;

	err = err ? err : sim_mem_adopt(&block);
	if (err) {
		free(mapping);
		return err;
	}
	mapping->address = want->address;
	mapping->size = want->size;
	*link = mapping;
	return 0;
}

/* Under the lock. */
static int map(const struct request *want)
{
	struct mapping **link = find(want->address, want->size);
	uint32_t bit = 1u << want->object->node;
	int err = 0;

	if (!sim_user_mapped(want->address, want->size))
		return -EINVAL;
	if (!*link)
		err = add_mapping(want, link);
	err = err ? err : sim_mem_set_nodes(want->address, (*link)->nodes | bit);
	if (!err)
		(*link)->nodes |= bit;
	return err;
}

/* Under the lock. The host's mapping stays, since the runtime may have made it for the CPU. */
static int unmap(const struct request *want)
{
	struct mapping **link = find(want->address, want->size), *mapping = *link;
	int err;

	if (!mapping || !(mapping->nodes >> want->object->node & 1))
		return -EINVAL;
	mapping->nodes &= ~(1u << want->object->node);
	if (mapping->nodes)
		return sim_mem_set_nodes(mapping->address, mapping->nodes);
	err = sim_mem_disown(mapping->address);
	if (err)
		return err;
	*link = mapping->next;
	free(mapping);
	return 0;
}

static int check(const struct request *want)
{
	const struct sim_memory_part *part = &want->object->part;

	if (!want->size || (want->size | want->offset | want->address) % SIM_PAGE)
		return -EINVAL;
	return want->offset > part->size || want->size > part->size - want->offset ? -EINVAL : 0;
}

int amdgpu_bo_va_op(struct amdgpu_bo *object, uint64_t offset, uint64_t size, uint64_t address,
		    uint64_t flags, uint32_t operation);
SIM_DRIVER_EXPORT int amdgpu_bo_va_op(struct amdgpu_bo *object, uint64_t offset, uint64_t size,
				      uint64_t address, uint64_t flags, uint32_t operation)
{
	const struct request want = {
		.object = object,
		.offset = offset,
		.size = size,
		.address = address,
		.access = SIM_MEM_READ | (flags & PAGE_WRITEABLE ? SIM_MEM_WRITE : 0) |
			  (flags & PAGE_EXECUTABLE ? SIM_MEM_EXEC : 0),
	};
	int err;

	if (!ours(object))
		return SIM_LIBDRM(amdgpu_bo_va_op, object, offset, size, address, flags, operation);
	err = check(&want);
	if (err || (operation != OP_MAP && operation != OP_UNMAP))
		return -EINVAL;
	pthread_mutex_lock(&lock);
	err = operation == OP_MAP ? map(&want) : unmap(&want);
	pthread_mutex_unlock(&lock);
	sim_debug(1, "%s %llu bytes of node %u at 0x%llx for node %u: %d",
		  operation == OP_MAP ? "map" : "unmap", (unsigned long long)size,
		  object->part.node, (unsigned long long)address, object->node, err);
	return err;
}

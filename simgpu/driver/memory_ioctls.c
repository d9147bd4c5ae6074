/* SPDX-License-Identifier: MIT */
/*
 * Calls for memory. The driver never maps memory into the process. The thunk reserves an address,
 * passes it here, and maps the render node's file there itself if the host may access it. Other
 * memory is mapped for the machine's own accesses when it is mapped to a GPU.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/driver/virtual_memory.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/mem/managed_memory.h"

#define TYPES                                                                                      \
	(KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |                              \
	 KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |                      \
	 KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)

/* One allocation. The low half of its handle is its index + 1. */
struct buffer {
	bool used;
	uint32_t node, type;
	uint64_t va, size;
	uint64_t offset;    /* in the render file; UINT64_MAX: it is not in the file */
	uint32_t mapped_to; /* bit n: node n */
};

/*
 * Memory that is allocated without an address gets one that no process has. It is never mapped
 * there, but through a dma-buf.
 */
static uint64_t next_without_address = (uint64_t)1 << 62;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer *buffers;
static uint32_t capacity, first_free;

static uint64_t handle_of(const struct buffer *buffer)
{
	return (uint64_t)sim_gpu_id(buffer->node) << 32 | (uint64_t)(buffer - buffers + 1);
}

/* Under the lock. */
static struct buffer *buffer_of(uint64_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	if (index >= capacity || !buffers[index].used ||
	    sim_gpu_node((uint32_t)(handle >> 32)) != buffers[index].node)
		return NULL;
	return &buffers[index];
}

uint64_t sim_handle_address(uint64_t handle)
{
	const struct buffer *buffer;
	uint64_t address;

	pthread_mutex_lock(&lock);
	buffer = buffer_of(handle);
	address = buffer && buffer->type == KFD_IOC_ALLOC_MEM_FLAGS_GTT ? buffer->va : 0;
	pthread_mutex_unlock(&lock);
	return address;
}

/* Under the lock. */
static struct buffer *take_buffer(void)
{
	uint32_t index = first_free, grown = capacity ? 2 * capacity : 64;
	struct buffer *moved;

	while (index < capacity && buffers[index].used)
		index++;
	if (index == capacity) {
		moved = realloc(buffers, grown * sizeof(*buffers));
		if (!moved)
			return NULL;
		memset(&moved[capacity], 0, (grown - capacity) * sizeof(*moved));
		buffers = moved;
		capacity = grown;
	}
	first_free = index + 1;
	return &buffers[index];
}

/* Under the lock. */
static void release_buffer(struct buffer *buffer)
{
	uint32_t index = (uint32_t)(buffer - buffers);

	*buffer = (struct buffer){0};
	if (index < first_free)
		first_free = index;
}

static int check(const struct kfd_ioctl_alloc_memory_of_gpu_args *want)
{
	uint32_t type = want->flags & TYPES;

	if (!want->size || !sim_gpu_node(want->gpu_id))
		return -EINVAL;
	if (!type || (type & (type - 1)) || want->size > (uint64_t)1 << 46)
		return -EINVAL;
	if (type == KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL && want->size != SIM_KFD_DOORBELL_BYTES)
		return -EINVAL;
	if (type == KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)
		return want->size == SIM_PAGE ? -ENOMEM : -EINVAL;
	if (type == KFD_IOC_ALLOC_MEM_FLAGS_VRAM &&
	    (want->flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) && !sim_options()->large_bar)
		return -EINVAL;
	return 0;
}

static uint32_t access_of(uint32_t flags)
{
	uint32_t access = SIM_MEM_READ;

	if (flags & SIM_KFD_WRITABLE)
		access |= SIM_MEM_WRITE;
	if (flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
		access |= SIM_MEM_EXEC;
	return access;
}

/* Under the lock. */
static int make_buffer(const struct kfd_ioctl_alloc_memory_of_gpu_args *want, struct buffer *ret)
{
	struct sim_block block = {
		.kind = SIM_BLOCK_ALLOC,
		.base = want->va_addr,
		.size = (want->size + SIM_PAGE - 1) & ~(uint64_t)(SIM_PAGE - 1),
		.node = SIM_NODE_CPU,
		.access = access_of(want->flags),
	};
	struct buffer buffer = {
		.used = true,
		.node = sim_gpu_node(want->gpu_id),
		.type = want->flags & TYPES,
		.va = want->va_addr,
		.size = block.size,
		.offset = UINT64_MAX,
	};
	int err;

	switch (buffer.type) {
	case KFD_IOC_ALLOC_MEM_FLAGS_VRAM:
		block.node = buffer.node;
		if (want->va_addr)
			break;
		buffer.va = block.base = next_without_address;
		next_without_address += block.size;
		break;
	case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
		/* The kernel pins the pages. */
		if (!sim_user_mapped(want->mmap_offset, want->size))
			return -EFAULT;
		block.kind = SIM_BLOCK_USER;
		block.base = want->mmap_offset;
		block.gpu = want->va_addr;
		block.size = want->size;
		break;
	default:
		break;
	}
	err = sim_mem_adopt(&block);
	if (err)
		return err;
	/* Last, because it cannot be given back. */
	if (buffer.type & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT)) {
		buffer.offset = sim_render_take(block.size);
		if (buffer.offset == UINT64_MAX) {
			sim_mem_disown(buffer.va);
			return -ENOMEM;
		}
	}
	*ret = buffer;
	return 0;
}

static int alloc_locked(struct kfd_ioctl_alloc_memory_of_gpu_args *want)
{
	struct buffer *buffer = take_buffer();
	int err;

	if (!buffer)
		return -ENOMEM;
	err = make_buffer(want, buffer);
	if (err) {
		release_buffer(buffer);
		return err;
	}
	want->handle = handle_of(buffer);
	want->mmap_offset = buffer->offset == UINT64_MAX ? SIM_DOORBELL_OFFSET : buffer->offset;
	return 0;
}

int sim_ioctl_alloc_memory(void *args, size_t size)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args *want = args;
	int err = check(want);

	(void)size;
	if (err)
		return err;
	pthread_mutex_lock(&lock);
	err = alloc_locked(want);
	pthread_mutex_unlock(&lock);
	sim_debug(1, "alloc node %u, %llu bytes at 0x%llx, flags 0x%x: %s",
		  sim_gpu_node(want->gpu_id), (unsigned long long)want->size,
		  (unsigned long long)want->va_addr, want->flags, err ? strerror(-err) : "ok");
	return err;
}

static int free_locked(uint64_t handle)
{
	struct buffer *buffer = buffer_of(handle);
	int err;

	if (!buffer)
		return -EINVAL;
	err = sim_mem_disown(buffer->va);
	if (err)
		return err;
	if (buffer->offset != UINT64_MAX)
		sim_render_drop(buffer->offset, buffer->size);
	release_buffer(buffer);
	return 0;
}

int sim_ioctl_free_memory(void *args, size_t size)
{
	const struct kfd_ioctl_free_memory_of_gpu_args *want = args;
	int err;

	(void)size;
	pthread_mutex_lock(&lock);
	err = free_locked(want->handle);
	pthread_mutex_unlock(&lock);
	return err;
}

/* Under the lock: the part of the render file that a handle stands for. */
static int part_of(uint64_t handle, struct sim_memory_part *ret)
{
	const struct buffer *buffer = buffer_of(handle);

	if (!buffer || buffer->offset == UINT64_MAX)
		return -EINVAL;
	*ret = (struct sim_memory_part){
		.offset = buffer->offset,
		.size = buffer->size,
		.node = buffer->type == KFD_IOC_ALLOC_MEM_FLAGS_VRAM ? buffer->node : SIM_NODE_CPU,
	};
	return 0;
}

int sim_ioctl_export_dmabuf(void *args, size_t size)
{
	struct sim_kfd_export_dmabuf_args *want = args;
	struct sim_memory_part part;
	int fd;

	(void)size;
	pthread_mutex_lock(&lock);
	fd = part_of(want->handle, &part);
	pthread_mutex_unlock(&lock);
	fd = fd ? fd : sim_dmabuf_create(&part, (int)want->flags);
	if (fd < 0)
		return fd;
	want->dmabuf_fd = (uint32_t)fd;
	return 0;
}

/*
 * The machine accesses memory at the GPU's address. The thunk reserves this address if the host
 * does not map the memory; anything else at the address must not be replaced.
 */
static int make_accessible(const struct buffer *buffer)
{
	if (buffer->offset == UINT64_MAX || sim_user_readable(buffer->va, buffer->size))
		return 0;
	if (!sim_user_mapped(buffer->va, buffer->size) || sim_user_readable(buffer->va, 1))
		return -EINVAL;
	return sim_render_map(buffer->va, buffer->offset, buffer->size);
}

/* Adds or removes the mapping for one GPU. */
static int change_mapping(struct buffer *buffer, uint32_t node, bool map)
{
	uint32_t nodes = buffer->mapped_to;
	int err = map ? make_accessible(buffer) : 0;

	if (err)
		return err;
	nodes = map ? nodes | 1u << node : nodes & ~(1u << node);
	err = sim_mem_set_nodes(buffer->va, nodes);
	if (err)
		return err;
	buffer->mapped_to = nodes;
	return 0;
}

struct mapping {
	uint64_t handle, devices;
	uint32_t count, *done;
	bool map;
};

static int change_locked(const struct mapping *want, const uint32_t *ids)
{
	struct buffer *buffer = buffer_of(want->handle);

	if (!buffer)
		return -ENOMEM;
	while (*want->done < want->count) {
		uint32_t node = sim_gpu_node(ids[*want->done]);
		int err = node ? change_mapping(buffer, node, want->map) : -EINVAL;

		if (err)
			return err;
		++*want->done;
	}
	return 0;
}

static int change_mappings(const struct mapping *want)
{
	uint32_t ids[SIM_NODES];
	int err;

	if (!want->count || *want->done > want->count || want->count > SIM_NODES ||
	    !sim_gpu_node((uint32_t)(want->handle >> 32)))
		return -EINVAL;
	if (sim_copy_from_user(ids, want->devices, want->count * sizeof(ids[0])))
		return -EFAULT;
	pthread_mutex_lock(&lock);
	err = change_locked(want, ids);
	pthread_mutex_unlock(&lock);
	return err;
}

int sim_ioctl_map_memory(void *args, size_t size)
{
	struct kfd_ioctl_map_memory_to_gpu_args *want = args;

	(void)size;
	return change_mappings(&(struct mapping){.handle = want->handle,
						 .devices = want->device_ids_array_ptr,
						 .count = want->n_devices,
						 .done = &want->n_success,
						 .map = true});
}

int sim_ioctl_unmap_memory(void *args, size_t size)
{
	struct kfd_ioctl_unmap_memory_from_gpu_args *want = args;

	(void)size;
	return change_mappings(&(struct mapping){.handle = want->handle,
						 .devices = want->device_ids_array_ptr,
						 .count = want->n_devices,
						 .done = &want->n_success});
}

int sim_ioctl_available_memory(void *args, size_t size)
{
	struct kfd_ioctl_get_available_memory_args *want = args;
	uint32_t node = sim_gpu_node(want->gpu_id);

	(void)size;
	if (!node)
		return -EINVAL;
	want->available = sim_mem_available(node);
	return 0;
}

/* Callers use GPU ids, the machine uses nodes. The location is not an input of a query. */
static int to_node(struct sim_svm_attribute *attribute, bool query)
{
	bool location = attribute->type == SIM_SVM_PREFERRED_LOCATION ||
			attribute->type == SIM_SVM_PREFETCH_LOCATION;

	if (attribute->type > SIM_SVM_NO_ACCESS)
		return attribute->type > SIM_SVM_GRANULARITY ? -EINVAL : 0;
	if (location && (query || attribute->value == KFD_IOCTL_SVM_LOCATION_SYSMEM ||
			 attribute->value == KFD_IOCTL_SVM_LOCATION_UNDEFINED))
		return 0;
	attribute->value = sim_gpu_node(attribute->value);
	return attribute->value ? 0 : -EINVAL;
}

static void from_node(struct sim_svm_attribute *attribute)
{
	if (attribute->type <= SIM_SVM_NO_ACCESS && sim_is_gpu(attribute->value))
		attribute->value = sim_gpu_id(attribute->value);
}

int sim_ioctl_svm(void *args, size_t size)
{
	struct kfd_ioctl_svm_args *want = args;
	struct sim_svm_attribute *attributes = (struct sim_svm_attribute *)want->attrs;
	int err = 0;

	if (!want->start_addr || !want->size || want->start_addr % SIM_PAGE ||
	    want->size % SIM_PAGE)
		return -EINVAL;
	if (want->nattr > (size - sizeof(*want)) / sizeof(want->attrs[0]))
		return -EINVAL;
	for (uint32_t i = 0; !err && i < want->nattr; i++)
		err = to_node(&attributes[i], want->op == KFD_IOCTL_SVM_OP_GET_ATTR);
	if (err)
		return err;
	switch (want->op) {
	case KFD_IOCTL_SVM_OP_SET_ATTR:
		if (!sim_user_mapped(want->start_addr, want->size))
			err = -EFAULT;
		else
			err = sim_svm_set(want->start_addr, want->size, attributes, want->nattr);
		break;
	case KFD_IOCTL_SVM_OP_GET_ATTR:
		err = sim_svm_get(want->start_addr, want->size, attributes, want->nattr);
		break;
	default:
		err = -EINVAL;
	}
	/* The caller receives all attributes back. */
	for (uint32_t i = 0; i < want->nattr; i++)
		from_node(&attributes[i]);
	return err;
}

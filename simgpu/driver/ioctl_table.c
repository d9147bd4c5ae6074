/* SPDX-License-Identifier: MIT */
/*
 * The table of the driver's calls, and the copying that the kernel does around each. It copies as
 * many bytes in and out as the caller's struct has, whatever the size of this driver's own struct.
 * Only the number of a request selects the call.
 */
#include "simgpu/driver/ioctl_table.h"

#include <errno.h>
#include <string.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/user_copy.h"

enum { LARGEST = 16383 }; /* the maximum of _IOC_SIZE() */

/* A call with a handler, or one that always returns the same error. */
struct call {
	const char *name;
	unsigned long request;
	sim_ioctl_handler *handler;
	int error;
};

#define CALL(name, handler) [_IOC_NR(AMDKFD_IOC_##name)] = {#name, AMDKFD_IOC_##name, handler, 0}
/* Not modelled: returns the error of a kernel that does not offer the call. */
#define REFUSED(name, error) [_IOC_NR(AMDKFD_IOC_##name)] = {#name, AMDKFD_IOC_##name, NULL, error}

static const struct call calls[SIM_KFD_COMMANDS] = {
	CALL(GET_VERSION, sim_ioctl_get_version),
	CALL(CREATE_QUEUE, sim_ioctl_create_queue),
	CALL(DESTROY_QUEUE, sim_ioctl_destroy_queue),
	CALL(SET_MEMORY_POLICY, sim_ioctl_set_memory_policy),
	CALL(GET_CLOCK_COUNTERS, sim_ioctl_get_clock_counters),
	CALL(GET_PROCESS_APERTURES, sim_ioctl_get_apertures),
	CALL(UPDATE_QUEUE, sim_ioctl_update_queue),
	CALL(CREATE_EVENT, sim_ioctl_create_event),
	CALL(DESTROY_EVENT, sim_ioctl_destroy_event),
	CALL(SET_EVENT, sim_ioctl_set_event),
	CALL(RESET_EVENT, sim_ioctl_reset_event),
	CALL(WAIT_EVENTS, sim_ioctl_wait_events),
	/* The old debugger. */
	REFUSED(DBG_REGISTER_DEPRECATED, -EPERM),
	REFUSED(DBG_UNREGISTER_DEPRECATED, -EPERM),
	REFUSED(DBG_ADDRESS_WATCH_DEPRECATED, -EPERM),
	REFUSED(DBG_WAVE_CONTROL_DEPRECATED, -EPERM),
	CALL(SET_SCRATCH_BACKING_VA, sim_ioctl_set_scratch_backing),
	CALL(GET_TILE_CONFIG, sim_ioctl_get_tile_config),
	CALL(SET_TRAP_HANDLER, sim_ioctl_set_trap_handler),
	CALL(GET_PROCESS_APERTURES_NEW, sim_ioctl_get_apertures_new),
	CALL(ACQUIRE_VM, sim_ioctl_acquire_vm),
	CALL(ALLOC_MEMORY_OF_GPU, sim_ioctl_alloc_memory),
	CALL(FREE_MEMORY_OF_GPU, sim_ioctl_free_memory),
	CALL(MAP_MEMORY_TO_GPU, sim_ioctl_map_memory),
	CALL(UNMAP_MEMORY_FROM_GPU, sim_ioctl_unmap_memory),
	CALL(SET_CU_MASK, sim_ioctl_set_cu_mask),
	REFUSED(GET_QUEUE_WAVE_STATE, -EINVAL),
	/* dma-bufs of other devices and processes are not supported. */
	REFUSED(GET_DMABUF_INFO, -EINVAL),
	REFUSED(IMPORT_DMABUF, -EINVAL),
	CALL(ALLOC_QUEUE_GWS, sim_ioctl_alloc_queue_gws),
	REFUSED(SMI_EVENTS, -EINVAL),
	CALL(SVM, sim_ioctl_svm),
	CALL(SET_XNACK_MODE, sim_ioctl_set_xnack_mode),
	REFUSED(CRIU_OP, -EPERM),
	CALL(AVAILABLE_MEMORY, sim_ioctl_available_memory),
	[0x24] = {"EXPORT_DMABUF", SIM_KFD_IOC_EXPORT_DMABUF, sim_ioctl_export_dmabuf, 0},
	[0x25] = {"RUNTIME_ENABLE", SIM_KFD_IOC_RUNTIME_ENABLE, sim_ioctl_runtime_enable, 0},
	/* The debugger. */
	[0x26] = {"DBG_TRAP", _IOC(_IOC_READ | _IOC_WRITE, 'K', 0x26, 32), NULL, -EINVAL},
	[0x85] = {"PC_SAMPLE", SIM_KFD_IOC_PC_SAMPLE, sim_ioctl_pc_sample, 0},
};

/*
 * The kernel's rule: it copies what the call is defined to copy, in the size that the caller has.
 */
int sim_kfd_ioctl(unsigned long request, void *argument)
{
	_Alignas(16) unsigned char args[LARGEST + 1];
	uint64_t user = (uint64_t)(uintptr_t)argument;
	const struct call *call;
	size_t size, own;
	int err;

	if (_IOC_NR(request) >= SIM_KFD_COMMANDS || !calls[_IOC_NR(request)].name) {
		sim_debug(1, "ioctl 0x%lx: unknown to this driver", request);
		return -ENOTTY;
	}
	call = &calls[_IOC_NR(request)];
	size = _IOC_SIZE(request);
	own = _IOC_SIZE(call->request);
	if (size < own)
		memset(args + size, 0, own - size);
	if (_IOC_DIR(call->request) & _IOC_WRITE) {
		if (sim_copy_from_user(args, user, size))
			return -EFAULT;
	} else {
		memset(args, 0, size);
	}
	err = call->handler ? call->handler(args, size > own ? size : own) : call->error;
	if (_IOC_DIR(call->request) & _IOC_READ && sim_copy_to_user(user, args, size))
		err = -EFAULT;
	if (err)
		sim_debug(1, "ioctl %s: %s", call->name, strerror(-err));
	return err;
}

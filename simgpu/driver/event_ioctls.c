/* SPDX-License-Identifier: MIT */
/* Calls for events. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/event/interrupt_events.h"

static bool has_mailbox(uint32_t type)
{
	return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT;
}

int sim_ioctl_create_event(void *args, size_t size)
{
	struct kfd_ioctl_create_event_args *event = args;
	uint64_t page = 0;
	int err;

	(void)size;
	if (event->event_page_offset) {
		page = sim_handle_address(event->event_page_offset);
		if (!page || !sim_user_readable(page, SIM_EVENTS * sizeof(uint64_t)) ||
		    sim_event_set_mailboxes((void *)(uintptr_t)page))
			return -EINVAL;
	}
	err = sim_event_create(event->event_type, !event->auto_reset, false, &event->event_id);
	if (err)
		return err;
	event->event_trigger_data = event->event_id;
	event->event_slot_index = event->event_id;
	/* If it were 0, the thunk would not look for the mailbox. */
	event->event_page_offset = has_mailbox(event->event_type) ? (uint64_t)1 << 62 : 0;
	return 0;
}

int sim_ioctl_destroy_event(void *args, size_t size)
{
	(void)size;
	return sim_event_destroy(((struct kfd_ioctl_destroy_event_args *)args)->event_id);
}

/* The host may set and reset only events of signals. */
static bool is_signal(uint32_t id)
{
	uint32_t type;

	return sim_event_type(id, &type) && type == KFD_IOC_EVENT_SIGNAL;
}

int sim_ioctl_set_event(void *args, size_t size)
{
	uint32_t id = ((struct kfd_ioctl_set_event_args *)args)->event_id;

	(void)size;
	return is_signal(id) ? sim_event_set(id) : -EINVAL;
}

int sim_ioctl_reset_event(void *args, size_t size)
{
	uint32_t id = ((struct kfd_ioctl_reset_event_args *)args)->event_id;

	(void)size;
	return is_signal(id) ? sim_event_reset(id) : -EINVAL;
}

struct wait_list {
	uint32_t count;
	struct sim_kfd_event_data *data;
	uint32_t *ids;
	uint64_t *ages;
};

static void wait_list_deinit(struct wait_list *list)
{
	free(list->data);
	free(list->ids);
	free(list->ages);
}

static int wait_list_init(struct wait_list *list, const struct kfd_ioctl_wait_events_args *want)
{
	uint32_t type;
	int err;

	*list = (struct wait_list){.count = want->num_events};
	if (want->num_events > SIM_EVENTS)
		return -ENOMEM;
	list->data = calloc(list->count + 1, sizeof(*list->data));
	list->ids = calloc(list->count + 1, sizeof(*list->ids));
	list->ages = calloc(list->count + 1, sizeof(*list->ages));
	if (!list->data || !list->ids || !list->ages)
		return -ENOMEM;
	err = sim_copy_from_user(list->data, want->events_ptr, list->count * sizeof(*list->data));
	for (uint32_t i = 0; !err && i < list->count; i++) {
		list->ids[i] = list->data[i].event_id;
		if (sim_event_type(list->ids[i], &type) && type == KFD_IOC_EVENT_SIGNAL)
			list->ages[i] = list->data[i].last_event_age;
	}
	return err;
}

/* Fills in what the caller learns about each event. */
static int report(const struct wait_list *list, uint64_t user)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct kfd_hsa_memory_exception_data *memory = &list->data[i].memory_exception_data;
		struct sim_memory_fault fault;
		uint32_t type;

		if (!sim_event_type(list->ids[i], &type))
			continue;
		if (type == KFD_IOC_EVENT_SIGNAL && list->ages[i])
			list->data[i].last_event_age = list->ages[i];
		if (type == KFD_IOC_EVENT_MEMORY && sim_event_fault(list->ids[i], &fault))
			*memory = (struct kfd_hsa_memory_exception_data){
				.failure.NotPresent = !fault.read_only && !fault.no_execute,
				.failure.ReadOnly = fault.read_only,
				.failure.NoExecute = fault.no_execute,
				.va = fault.addr,
				.gpu_id = sim_gpu_id(fault.node),
			};
	}
	return sim_copy_to_user(user, list->data, list->count * sizeof(*list->data));
}

int sim_ioctl_wait_events(void *args, size_t size)
{
	struct kfd_ioctl_wait_events_args *want = args;
	PROBE_AUTO(wait_list_deinit) struct wait_list list = {0};
	int err = wait_list_init(&list, want);

	(void)size;
	if (err)
		return err;
	err = sim_event_wait(list.ids, list.ages, list.count, want->wait_for_all, want->timeout);
	want->wait_result = err == -ETIME ? KFD_IOC_WAIT_RESULT_TIMEOUT
			    : err	  ? KFD_IOC_WAIT_RESULT_FAIL
					  : KFD_IOC_WAIT_RESULT_COMPLETE;
	if (err)
		return err == -ETIME ? 0 : err;
	return report(&list, want->events_ptr);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/hello_messages.h"

#include <string.h>
#include <unistd.h>

#include <probe/wire_segment.h>

#include "common/err.h"
#include "wire/segment_reader.h"

bool run_hello_reply(int sock, int status, const struct segment_reader *seg)
{
	struct probe_welcome reply = {
		.magic = PROBE_HELLO_MAGIC,
		.version = PROBE_SEG_VERSION,
		.status = status,
		.size = seg ? seg->size : 0,
	};
	struct iovec part = {&reply, sizeof(reply)};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (seg) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &seg->fd, sizeof(int));
	}
	return sendmsg(sock, &message, MSG_NOSIGNAL) == (ssize_t)sizeof(reply);
}

struct probe_err *run_hello_check(const struct probe_hello *hello, ssize_t got,
				  const struct ucred *peer)
{
	if (got != (ssize_t)sizeof(*hello) || hello->magic != PROBE_HELLO_MAGIC)
		return probe_err_create("process %d sent no valid first message", (int)peer->pid);
	if (hello->version != PROBE_SEG_VERSION)
		return probe_err_create("process %d: libprobe-hsa.so has segment version %u, "
					"probe-run has %u: do not mix installations",
					(int)peer->pid, hello->version, PROBE_SEG_VERSION);
	if (peer->uid != geteuid() && peer->uid != 0)
		return probe_err_create("process %d belongs to user %u", (int)peer->pid,
					(unsigned)peer->uid);
	return NULL;
}

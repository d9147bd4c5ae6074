/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/process/supervisor_connection.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/process_stat.h"

/* How long a reader may not show itself, with its socket closed; if that is unknown. */
#define SUCCESSOR_NS 2000000000ull
#define SILENCE_NS   20000000000ull

/* How often a connection is tried that the supervisor closes without an answer. */
#define ATTEMPTS 3

enum { TEXT_MAX = 64 << 10, HIGH_DESCRIPTOR = 700 };

static int socket_fd = -1;
static ino_t socket_inode;

static int address_of(const char *name, struct sockaddr_un *ret, socklen_t *size)
{
	size_t length = strlen(name);

	if (!length || length >= sizeof(ret->sun_path))
		return -ENAMETOOLONG;
	memset(ret, 0, sizeof(*ret));
	ret->sun_family = AF_UNIX;
	memcpy(ret->sun_path, name, length);
	*size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
	if (name[0] == '@') {
		ret->sun_path[0] = 0;
		--*size;
	}
	return 0;
}

static int connect_to(const char *name)
{
	/* The supervisor answers at once; if it hangs, the application must not wait for long. */
	const struct timeval patience = {.tv_sec = 5};
	struct sockaddr_un address;
	socklen_t size;
	int fd, high, err;

	err = address_of(name, &address, &size);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, size)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int received_descriptor(struct msghdr *message)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(message);
	int fd;

	if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS ||
	    control->cmsg_len != CMSG_LEN(sizeof(fd)))
		return -EPROTO;
	memcpy(&fd, CMSG_DATA(control), sizeof(fd));
	return fd;
}

static int receive(int fd, struct probe_welcome *welcome)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec part = {welcome, sizeof(*welcome)};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t got;

	do
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	if (got == 0)
		return -ECONNRESET;
	if (got != (ssize_t)sizeof(*welcome) || welcome->magic != PROBE_HELLO_MAGIC ||
	    welcome->version != PROBE_SEG_VERSION)
		return -EPROTO;
	if (welcome->status)
		return welcome->status < 0 ? welcome->status : -EPROTO;
	return received_descriptor(&message);
}

static int handshake(int fd, uint32_t rings, struct probe_segment *ret)
{
	struct probe_hello hello = {PROBE_HELLO_MAGIC, PROBE_SEG_VERSION, (uint32_t)getpid(),
				    rings};
	struct probe_welcome welcome;
	int file, err;

	if (send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) != (ssize_t)sizeof(hello))
		return errno == EPIPE ? -ECONNRESET : -errno;
	file = receive(fd, &welcome);
	if (file < 0)
		return file;
	err = probe_segment_open(ret, file, welcome.size);
	close(file);
	if (err)
		return err;
	((struct probe_seg_header *)ret->base)->pid = hello.pid;
	return 0;
}

int probe_supervisor_connect(const char *name, uint32_t rings, struct probe_segment *ret)
{
	PROBE_AUTO_CLOSE int fd = -1;
	struct stat status;
	int err = 0;

	/* If a recorder dies before its answer, its successor answers. */
	for (int i = 0; i == 0 || (err == -ECONNRESET && i < ATTEMPTS); i++) {
		if (i)
			close(fd);
		fd = connect_to(name);
		if (fd < 0)
			return fd;
		err = handshake(fd, rings, ret);
	}
	if (err)
		return err;
	if (fstat(fd, &status))
		return -errno;
	/* Few descriptors are allowed: the program may count on all of them. */
	if (fd < HIGH_DESCRIPTOR)
		return 0;
	socket_fd = fd;
	socket_inode = status.st_ino;
	fd = -1; /* kept */
	return 0;
}

/* Whether the other end of the socket is closed. */
static enum { SOCKET_OPEN, SOCKET_CLOSED, SOCKET_UNKNOWN } socket_state(void)
{
	struct pollfd poller = {.fd = socket_fd, .events = POLLIN};
	struct stat status;

	/*
	 * The application may have closed the descriptor and received its number for another file.
	 */
	if (socket_fd < 0 || fstat(socket_fd, &status) || status.st_ino != socket_inode ||
	    !S_ISSOCK(status.st_mode))
		return SOCKET_UNKNOWN;
	return poll(&poller, 1, 0) > 0 && (poller.revents & (POLLHUP | POLLERR)) ? SOCKET_CLOSED
										 : SOCKET_OPEN;
}

bool probe_supervisor_gone(const struct probe_segment *segment, uint64_t now)
{
	static uint64_t last, since;
	uint64_t reader = __atomic_load_n(&segment->ring->reader, __ATOMIC_RELAXED);

	if (reader == PROBE_READER_ENDED)
		return true;
	/* A recorder that died has a successor, which has no socket. */
	if (reader != last || !since) {
		last = reader;
		since = now;
		return false;
	}
	switch (socket_state()) {
	case SOCKET_OPEN:
		return false;
	case SOCKET_CLOSED:
		return now - since > SUCCESSOR_NS;
	default:
		return reader && now - since > SILENCE_NS;
	}
}

/* Start of the process in ns of CLOCK_BOOTTIME. */
static uint64_t process_start(void)
{
	long ticks_per_second = sysconf(_SC_CLK_TCK);

	if (ticks_per_second <= 0)
		return 0;
	return (uint64_t)probe_process_stat(0, PROBE_STAT_START) *
	       (1000000000ull / (uint64_t)ticks_per_second);
}

static size_t read_command(char *text, size_t room)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t size = 0;

	if (file) {
		size = fread(text, 1, room, file);
		fclose(file);
	}
	return size;
}

/* Only variables that may change a measurement: the rest of the environment stays private. */
static size_t copy_environment(char *text, size_t room)
{
	static const char *const prefixes[] = {"PROBE_", "HSA_", "HIP_", "ROCR_"};
	extern char **environ;
	size_t size = 0;

	for (char **variable = environ; variable && *variable; variable++) {
		size_t length = strlen(*variable) + 1;
		bool wanted = false;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
			wanted |= !strncmp(*variable, prefixes[i], strlen(prefixes[i]));
		if (!wanted || length > room - size)
			continue;
		memcpy(text + size, *variable, length);
		size += length;
	}
	return size;
}

/* Both libraries of the simulated GPU export this symbol. */
static bool simulated(void)
{
	static const char *const libraries[] = {"libprobe-sim.so", "libhsakmt.so.1"};
	bool found = false;

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !found; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		found = library && dlsym(library, "probe_sim_version");
		if (library)
			dlclose(library);
	}
	return found;
}

void probe_supervisor_put_process(struct probe_segment *seg, const struct probe_api_root *root)
{
	size_t room = probe_segment_payload_max(seg) / 4;
	struct probe_hr_process process = {
		.pid = (uint32_t)getpid(),
		.ppid = (uint32_t)getppid(),
		.start = process_start(),
		.runtime = {root->version.major_id, root->version.minor_id},
		.core_size = root->core->version.minor_id,
		.amd_ext_size = root->amd_ext->version.minor_id,
		.flags = simulated() ? PROBE_PROCESS_SIMULATED : 0,
	};
	char *text;

	if (room > TEXT_MAX)
		room = TEXT_MAX;
	text = malloc(2 * room);
	if (text) {
		process.command_len = (uint32_t)read_command(text, room);
		process.environment_len =
			(uint32_t)copy_environment(text + process.command_len, room);
	}
	struct iovec parts[] = {
		{&process, sizeof(process)},
		{text, (size_t)process.command_len + process.environment_len},
	};
	probe_segment_put_wait(seg, PROBE_HR_PROCESS, parts, 2, 100000000);
	free(text);
}

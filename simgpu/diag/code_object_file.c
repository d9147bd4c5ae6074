/* SPDX-License-Identifier: MIT */
#include "simgpu/diag/code_object_file.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	MAX_OBJECTS = 65536,
	MAX_URI = 4096,
	CHUNK = 1 << 20,
};
#define MAX_IMAGE ((uint64_t)1 << 30)

/* ROCr's list of loaded code objects, in the format of a dynamic linker's list. */
static _Atomic(const struct r_debug *) loaded_code;

/*
 * Not linked by symbol: this library is never unloaded, and the runtime could then not be unloaded
 * either. Not looked up at the time of a fault: the application may hold the loader's lock while it
 * waits for the kernel that has just failed.
 */
void sim_code_file_prepare(void)
{
	void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (!runtime)
		return;
	atomic_store_explicit(&loaded_code, dlsym(runtime, "_amdgpu_r_debug"),
			      memory_order_relaxed);
	dlclose(runtime);
}

/*
 * The memory may be unmapped concurrently: the system call then fails, where a load would end the
 * process.
 */
static bool peek(const void *from, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)from, size};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Reads a string in steps, because the next page may not be mapped. */
static bool peek_text(const char *from, char *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!peek(from + i, to + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	return false;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes %XX in place. */
static void decode_path(char *path)
{
	char *to = path;

	for (const char *from = path; *from; from++) {
		if (*from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0) {
			*to++ = (char)(hex(from[1]) << 4 | hex(from[2]));
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 0) : 0;
}

static int copy_to_file(int fd, uint64_t from, uint64_t size)
{
	char *chunk = malloc(CHUNK);
	int err = chunk ? 0 : -ENOMEM;

	for (uint64_t done = 0; done < size && !err;) {
		size_t part = size - done < CHUNK ? (size_t)(size - done) : CHUNK;

		if (!peek((const void *)(uintptr_t)(from + done), chunk, part))
			err = -EFAULT;
		else if (write(fd, chunk, part) != (ssize_t)part)
			err = -EIO;
		done += part;
	}
	free(chunk);
	return err;
}

static int open_memory(uint64_t from, uint64_t size, struct sim_code_file *ret)
{
	int fd, err;

	if (!from || !size || size > MAX_IMAGE)
		return -EINVAL;
	fd = memfd_create("code object", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = copy_to_file(fd, from, size);
	if (err) {
		close(fd);
		return err;
	}
	*ret = (struct sim_code_file){.fd = fd, .size = size};
	return 0;
}

static int open_path(const char *path, uint64_t offset, uint64_t size, struct sim_code_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || (uint64_t)status.st_size <= offset) {
		close(fd);
		return -EINVAL;
	}
	if (!size || size > (uint64_t)status.st_size - offset)
		size = (uint64_t)status.st_size - offset;
	*ret = (struct sim_code_file){.fd = fd, .offset = offset, .size = size};
	return 0;
}

int sim_code_file_open_uri(const char *uri, struct sim_code_file *ret)
{
	static const char file[] = "file://", memory[] = "memory://";
	const char *query = uri + strcspn(uri, "?#");
	uint64_t offset = number_behind(query, "offset="), size = number_behind(query, "size=");
	char *path;
	int err;

	if (!strncmp(uri, memory, sizeof(memory) - 1))
		return open_memory(offset, size, ret);
	if (strncmp(uri, file, sizeof(file) - 1))
		return -EINVAL;
	uri += sizeof(file) - 1;
	path = strndup(uri, (size_t)(query - uri));
	if (!path)
		return -ENOMEM;
	decode_path(path);
	err = open_path(path, offset, size, ret);
	free(path);
	return err;
}

/* The entry with the highest load address at or below pc. */
static bool find_entry(uint64_t pc, struct link_map *ret)
{
	const struct r_debug *head = atomic_load_explicit(&loaded_code, memory_order_relaxed);
	struct link_map entry, *next;
	struct r_debug list;
	bool found = false;

	if (!head || !peek(head, &list, sizeof(list)))
		return false;
	next = list.r_map;
	for (unsigned i = 0; next && i < MAX_OBJECTS && peek(next, &entry, sizeof(entry)); i++) {
		if (entry.l_addr <= pc && (!found || entry.l_addr > ret->l_addr)) {
			*ret = entry;
			found = true;
		}
		next = entry.l_next;
	}
	return found;
}

int sim_code_file_open(uint64_t pc, struct sim_code_file *ret)
{
	struct link_map entry;
	struct sim_code_file file;
	char uri[MAX_URI];
	int err;

	if (!find_entry(pc, &entry) || !peek_text(entry.l_name, uri, sizeof(uri)))
		return -ENOENT;
	err = sim_code_file_open_uri(uri, &file);
	if (err)
		return err;
	file.base = entry.l_addr;
	*ret = file;
	return 0;
}

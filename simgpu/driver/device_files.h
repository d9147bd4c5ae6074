/* SPDX-License-Identifier: MIT */
/*
 * The device files: /dev/kfd, whose file holds the page of doorbells, and the render nodes, one
 * sparse file that is all memory of all GPUs. Both are memory files, so the runtime's own mmap()
 * calls on them work as they are. A file is recognised by its inode: descriptors may be duplicated.
 */
#ifndef PROBE_SIMGPU_DRIVER_DEVICE_FILES_H
#define PROBE_SIMGPU_DRIVER_DEVICE_FILES_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_RENDER_FIRST = 128 };

/*
 * Where in the file of /dev/kfd the doorbells are: at its start, since the thunk maps whole pages
 * of its own idea of their size.
 */
#define SIM_DOORBELL_OFFSET 0

/* Whether the path is one of ours, and whether it exists. */
bool sim_device_path(const char *path);
/* A new descriptor for it, or -errno. */
int sim_device_open(const char *path, int flags);
/* Like drmOpenRender(): by minor number. */
int sim_render_open(int minor);

bool sim_is_kfd(int fd);
bool sim_is_render(int fd);

/* A part of the memory file of `size` bytes (whole pages), or UINT64_MAX. */
uint64_t sim_render_take(uint64_t size);
/* Return its pages to the host. The part is not used again. */
void sim_render_drop(uint64_t offset, uint64_t size);
/* Map a part at an address that is reserved; 0 or -errno. */
int sim_render_map(uint64_t address, uint64_t offset, uint64_t size);

#endif

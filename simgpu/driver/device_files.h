/* SPDX-License-Identifier: MIT */
/*
 * The device files: /dev/kfd, whose file contains the page of doorbells, and the render nodes, one
 * sparse file that represents all memory of all GPUs. Both are memory files, so the runtime's own
 * mmap() calls on them need no change. A file is recognised by its inode, because descriptors may
 * be duplicated.
 */
#ifndef PROBE_SIMGPU_DRIVER_DEVICE_FILES_H
#define PROBE_SIMGPU_DRIVER_DEVICE_FILES_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_RENDER_FIRST = 128 };

/*
 * Offset of the doorbells in the file of /dev/kfd. It is 0, because the thunk maps whole pages
 * whose size it determines itself.
 */
#define SIM_DOORBELL_OFFSET 0

/* Whether the path belongs to the simulated driver, and whether it exists. */
bool sim_device_path(const char *path);
/* Returns a new descriptor for it, or -errno. */
int sim_device_open(const char *path, int flags);
/* Like drmOpenRender(): by minor number. */
int sim_render_open(int minor);

/* The GPU for which a render node was opened as this descriptor; the first one if not known. */
uint32_t sim_render_node(int fd);

bool sim_is_kfd(int fd);
bool sim_is_render(int fd);

/* Takes a part of `size` bytes (whole pages) of the memory file; UINT64_MAX on failure. */
uint64_t sim_render_take(uint64_t size);
/* Returns its pages to the host. The part is not used again. */
void sim_render_drop(uint64_t offset, uint64_t size);
/* Maps a part at a reserved address; 0 or -errno. */
int sim_render_map(uint64_t address, uint64_t offset, uint64_t size);
/* Maps a part anywhere; NULL without memory. */
void *sim_render_view(uint64_t offset, uint64_t size);

#endif

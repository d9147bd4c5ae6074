/* SPDX-License-Identifier: MIT */
#include "simgpu/driver/sysfs_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"

enum {
	/* struct HSA_CAPABILITY: bits of "capability". */
	WATCH_POINTS_LOG2 = 2 << 8, /* log2 of their number */
	DOORBELL_TYPE_2 = 2 << 12,  /* 64-bit doorbells that contain the index of the last packet */
	DEBUGGER = 1 << 15,	    /* both: RUNTIME_ENABLE works */
	DEBUGGER_FIRMWARE = 1 << 29,
	ASIC_REVISION = 1 << 22,
	SRAM_EDC = 1 << 26, /* it makes the target gfx90a:sramecc+ */
	SVM_API = 1 << 27,

	HEAP_SYSTEM = 0,
	HEAP_VRAM_PUBLIC = 1, /* the host may access all of it: a large BAR */
	HEAP_VRAM_PRIVATE = 2,
	CACHE_DATA = 1,
	CACHE_OF_CPU = 4,
	CACHE_OF_GPU = 8,
	LINK_PCIE = 2,
	LINK_XGMI = 11,
	XGMI_ENGINES = 3,
};

struct text {
	char bytes[8192];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	va_list list;
	int length;

	va_start(list, format);
	length = vsnprintf(text->bytes + text->length, sizeof(text->bytes) - text->length, format,
			   list);
	va_end(list);
	if (length > 0 && (size_t)length < sizeof(text->bytes) - text->length)
		text->length += (size_t)length;
}

static void put_number(struct text *text, const char *name, uint64_t value)
{
	put(text, "%s %" PRIu64 "\n", name, value);
}

struct row {
	const char *name;
	uint64_t value;
};

static void put_rows(struct text *text, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put_number(text, rows[i].name, rows[i].value);
}

#define PUT_ROWS(text, rows) put_rows(text, rows, sizeof(rows) / sizeof((rows)[0]))

static uint64_t host_cpus(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint64_t)count : 1;
}

static uint64_t host_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)1 << 32;
}

static const struct sim_device_cache cpu_caches[] = {{1, 32, 64}, {2, 1024, 64}, {3, 32768, 64}};

static uint32_t cache_count(uint32_t node)
{
	uint32_t count = 0;

	if (node == SIM_NODE_CPU)
		return sizeof(cpu_caches) / sizeof(cpu_caches[0]);
	while (sim_device()->caches[count].level)
		count++;
	return count;
}

/*
 * The link from the CPU to a GPU means "large BAR" to ROCr: with it the host writes device memory
 * directly, without it such copies go through SDMA.
 */
static uint32_t link_count(uint32_t node)
{
	return node == SIM_NODE_CPU && !sim_options()->large_bar ? 0 : sim_nodes() - 1;
}

static void cpu_properties(struct text *text)
{
	const struct row rows[] = {
		{"cpu_cores_count", host_cpus()},
		{"simd_count", 0},
		{"mem_banks_count", 1},
		{"caches_count", cache_count(SIM_NODE_CPU)},
		{"io_links_count", link_count(SIM_NODE_CPU)},
		{"p2p_links_count", 0},
		{"cpu_core_id_base", 0},
		{"max_engine_clk_ccompute", 3000},
	};

	PUT_ROWS(text, rows);
}

static void gpu_properties(struct text *text, uint32_t node)
{
	uint32_t index = node - SIM_NODE_GPU;
	bool hive = sim_options()->gpus > 1;
	const struct row rows[] = {
		{"cpu_cores_count", 0},
		{"simd_count", sim_device()->cus * SIM_SIMDS},
		{"mem_banks_count", 1},
		{"caches_count", cache_count(node)},
		{"io_links_count", link_count(node)},
		{"p2p_links_count", 0},
		{"cpu_core_id_base", 0},
		{"simd_id_base", 0x80000000},
		{"max_waves_per_simd", SIM_SIMD_WAVES},
		{"lds_size_in_kb", SIM_CU_LDS / 1024},
		{"gds_size_in_kb", 0},
		{"num_gws", 64}, /* any value offers cooperative queues; one is implemented */
		{"wave_front_size", 64},
		{"array_count", sim_device()->engines},
		{"simd_arrays_per_engine", 1},
		{"cu_per_simd_array", sim_device()->cus_per_engine},
		{"simd_per_cu", SIM_SIMDS},
		{"max_slots_scratch_cu", SIM_CU_WAVES},
		{"gfx_target_version", sim_device()->target_version},
		{"vendor_id", 0x1002},
		{"device_id", sim_device()->device_id},
		{"location_id", 0x300 + (index << 8)},
		{"domain", 0},
		{"drm_render_minor", SIM_RENDER_FIRST + index},
		/* Several GPUs form one hive of Infinity Fabric, like MI210s with bridges. */
		{"hive_id", hive ? 0x5052f0be : 0},
		{"num_sdma_engines", sim_device()->sdma_engines},
		{"num_sdma_xgmi_engines", hive ? XGMI_ENGINES : 0},
		{"num_sdma_queues_per_engine", 8},
		{"num_cp_queues", sim_device()->cp_queues},
		{"max_engine_clk_fcompute", sim_device()->core_mhz},
		{"local_mem_size", 0},
		{"fw_version", 78},
		{"capability",
		 DOORBELL_TYPE_2 | WATCH_POINTS_LOG2 | ASIC_REVISION | SRAM_EDC | SVM_API |
			 (sim_options()->driver_sampling ? DEBUGGER | DEBUGGER_FIRMWARE : 0)},
		{"debug_prop", 0},
		{"sdma_fw_version", 8},
		{"unique_id", 0x5052f0be90aULL + index},
		{"num_xcc", sim_device()->xccs},
		{"max_engine_clk_ccompute", 3000},
	};

	PUT_ROWS(text, rows);
}

static void bank_properties(struct text *text, uint32_t node)
{
	bool cpu = node == SIM_NODE_CPU;
	const struct row rows[] = {
		{"heap_type", cpu			 ? HEAP_SYSTEM
			      : sim_options()->large_bar ? HEAP_VRAM_PUBLIC
							 : HEAP_VRAM_PRIVATE},
		{"size_in_bytes", cpu ? host_memory() : sim_options()->vram_mib << 20},
		{"flags", 0},
		{"width", cpu ? 64 : 4096},
		{"mem_clk_max", cpu ? 3200 : 1600},
	};

	PUT_ROWS(text, rows);
}

static void cache_properties(struct text *text, uint32_t node, uint32_t index)
{
	bool cpu = node == SIM_NODE_CPU;
	const struct sim_device_cache *cache =
		cpu ? &cpu_caches[index] : &sim_device()->caches[index];
	const struct row rows[] = {
		{"processor_id_low", cpu ? 0 : 0x80000000},
		{"level", cache->level},
		{"size", cache->kib},
		{"cache_line_size", cache->line},
		{"cache_lines_per_tag", 1},
		{"association", 0},
		{"latency", 0},
		{"type", CACHE_DATA | (cpu ? CACHE_OF_CPU : CACHE_OF_GPU)},
	};

	PUT_ROWS(text, rows);
	put(text, "sibling_map 1\n");
}

static void link_properties(struct text *text, uint32_t from, uint32_t index)
{
	uint32_t to = index < from ? index : index + 1;
	bool peers = from != SIM_NODE_CPU && to != SIM_NODE_CPU;
	/* Weights of the driver: 20 for PCIe, 15 for one hop of Infinity Fabric. */
	const struct row rows[] = {
		{"type", peers ? LINK_XGMI : LINK_PCIE},
		{"version_major", 0},
		{"version_minor", 0},
		{"node_from", from},
		{"node_to", to},
		{"weight", peers ? 15 : 20},
		{"min_latency", 0},
		{"max_latency", 0},
		{"min_bandwidth", 0},
		{"max_bandwidth", peers ? 50000 : 32000},
		{"recommended_transfer_size", 0},
		{"flags", 0},
	};

	PUT_ROWS(text, rows);
}

/* Both names of the same directory. */
static const char *const roots[] = {
	"/sys/devices/virtual/kfd/kfd/topology",
	"/sys/class/kfd/kfd/topology",
};

#define MODULE "/sys/module/amdgpu"

/* The path below the topology, without a leading slash, or NULL. */
static const char *below_root(const char *path)
{
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		size_t length = strlen(roots[i]);

		if (strncmp(path, roots[i], length) || (path[length] && path[length] != '/'))
			continue;
		path += length;
		while (*path == '/')
			path++;
		return path;
	}
	return NULL;
}

static bool module_path(const char *path)
{
	size_t length = sizeof(MODULE) - 1;

	return !strncmp(path, MODULE, length) && (!path[length] || path[length] == '/');
}

bool sim_sysfs_path(const char *path)
{
	return below_root(path) || module_path(path);
}

/* Directories of a node that contain numbered directories, and their number. */
struct list {
	const char *name;
	uint32_t (*count)(uint32_t node);
};

static uint32_t one(uint32_t node)
{
	(void)node;
	return 1;
}

static uint32_t none(uint32_t node)
{
	(void)node;
	return 0;
}

enum { BANKS, CACHES, LINKS, PEER_LINKS, LISTS };

static const struct list lists[LISTS] = {
	[BANKS] = {"mem_banks", one},
	[CACHES] = {"caches", cache_count},
	[LINKS] = {"io_links", link_count},
	[PEER_LINKS] = {"p2p_links", none},
};

/* The object that a path names. list and index are -1 if the path is shorter. */
struct place {
	bool file;
	int node, list, index;
	const char *name; /* for a file */
};

/* Parses a number at the start of *path, and the slash after it. */
static int take_number(const char **path, uint32_t limit)
{
	char *end;
	unsigned long value;

	if (**path < '0' || **path > '9')
		return -1;
	value = strtoul(*path, &end, 10);
	if (value >= limit || (*end && *end != '/'))
		return -1;
	*path = *end ? end + 1 : end;
	return (int)value;
}

static bool take_name(const char **path, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(*path, name, length) || ((*path)[length] && (*path)[length] != '/'))
		return false;
	*path += (*path)[length] ? length + 1 : length;
	return true;
}

static bool is_file(struct place *place, const char *path, const char *name)
{
	place->file = !strcmp(path, name);
	place->name = name;
	return place->file;
}

/* Looks a path up below topology/: false if there is no such file or directory. */
static bool find(const char *path, struct place *ret)
{
	*ret = (struct place){.node = -1, .list = -1, .index = -1};
	if (!*path || is_file(ret, path, "generation_id") ||
	    is_file(ret, path, "system_properties"))
		return true;
	if (!take_name(&path, "nodes"))
		return false;
	if (!*path)
		return ret->list = LISTS, true;
	ret->node = take_number(&path, sim_nodes());
	if (ret->node < 0)
		return false;
	if (!*path || is_file(ret, path, "gpu_id") || is_file(ret, path, "name") ||
	    is_file(ret, path, "properties"))
		return true;
	for (int list = 0; list < LISTS; list++) {
		if (!take_name(&path, lists[list].name))
			continue;
		ret->list = list;
		if (!*path)
			return true;
		ret->index = take_number(&path, lists[list].count((uint32_t)ret->node));
		return ret->index >= 0 && (!*path || is_file(ret, path, "properties"));
	}
	return false;
}

static void node_file(struct text *text, const struct place *place)
{
	uint32_t node = (uint32_t)place->node, index = (uint32_t)place->index;

	if (!strcmp(place->name, "gpu_id"))
		put(text, "%u\n", node == SIM_NODE_CPU ? 0 : sim_gpu_id(node));
	else if (!strcmp(place->name, "name"))
		put(text, "%s\n", node == SIM_NODE_CPU ? "" : sim_device()->code_name);
	else if (place->list == BANKS)
		bank_properties(text, node);
	else if (place->list == CACHES)
		cache_properties(text, node, index);
	else if (place->list == LINKS)
		link_properties(text, node, index);
	else if (node == SIM_NODE_CPU)
		cpu_properties(text);
	else
		gpu_properties(text, node);
}

static int write_text(struct text *text, const char *path)
{
	const char *rest = below_root(path);
	struct place place;

	text->length = 0;
	if (!rest) {
		if (strcmp(path, MODULE "/initstate"))
			return -ENOENT;
		put(text, "live\n");
		return 0;
	}
	if (!find(rest, &place))
		return -ENOENT;
	if (!place.file)
		return -EISDIR;
	if (place.node >= 0)
		node_file(text, &place);
	else if (!strcmp(place.name, "generation_id"))
		put(text, "1\n");
	else
		put(text, "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
	return 0;
}

int sim_sysfs_open(const char *path)
{
	struct text text;
	int fd, err = write_text(&text, path);

	if (err)
		return err;
	fd = memfd_create("probe-sim-sysfs", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text.bytes, text.length) != (ssize_t)text.length || lseek(fd, 0, SEEK_SET)) {
		close(fd);
		return -EIO;
	}
	return fd;
}

int sim_sysfs_exists(const char *path)
{
	const char *rest = below_root(path);
	struct place place;

	if (!rest)
		return !strcmp(path, MODULE) || !strcmp(path, MODULE "/initstate") ? 0 : -ENOENT;
	return find(rest, &place) ? 0 : -ENOENT;
}

#define MAGIC 0x5052534d44495200ull

/* Programs read only lists of numbered directories. */
struct sim_directory {
	uint64_t magic;
	uint32_t next, count;
	struct dirent entry;
};

struct sim_directory *sim_sysfs_open_directory(const char *path)
{
	const char *rest = below_root(path);
	struct sim_directory *directory;
	struct place place;

	if (!rest || !find(rest, &place) || place.file) {
		errno = ENOENT;
		return NULL;
	}
	directory = calloc(1, sizeof(*directory));
	if (!directory)
		return NULL;
	directory->magic = MAGIC;
	if (place.list == LISTS)
		directory->count = sim_nodes();
	else if (place.list >= 0 && place.index < 0)
		directory->count = lists[place.list].count((uint32_t)place.node);
	return directory;
}

bool sim_is_directory(const void *pointer)
{
	return ((const struct sim_directory *)pointer)->magic == MAGIC;
}

struct dirent *sim_sysfs_read_directory(struct sim_directory *directory)
{
	if (directory->next == directory->count)
		return NULL;
	directory->entry.d_type = DT_DIR;
	snprintf(directory->entry.d_name, sizeof(directory->entry.d_name), "%u", directory->next);
	directory->next++;
	return &directory->entry;
}

void sim_sysfs_close_directory(struct sim_directory *directory)
{
	free(directory);
}

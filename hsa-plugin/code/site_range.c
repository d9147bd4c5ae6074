/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/code/site_range.h"

#include <errno.h>
#include <string.h>

#include <probe/wire.h>

#include "common/elf_section.h"
#include "common/err.h"

static bool holds(const struct probe_sites_header *header, uint32_t offset, uint32_t count,
		  size_t each)
{
	return offset <= header->total_size && count <= (header->total_size - offset) / each;
}

static bool valid(const struct probe_sites_header *header, size_t size)
{
	return header->magic == PROBE_SITES_MAGIC && header->version >= PROBE_SITES_VERSION_MIN &&
	       header->version <= PROBE_SITES_VERSION && header->total_size <= size &&
	       header->header_size >= PROBE_SITES_HEADER_MIN &&
	       header->site_count <= PROBE_SITE_MASK + 1 &&
	       holds(header, header->kernels_offset, header->kernel_count,
		     sizeof(struct probe_site_kernel)) &&
	       holds(header, header->strings_offset, header->strings_size, 1);
}

/* Fields that an older plugin did not write are not needed here. */
static struct probe_sites_header read_header(const struct probe_site_table *table)
{
	struct probe_sites_header header = {0};

	memcpy(&header, table->bytes, PROBE_SITES_HEADER_MIN);
	return header;
}

int probe_site_table_find(const void *image, size_t size, struct probe_site_table *ret)
{
	struct probe_site_table table = {0};
	struct probe_sites_header header;
	struct probe_err *err;

	err = probe_image_section("code object", image, size, ".probe_sites", &table.bytes,
				  &table.size);
	if (err) {
		probe_err_destroy(err);
		return -EBADMSG;
	}
	if (table.bytes) {
		if (table.size < PROBE_SITES_HEADER_MIN)
			return -EBADMSG;
		header = read_header(&table);
		if (!valid(&header, table.size))
			return -EBADMSG;
	}
	*ret = table;
	return 0;
}

static bool named(const struct probe_site_table *table, const struct probe_sites_header *header,
		  uint32_t name, const char *kernel)
{
	size_t length = strlen(kernel) + 1;

	return name <= header->strings_size && length <= header->strings_size - name &&
	       !memcmp(table->bytes + header->strings_offset + name, kernel, length);
}

bool probe_site_table_range(const struct probe_site_table *table, const char *kernel,
			    uint32_t *first, uint32_t *count)
{
	struct probe_sites_header header;
	struct probe_site_kernel row;

	if (!table->bytes)
		return false;
	header = read_header(table);
	for (uint32_t i = 0; i < header.kernel_count; i++) {
		memcpy(&row, table->bytes + header.kernels_offset + i * sizeof(row), sizeof(row));
		if (!named(table, &header, row.name, kernel))
			continue;
		if (row.first_site > header.site_count ||
		    row.site_count > header.site_count - row.first_site)
			return false;
		*first = row.first_site;
		*count = row.site_count;
		return true;
	}
	return false;
}

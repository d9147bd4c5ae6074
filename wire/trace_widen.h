/* SPDX-License-Identifier: MIT */
/*
 * Records that the device shortens (wire.h: BLOCK and below) as the ones that everybody reads:
 * one record per access. Done where rings are drained, before anything is stored.
 */
#ifndef PROBE_WIRE_TRACE_WIDEN_H
#define PROBE_WIRE_TRACE_WIDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/wire.h>

/* constant + factor * an argument of the kernel, as struct probe_site_stride has it. */
struct probe_trace_stride {
	int32_t constant, factor; /* factor 0 = no argument */
	uint32_t offset, bits;
};

/* A GROUP site's name, read. */
struct probe_trace_group {
	uint32_t id;	     /* of the GROUP; its bases' follow */
	uint32_t first_site; /* the sites are in a row */
	uint32_t sites, bases;
	struct {
		uint8_t base;
		bool lds;
		int32_t distance;
	} site[PROBE_GROUP_SITES];
	bool proved;
	struct probe_trace_stride stride[PROBE_GROUP_BASES]
					[3]; /* bytes per step of the item's id */
};

/* False: the name makes no sense. Whether its sites exist, and which are in LDS, is not known here.
 */
bool probe_trace_group_read(uint32_t id, const char *name, struct probe_trace_group *ret);

/* By site id: the group of a GROUP's id and of its bases', else NULL. */
struct probe_trace_groups {
	const struct probe_trace_group *const *group;
	uint32_t count;
};

/* What it takes to read a dispatch's records. */
struct probe_trace_key {
	const struct probe_trace_groups *groups; /* NULL = none */
	uint32_t grid[3], group[3];		 /* work-items, of the launch and a workgroup */
	uint64_t rows;				 /* probe_trace_rows() of the launch */
	const unsigned char *arguments;		 /* of the kernel; NULL = not told */
	uint32_t argument_bytes;
};

/* What a ring's stream carries on from piece to piece. Zeroed to begin with. */
struct probe_trace_wide {
	uint64_t dispatch; /* of the last wave */
	uint64_t exec;	   /* of it, or of the EXEC record since */
	uint64_t rows;	   /* lanes of its ROWS record; 0 = there was none */
	uint32_t item;	   /* of its first lane, as in WAVE_ITEM */
	uint32_t size[2];  /* x and y of its workgroup */
	uint64_t records;  /* read so far, a BLOCK as the accesses it stands for */
};

/* The least room that lets it go on: a group of sites with all 64 addresses in full. */
#define PROBE_TRACE_WIDE_ROOM (PROBE_GROUP_SITES * (sizeof(struct probe_rec_lanes) + 512))

/*
 * Write out bytes[*pos..len) from whole records, move *pos, and return the bytes written, a
 * multiple of 8. It stops at the end, without room for the next record, and before a wave of
 * another dispatch unless that is the first record. `key` is that of
 * probe_trace_wide_dispatch(). What makes no sense is copied as it is, up to the end: the parser
 * will say so.
 */
size_t probe_trace_widen(const unsigned char *bytes, size_t len, size_t *pos,
			 const struct probe_trace_key *key, struct probe_trace_wide *wide,
			 unsigned char *out, size_t room);

/* The dispatch of the wave that the bytes begin with, or wide->dispatch. */
uint64_t probe_trace_wide_dispatch(const unsigned char *bytes, size_t len,
				   const struct probe_trace_wide *wide);

#endif

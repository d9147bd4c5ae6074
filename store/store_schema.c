/* SPDX-License-Identifier: MIT */
/* Names of a run: its guid, and the schema's text with the guid inserted. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "store/store_priv.h"

/* UUID version 7 (RFC 9562): 48 bits of milliseconds, then random, so guids sort by time. */
void probe_guid_make(char guid[40])
{
	struct timespec ts;
	unsigned char b[16];
	uint64_t ms;

	clock_gettime(CLOCK_REALTIME, &ts);
	ms = (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		for (size_t i = 0; i < sizeof(b); i++)
			b[i] = (unsigned char)((uint64_t)ts.tv_nsec >> (i & 3) * 8);
	for (int i = 0; i < 6; i++)
		b[i] = (unsigned char)(ms >> (40 - 8 * i));
	b[6] = (b[6] & 0x0f) | 0x70;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(guid, 40, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
		 b[13], b[14], b[15]);
}

char *probe_sql_expand(const char *sql, const char *suffix, const char *guid)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);
	const char *mark;

	if (!out)
		return NULL;
	for (; (mark = strstr(sql, "{{")); sql = mark) {
		fwrite(sql, 1, (size_t)(mark - sql), out);
		if (!strncmp(mark, "{{uuid}}", 8))
			fputs(suffix, out);
		else if (!strncmp(mark, "{{guid}}", 8))
			fputs(guid, out);
		mark += strlen("{{uuid}}");
	}
	fputs(sql, out);
	if (fclose(out)) {
		free(ret);
		return NULL;
	}
	return ret;
}

bool probe_store_owns(const char *table)
{
	static const char *const own[] = {
		"probe_account",   "probe_allocation", "probe_stack",	   "probe_launch",
		"probe_code",	   "probe_counter",    "probe_dispatch",   "probe_log",	   "probe_dispatchsum",
		"probe_loss",	   "probe_profile",    "probe_rawsample",  "probe_record",
		"probe_run",	   "probe_sample",     "probe_sampled",	   "probe_sampler",
		"probe_site",	   "probe_source",     "probe_sourcefile", "probe_state",
		"probe_uncovered", "probe_words",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (!strcasecmp(table, own[i]))
			return true;
	return false;
}

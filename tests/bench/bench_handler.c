/* SPDX-License-Identifier: MIT */
/*
 * How many records per second a handler takes through the public ABI, on one core:
 *   bench_handler HANDLER.so
 * Prints "<pattern> <million records per second>" per line. The handler is given a host with one
 * code object of two sites: 0 a global load, 1 an LDS load, 4 bytes each.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <probe/handler.h>

enum { BATCH = 4096, RECORDS = 4 << 20, SITES = 2 };

static const struct probe_site_info sites[SITES] = {
	{.size = sizeof(sites[0]),
	 .id = 0,
	 .code_object = 1,
	 .line = 1,
	 .access = PROBE_ACCESS_LOAD,
	 .space = PROBE_SPACE_GLOBAL,
	 .bytes = 4,
	 .unit = 4,
	 .align = 4,
	 .file = "bench.hip",
	 .function = "kernel"},
	{.size = sizeof(sites[0]),
	 .id = 1,
	 .code_object = 1,
	 .line = 2,
	 .access = PROBE_ACCESS_LOAD,
	 .space = PROBE_SPACE_LDS,
	 .bytes = 4,
	 .unit = 4,
	 .align = 4,
	 .file = "bench.hip",
	 .function = "kernel"},
};

static const char *no_arg(void *ctx, const char *key)
{
	(void)ctx, (void)key;
	return NULL;
}

static const struct probe_site_info *site_of(void *ctx, uint32_t code_object, uint32_t site)
{
	(void)ctx, (void)code_object;
	return site < SITES ? &sites[site] : NULL;
}

static uint32_t site_count(void *ctx, uint32_t code_object)
{
	(void)ctx, (void)code_object;
	return SITES;
}

static int any_table(void *ctx, const char *name, const struct probe_column *columns, size_t count)
{
	(void)ctx, (void)name, (void)columns, (void)count;
	return 0;
}

static int any_row(void *ctx, int table, const union probe_value *values, size_t count)
{
	(void)table, (void)values, (void)count;
	++*(unsigned *)ctx;
	return 0;
}

static void say(void *ctx, enum probe_level level, const char *format, ...)
{
	va_list args;

	(void)ctx, (void)level;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static struct probe_access batch[BATCH];
static int32_t offsets[BATCH][64];
static const struct probe_wave_info wave = {.exec = ~0ull};

/* `shift`: bytes by which each record lies elsewhere in its line than the one before. */
static void fill_affine(int64_t stride, uint32_t site, uint64_t base, uint32_t shift)
{
	for (size_t i = 0; i < BATCH; i++)
		batch[i] = (struct probe_access){.site = site,
						 .form = PROBE_FORM_AFFINE,
						 .lanes = 64,
						 .exec = ~0ull,
						 .base = base + (site == 0 ? 256 * i : 0) +
							 shift * (i % 32),
						 .stride = stride,
						 .wave = &wave};
}

static void fill_random(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < BATCH; i++) {
		for (size_t l = 0; l < 64; l++) {
			state = state * 1664525u + 1013904223u;
			offsets[i][l] = (int32_t)((state >> 4) & ~3u);
		}
		batch[i] = (struct probe_access){.site = 0,
						 .form = PROBE_FORM_NEAR,
						 .lanes = 64,
						 .exec = ~0ull,
						 .base = 0x7f0000000000,
						 .offsets = offsets[i],
						 .wave = &wave};
	}
}

static int run(const struct probe_handler *handler, const char *name)
{
	static const struct probe_dispatch_info dispatch = {.size = sizeof(dispatch),
							    .id = 1,
							    .kernel = "kernel",
							    .arch = "gfx90a",
							    .code_object = 1,
							    .kernel_id = 1,
							    .kind = PROBE_KIND_TRACE,
							    .wave_size = 64,
							    .lds_aperture = 0x10000,
							    .scratch_aperture = 0x20000};
	unsigned rows = 0;
	struct probe_host host = {.size = sizeof(host),
				  .abi = PROBE_HANDLER_ABI,
				  .ctx = &rows,
				  .arg = no_arg,
				  .site = site_of,
				  .site_count = site_count,
				  .table = any_table,
				  .row = any_row,
				  .log = say};
	struct probe_batch message = {.size = sizeof(message),
				      .stream = PROBE_STREAM_ACCESS,
				      .dispatch = &dispatch,
				      .count = BATCH,
				      .access = batch};
	struct timespec start, end;
	void *state;
	int err = handler->open(&host, &state);

	if (err)
		return err;
	if (handler->dispatch_begin)
		err = handler->dispatch_begin(state, &dispatch);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	for (size_t done = 0; done < RECORDS && !err; done += BATCH)
		err = handler->batch(state, &message);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	if (!err && handler->dispatch_end)
		err = handler->dispatch_end(state, &dispatch);
	if (handler->close(state) || err || !rows) {
		fprintf(stderr, "bench_handler: %s: error %d, %u rows\n", name, err, rows);
		return 1;
	}
	printf("%s %.3f\n", name,
	       RECORDS / ((double)(end.tv_sec - start.tv_sec) * 1e6 +
			  (double)(end.tv_nsec - start.tv_nsec) / 1e3));
	return 0;
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	const struct probe_handler *handler = library ? dlsym(library, PROBE_HANDLER_SYMBOL) : NULL;
	int bad = 0;

	if (!handler) {
		fprintf(stderr, "usage: bench_handler HANDLER.so (%s)\n",
			argc == 2 ? dlerror() : "no file given");
		return 2;
	}
	fill_affine(4, 0, 0x7f0000000000, 0);
	bad |= run(handler, "affine, coalesced");
	fill_affine(4, 0, 0x7f0000000000, 28);
	bad |= run(handler, "affine, coalesced, place changing");
	fill_affine(256, 0, 0x7f0000000000, 28);
	bad |= run(handler, "affine, one line per lane");
	fill_affine(4, 1, 0, 28);
	bad |= run(handler, "LDS, no conflict");
	fill_affine(128, 1, 0, 28);
	bad |= run(handler, "LDS, 32-way conflict");
	fill_random();
	bad |= run(handler, "random gather");
	return bad;
}

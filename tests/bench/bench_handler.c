/* SPDX-License-Identifier: MIT */
/*
 * How many records per second handlers take through the public ABI, on one core:
 *   bench_handler [--only PATTERN] HANDLER.so...
 * Prints "<pattern> <million records per second>" per line; with several handlers, each gets every
 * record, and what counts is the time of all. The host has one code object of four sites of 4
 * bytes; a dispatch is 256 workgroups of 4 waves for each of 16 batches. Each pattern takes half a
 * second of processor time, or a bit more.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <probe/handler.h>

enum { BATCH = 4096, WAVES = 1024, BATCHES = 16 };
enum { GLOBAL_LOAD, LDS_LOAD, LDS_STORE, GLOBAL_STORE, SITES };

#define SITE(number, kind, where)                                                                  \
	[number] = {.size = sizeof(struct probe_site_info),                                        \
		    .id = number,                                                                  \
		    .code_object = 1,                                                              \
		    .line = number + 1,                                                            \
		    .access = PROBE_ACCESS_##kind,                                                 \
		    .space = PROBE_SPACE_##where,                                                  \
		    .bytes = 4,                                                                    \
		    .unit = 4,                                                                     \
		    .align = 4,                                                                    \
		    .file = "bench.hip",                                                           \
		    .function = "kernel"}

static const struct probe_site_info sites[SITES] = {
	SITE(GLOBAL_LOAD, LOAD, GLOBAL),
	SITE(LDS_LOAD, LOAD, LDS),
	SITE(LDS_STORE, STORE, LDS),
	SITE(GLOBAL_STORE, STORE, GLOBAL),
};

/* The output of `log` is removed after the measurement. */
#define LOG_FILE "bench_handler.log"

static const char *arg_of(void *ctx, const char *key)
{
	(void)ctx;
	return strcmp(key, "file") ? NULL : LOG_FILE;
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

	(void)ctx;
	if (level == PROBE_LOG_INFO)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

/* ---- Patterns -------------------------------------------------------------------------------- */

static struct probe_access batch[BATCH];
static int32_t offsets[BATCH][64];
static struct probe_wave_info waves[2][WAVES]; /* before and after a barrier */

static void fill(size_t i, uint32_t site, uint64_t base, int64_t stride)
{
	batch[i] = (struct probe_access){.site = site,
					 .form = PROBE_FORM_AFFINE,
					 .lanes = 64,
					 .exec = ~0ull,
					 .base = base,
					 .stride = stride,
					 .wave = &waves[0][i % WAVES]};
}

/*
 * `shift`: bytes by which each record's address is shifted within its line, relative to the
 * previous record.
 */
static void fill_affine(int64_t stride, uint32_t site, uint64_t base, uint32_t shift)
{
	for (size_t i = 0; i < BATCH; i++)
		fill(i, site, base + (site == GLOBAL_LOAD ? 256 * i : 0) + shift * (i % 32),
		     stride);
}

static void fill_near(size_t i, uint64_t base)
{
	batch[i].form = PROBE_FORM_NEAR;
	batch[i].base = base;
	batch[i].offsets = offsets[i];
}

static void fill_random(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < BATCH; i++) {
		for (size_t l = 0; l < 64; l++) {
			state = state * 1664525u + 1013904223u;
			offsets[i][l] = (int32_t)((state >> 4) & ~3u);
		}
		fill(i, GLOBAL_LOAD, 0, 0);
		fill_near(i, 0x7f0000000000);
	}
}

/* Multiples of 128 bytes in an order without a constant stride. */
static void fill_conflicts(void)
{
	for (size_t i = 0; i < BATCH; i++) {
		for (size_t l = 0; l < 64; l++)
			offsets[i][l] = (int32_t)(128 * ((l * 37 + i) % 64));
		fill(i, LDS_LOAD, 0, 0);
		fill_near(i, 4 * (i % 32));
	}
}

/* Typical work on tiles: load, store to LDS, barrier, load from LDS, store. */
static void fill_tile(void)
{
	static const uint64_t arrays[SITES] = {
		[GLOBAL_LOAD] = 0x7f0000000000, [GLOBAL_STORE] = 0x7f0080000000};
	static const uint32_t order[SITES] = {GLOBAL_LOAD, LDS_STORE, LDS_LOAD, GLOBAL_STORE};

	for (size_t i = 0; i < BATCH; i++) {
		uint32_t site = order[i % SITES];
		size_t wave = i / SITES;
		bool lds = site == LDS_LOAD || site == LDS_STORE;

		fill(i, site, arrays[site] + 256 * (lds ? wave % 4 : wave), 4);
		batch[i].wave = &waves[i % SITES > 1][wave % WAVES];
	}
}

/* Four waves per workgroup, other workgroups in each batch. */
static void number_waves(unsigned first)
{
	for (unsigned i = 0; i < WAVES; i++)
		for (unsigned k = 0; k < 2; k++)
			waves[k][i] = (struct probe_wave_info){.group = {first + i / 4, 0, 0},
							       .wave = i % 4,
							       .hw_id = (i / 4 % 104) << 8,
							       .barriers = k,
							       .exec = ~0ull};
}

/* ---- Handlers -------------------------------------------------------------------------------- */

enum { HANDLERS_MAX = 16 };

static const struct probe_handler *handlers[HANDLERS_MAX];
static void *states[HANDLERS_MAX];
static unsigned handler_count;

static int run_batches(const struct probe_dispatch_info *dispatch)
{
	struct probe_batch message = {.size = sizeof(message),
				      .stream = PROBE_STREAM_ACCESS,
				      .dispatch = dispatch,
				      .count = BATCH,
				      .access = batch};
	int err = 0;

	for (unsigned i = 0; i < BATCHES && !err; i++) {
		number_waves(i * WAVES / 4);
		for (unsigned h = 0; h < handler_count && !err; h++)
			err = handlers[h]->batch(states[h], &message);
	}
	return err;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the number of records processed; negative on error. */
static double run_dispatches(void)
{
	struct probe_dispatch_info dispatch = {.size = sizeof(dispatch),
					       .kernel = "kernel",
					       .arch = "gfx90a",
					       .code_object = 1,
					       .kernel_id = 1,
					       .kind = PROBE_KIND_TRACE,
					       .wave_size = 64,
					       .grid = {BATCHES * WAVES * 64, 1, 1},
					       .group = {256, 1, 1},
					       .lds_aperture = 0x10000,
					       .scratch_aperture = 0x20000};
	double begun = seconds();
	int err = 0;

	for (dispatch.id = 1; seconds() < begun + 0.5 && !err; dispatch.id++) {
		for (unsigned h = 0; h < handler_count && !err; h++)
			if (handlers[h]->dispatch_begin)
				err = handlers[h]->dispatch_begin(states[h], &dispatch);
		err = err ? err : run_batches(&dispatch);
		for (unsigned h = 0; h < handler_count && !err; h++)
			if (handlers[h]->dispatch_end)
				err = handlers[h]->dispatch_end(states[h], &dispatch);
	}
	return err ? err : (double)(dispatch.id - 1) * BATCHES * BATCH;
}

static const char *only; /* part of the name of the patterns to run; NULL = all */

static int run(const char *name)
{
	unsigned rows = 0;
	struct probe_host host = {.size = sizeof(host),
				  .abi = PROBE_HANDLER_ABI,
				  .ctx = &rows,
				  .arg = arg_of,
				  .site = site_of,
				  .site_count = site_count,
				  .table = any_table,
				  .row = any_row,
				  .log = say};
	double start, end, records = 0;
	int err = 0;

	if (only && !strstr(name, only))
		return 0;
	unlink(LOG_FILE);
	for (unsigned h = 0; h < handler_count && !err; h++)
		err = handlers[h]->open(&host, &states[h]);
	start = seconds();
	if (!err)
		records = run_dispatches();
	end = seconds();
	for (unsigned h = 0; h < handler_count && !err; h++)
		err = handlers[h]->close(states[h]);
	unlink(LOG_FILE);
	if (err || records < 0) {
		fprintf(stderr, "bench_handler: %s: error %g\n", name, err ? err : records);
		return 1;
	}
	printf("%s %.3f\n", name, records / (end - start) / 1e6);
	return 0;
}

static bool load(const char *file)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!library || handler_count == HANDLERS_MAX)
		return false;
	handlers[handler_count] = dlsym(library, PROBE_HANDLER_SYMBOL);
	return handlers[handler_count++];
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc > 2 && !strcmp(argv[1], "--only")) {
		only = argv[2];
		argv += 2;
		argc -= 2;
	}
	for (int i = 1; i < argc; i++)
		if (!load(argv[i])) {
			fprintf(stderr, "bench_handler: %s: %s\n", argv[i], dlerror());
			return 1;
		}
	if (argc < 2) {
		fputs("usage: bench_handler [--only PATTERN] HANDLER.so...\n", stderr);
		return 2;
	}
	fill_affine(4, GLOBAL_LOAD, 0x7f0000000000, 0);
	bad |= run("affine, coalesced");
	fill_affine(4, GLOBAL_LOAD, 0x7f0000000000, 28);
	bad |= run("affine, coalesced, place changing");
	fill_affine(256, GLOBAL_LOAD, 0x7f0000000000, 28);
	bad |= run("affine, one line per lane");
	fill_affine(4, LDS_LOAD, 0, 28);
	bad |= run("LDS, no conflict");
	fill_affine(128, LDS_LOAD, 0, 28);
	bad |= run("LDS, 32-way conflict");
	fill_conflicts();
	bad |= run("LDS, 32-way conflict, no stride");
	fill_tile();
	bad |= run("tile through LDS");
	fill_random();
	bad |= run("random gather");
	return bad;
}

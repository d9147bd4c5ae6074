/* SPDX-License-Identifier: MIT */
/* An application without a GPU; see fake_app.h. */
#define _GNU_SOURCE
#include "tests/cmd/fake_app/fake_app.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <probe/wire_tracing.h>

#include "pcsample/decode.h"

enum { DOORBELL = 77, LOAD_BASE = 0x100000 };

static void put(struct fake_app *app, uint32_t type, const void *fixed, size_t size,
		const void *tail, size_t tail_size)
{
	struct iovec parts[2] = {{(void *)fixed, size}, {(void *)tail, tail_size}};

	app->host++;
	probe_segment_put_wait(&app->seg, type, parts, 2, 1000000000u);
}

/* The segment's descriptor, or -errno; -ECONNRESET if the recorder died before its answer. */
static int ask(int sock, uint32_t rings, uint64_t *ret_size)
{
	struct probe_hello hello = {PROBE_HELLO_MAGIC, PROBE_SEG_VERSION, (uint32_t)getpid(),
				    rings};
	struct probe_welcome welcome = {0};
	struct iovec part = {&welcome, sizeof(welcome)};
	char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	ssize_t got;
	int fd;

	if (send(sock, &hello, sizeof(hello), MSG_NOSIGNAL) < 0)
		return errno == EPIPE ? -ECONNRESET : -errno;
	got = recvmsg(sock, &message, 0);
	if (got <= 0)
		return got ? -errno : -ECONNRESET;
	if (welcome.status)
		return welcome.status;
	if (!CMSG_FIRSTHDR(&message))
		return -EPROTO;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	*ret_size = welcome.size;
	return fd;
}

int fake_connect(struct fake_app *app, uint32_t rings)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("PROBE_SOCKET");
	uint64_t size = 0;
	int fd, err;

	*app = (struct fake_app){.sock = -1};
	if (!path || strlen(path) >= sizeof(address.sun_path))
		return -ENOTCONN;
	strcpy(address.sun_path, path);
	do {
		close(app->sock);
		app->sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		if (app->sock < 0 ||
		    connect(app->sock, (struct sockaddr *)&address, sizeof(address)))
			return -errno;
		fd = ask(app->sock, rings, &size);
	} while (fd == -ECONNRESET);
	if (fd < 0)
		return fd;
	err = probe_segment_open(&app->seg, fd, size);
	close(fd);
	if (!err)
		((struct probe_seg_header *)app->seg.base)->pid = (uint32_t)getpid();
	return err;
}

static uint32_t add_string(char *strings, uint32_t *size, const char *text)
{
	uint32_t at = *size;

	strcpy(strings + at, text);
	*size += (uint32_t)strlen(text) + 1;
	return at;
}

/* Three sites: a load, a store of the same line, and an LDS load in an inlined function. */
static size_t site_table(unsigned char *out, const char *source)
{
	char strings[1024] = "";
	uint32_t size = 1, file, function, inner, kernel;
	struct probe_sites_header header = {
		.magic = PROBE_SITES_MAGIC,
		.version = PROBE_SITES_VERSION,
		.header_size = sizeof(header),
		.site_count = 3,
		.kernel_count = 1,
		.frame_count = 1,
	};

	file = add_string(strings, &size, source);
	function = add_string(strings, &size, "_Z4copyPf");
	inner = add_string(strings, &size, "_ZN3dev5innerEv");
	kernel = add_string(strings, &size, "_Z4copyPf");
	header.sites_offset = sizeof(header);
	header.kernels_offset = header.sites_offset + 3 * sizeof(struct probe_site);
	header.frames_offset = header.kernels_offset + sizeof(struct probe_site_kernel);
	header.strings_offset = header.frames_offset + sizeof(struct probe_site_frame);
	header.strings_size = size;
	header.total_size = header.strings_offset + size;
	memcpy(out, &header, sizeof(header));
	for (uint32_t i = 0; i < 3; i++) {
		struct probe_site site = {
			.file = file,
			.function = i == 2 ? inner : function,
			.line = i == 2 ? 1 : 2,
			.column = 5 + i,
			.frame_count = i == 2,
			.access = i == 1 ? PROBE_ACCESS_STORE : PROBE_ACCESS_LOAD,
			.space = i == 2 ? PROBE_SPACE_LDS : PROBE_SPACE_GLOBAL,
			.size = 4,
			.unit = 4,
			.align = 4,
			.owner = kernel,
			.kinds = 1u << PROBE_KIND_MEMORY | 1u << PROBE_KIND_TRACE,
		};

		memcpy(out + header.sites_offset + i * sizeof(site), &site, sizeof(site));
	}
	memcpy(out + header.kernels_offset, &(struct probe_site_kernel){kernel, 6, 0, 3},
	       sizeof(struct probe_site_kernel));
	memcpy(out + header.frames_offset, &(struct probe_site_frame){file, function, 2, 9},
	       sizeof(struct probe_site_frame));
	memcpy(out + header.strings_offset, strings, size);
	return header.total_size;
}

size_t fake_code_object(void *out, size_t room, const char *source)
{
	static const char names[] = "\0.probe_sites\0.shstrtab";
	unsigned char table[4096];
	size_t table_size = site_table(table, source);
	size_t names_at = sizeof(Elf64_Ehdr), table_at = 256;
	size_t sections_at = (table_at + table_size + 7) & ~(size_t)7;
	Elf64_Shdr sections[3] = {
		{.sh_type = SHT_NULL},
		{.sh_name = 1,
		 .sh_type = SHT_PROGBITS,
		 .sh_offset = table_at,
		 .sh_size = table_size},
		{.sh_name = 14,
		 .sh_type = SHT_STRTAB,
		 .sh_offset = names_at,
		 .sh_size = sizeof(names)},
	};
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = 224,
		.e_version = EV_CURRENT,
		.e_shoff = sections_at,
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};

	if (sections_at + sizeof(sections) > room)
		abort();
	memset(out, 0, sections_at + sizeof(sections));
	memcpy(out, &header, sizeof(header));
	memcpy((char *)out + names_at, names, sizeof(names));
	memcpy((char *)out + table_at, table, table_size);
	memcpy((char *)out + sections_at, sections, sizeof(sections));
	return sections_at + sizeof(sections);
}

static void announce_process(struct fake_app *app)
{
	static const char strings[] = "./fake app\0--flag\0HSA_X=1\0SECRET=2\0PROBE_KIND=memory";
	struct probe_hr_process process = {
		.pid = (uint32_t)getpid(),
		.ppid = (uint32_t)getppid(),
		.start = 1000,
		.runtime = {2, 1000},
		.flags = PROBE_PROCESS_SIMULATED,
		.command_len = 18,
		.environment_len = sizeof(strings) - 18,
	};

	put(app, PROBE_HR_PROCESS, &process, sizeof(process), strings, sizeof(strings));
}

static void announce_kernel(struct fake_app *app, uint32_t id, uint32_t kind, const char *name)
{
	struct probe_hr_kernel kernel = {
		.id = id,
		.code_object = 1,
		.kernel_object = 0x1000 * id,
		.kernarg_size = 64,
		.kernarg_align = 8,
		.sgprs = 16,
		.vgprs = 24,
		.wave_size = 64,
		.kind = kind,
		.original = kind ? 1 : 0,
		.name_len = (uint32_t)strlen(name),
	};

	put(app, PROBE_HR_KERNEL, &kernel, sizeof(kernel), name, strlen(name));
}

int fake_image(struct fake_app *app, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file)
		return -errno;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	app->image = malloc((size_t)size);
	app->image_size = app->image ? fread(app->image, 1, (size_t)size, file) : 0;
	fclose(file);
	return app->image_size == (size_t)size ? 0 : -EIO;
}

static void announce_code(struct fake_app *app, const char *source)
{
	static const char uri[] = "memory://1#offset=0x1000&size=512";
	unsigned char made[8192];
	const unsigned char *image = app->image ? app->image : made;
	size_t size = app->image ? app->image_size : fake_code_object(made, sizeof(made), source);
	size_t half = size / 2;
	struct probe_hr_code_object object = {.id = 1,
					      .agent = 1,
					      .load_base = LOAD_BASE,
					      .load_delta = app->image ? LOAD_BASE - 0x1000 : 0,
					      .load_size = app->load_size ? app->load_size : 4096,
					      .bytes = size,
					      .storage = 2,
					      .uri_len = sizeof(uri) - 1};
	struct probe_hr_code_bytes bytes = {.code_object = 1, .bytes = (uint32_t)half};

	put(app, PROBE_HR_CODE_OBJECT, &object, sizeof(object), uri, sizeof(uri) - 1);
	put(app, PROBE_HR_CODE_BYTES, &bytes, sizeof(bytes), image, half);
	bytes.offset = half;
	bytes.bytes = (uint32_t)(size - half);
	put(app, PROBE_HR_CODE_BYTES, &bytes, sizeof(bytes), image + half, size - half);
}

void fake_announce(struct fake_app *app, const char *source)
{
	struct probe_hr_agent cpu = {.handle = 1, .name_len = 3, .product_len = 3, .vendor_len = 3};
	struct probe_hr_agent gpu = {.handle = 2,
				     .index = 1,
				     .type = 1,
				     .compute_units = 104,
				     .wave_slots = 3328,
				     .wave_size = 64,
				     .clock_mhz = 1700,
				     .timestamp_hz = 1000000000,
				     .name_len = 22,
				     .product_len = 5,
				     .vendor_len = 3};
	struct probe_hr_queue queue = {.handle = 3, .id = 1, .agent = 1, .size = 4096};

	announce_process(app);
	put(app, PROBE_HR_AGENT, &cpu, sizeof(cpu), "CPUEPYAMD", 9);
	put(app, PROBE_HR_AGENT, &gpu, sizeof(gpu), "gfx90a:sramecc+:xnack-MI210AMD", 30);
	put(app, PROBE_HR_QUEUE, &queue, sizeof(queue), NULL, 0);
	announce_code(app, source);
	announce_kernel(app, 1, PROBE_KIND_NONE, "_Z4copyPf");
	announce_kernel(app, 2, PROBE_KIND_MEMORY, "__probe_memory__Z4copyPf");
	announce_kernel(app, 3, PROBE_KIND_TRACE, "__probe_trace__Z4copyPf");
}

void fake_dispatch(struct fake_app *app, uint64_t id, uint32_t kind, uint32_t verdict)
{
	struct probe_hr_dispatch dispatch = {
		.id = id,
		.queue = 1,
		.agent = 1,
		.kernel = 1,
		.launched = kind + 1,
		.kind = kind,
		.verdict = verdict,
		.grid = {1024, 2, 1},
		.group = {256, 1, 1},
		.dims = 2,
		.packet = (uint32_t)id,
		.kernel_object = 0x1000,
	};

	put(app, PROBE_HR_DISPATCH, &dispatch, sizeof(dispatch), NULL, 0);
}

void fake_counters(struct fake_app *app, uint64_t id, uint32_t rows)
{
	struct probe_hr_counters counters = {.dispatch = id, .code_object = 1, .rows = rows};
	struct probe_counter_row *row = calloc(rows, sizeof(*row));

	for (uint32_t i = 0; i < rows; i++) {
		app->rows++;
		row[i].site = i % 3;
		row[i].value[PROBE_C_EXECUTIONS] = i + 1;
		row[i].value[PROBE_C_LANES] = 64 * (i + 1);
	}
	put(app, PROBE_HR_COUNTERS, &counters, sizeof(counters), row, rows * sizeof(*row));
	free(row);
}

void fake_complete(struct fake_app *app, uint64_t id, uint32_t rows, uint64_t rows_dropped)
{
	struct probe_hr_complete complete = {
		.id = id,
		.start = 1000 * id,
		.end = 1000 * id + 500,
		.counters = rows,
		.rows_dropped = rows_dropped,
	};

	put(app, PROBE_HR_COMPLETE, &complete, sizeof(complete), NULL, 0);
}

void fake_calls(struct fake_app *app, uint32_t count)
{
	struct probe_hr_function function = {.id = 1, .domain = PROBE_DOMAIN_HIP, .name_len = 7};

	if (!app->calls)
		put(app, PROBE_HR_FUNCTION, &function, sizeof(function), "hipFake", 7);
	for (uint32_t i = 0; i < count; i++) {
		struct probe_hr_call call = {
			.start = 1000 + app->calls, .correlation = app->calls + 1, .function = 1};

		put(app, PROBE_HR_CALL, &call, sizeof(call), NULL, 0);
		app->calls++;
	}
}

/* ---- PC samples ------------------------------------------------------------------------------ */

void fake_sampler(struct fake_app *app, uint32_t method)
{
	struct probe_hr_sampler sampler = {.agent = 1,
					   .method = method,
					   .unit = method,
					   .provider_len = 4,
					   .interval = 1 << 20};
	struct probe_hr_queue_hardware hardware = {.id = 1, .doorbell = DOORBELL, .size = 64};

	put(app, PROBE_HR_QUEUE_HARDWARE, &hardware, sizeof(hardware), NULL, 0);
	put(app, PROBE_HR_SAMPLER, &sampler, sizeof(sampler), "fake", 4);
}

void fake_samples(struct fake_app *app, uint64_t dispatch, uint32_t method, uint32_t count)
{
	struct probe_pcs_layout layout = {PROBE_PCS_GFX9, (enum probe_pcs_method)method, 0};
	uint32_t bad = method == PROBE_PCS_STOCHASTIC ? 3 : 2;
	struct probe_hr_samples head = {
		.agent = 1, .count = count + bad, .flags = PROBE_SAMPLES_FLUSHED, .lost = 5};
	uint8_t *records = calloc(head.count, PROBE_PCS_RECORD_SIZE), *record = records;

	for (uint32_t i = 0; i < head.count; i++, record += PROBE_PCS_RECORD_SIZE) {
		struct probe_pc_sample sample = {
			.pc = LOAD_BASE + (app->sample_at ? app->sample_at : 64) + 4 * (i % 8),
			.timestamp = 1000 * dispatch + 500ull * i / head.count,
			.exec = 0x5555555555555555,
			.correlation = dispatch % 64 | (uint64_t)DOORBELL << 32,
			.issued = i % 2 == 0,
			.type = PROBE_PCS_TYPE_VALU,
			.reason = (uint8_t)(1 + i % 7),
			.wave_count = 8,
		};

		if (i == count)
			sample.pc = LOAD_BASE - 4;
		if (i == count + 1)
			sample.pc++;
		probe_pcs_encode(&layout, &sample, record);
		if (i == count + 2)
			record[0x24] = 0;
	}
	put(app, PROBE_HR_SAMPLES, &head, sizeof(head), records,
	    (size_t)head.count * PROBE_PCS_RECORD_SIZE);
	free(records);
}

/* ---- The device's side of a ring ------------------------------------------------------------ */

static struct probe_ring *ring_head(struct fake_app *app, uint32_t index)
{
	return (struct probe_ring *)(app->seg.base + app->seg.header.heads_offset) + index;
}

/* Space for a record of `size` bytes, after a PAD record if it would wrap; waits for the reader. */
static unsigned char *ring_reserve(struct fake_app *app, uint32_t index, size_t size)
{
	struct probe_ring *ring = ring_head(app, index);
	uint32_t ring_size = app->seg.header.ring_size;
	unsigned char *data =
		app->seg.base + app->seg.header.data_offset + (uint64_t)index * ring_size;
	uint64_t at = ring->head & (ring_size - 1);
	uint64_t pad = ring_size - at < size ? ring_size - at : 0;

	while (ring->head + pad + size - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) > ring_size)
		sched_yield();
	if (pad) {
		memset(data + at, 0, 4);
		__atomic_store_n(&ring->head, ring->head + pad, __ATOMIC_RELEASE);
	}
	return data + (ring->head & (ring_size - 1));
}

static void ring_commit(struct fake_app *app, uint32_t index, size_t size)
{
	struct probe_ring *ring = ring_head(app, index);

	app->traced++;
	__atomic_store_n(&ring->head, ring->head + size, __ATOMIC_RELEASE);
}

static size_t make_record(unsigned char *out, uint32_t number, unsigned form)
{
	static const struct probe_rec_lanes lanes_empty;
	uint32_t word0 = number % 3 | form << PROBE_FORM_SHIFT;
	struct probe_rec_lanes lanes = lanes_empty;

	if (form == PROBE_FORM_AFFINE) {
		struct probe_rec_affine affine = {word0, 4, ~0ull, 0x10000 + 256ull * number};

		memcpy(out, &affine, sizeof(affine));
		return sizeof(affine);
	}
	lanes.word0 = word0;
	lanes.exec = 0x7; /* three lanes: NEAR needs padding */
	lanes.base = form == PROBE_FORM_NEAR ? 0x20000 : 0;
	lanes.size = sizeof(lanes) + (form == PROBE_FORM_NEAR ? 16 : 24);
	memset(out, 0, lanes.size);
	memcpy(out, &lanes, sizeof(lanes));
	for (int i = 0; i < 3; i++) {
		if (form == PROBE_FORM_NEAR)
			((int32_t *)(out + sizeof(lanes)))[i] = i * -8;
		else
			((uint64_t *)(out + sizeof(lanes)))[i] = 0x30000 + 4096ull * (unsigned)i;
	}
	return lanes.size;
}

void fake_wave(struct fake_app *app, uint64_t dispatch, uint32_t records, unsigned form)
{
	uint32_t index = app->next_ring++ & (app->seg.header.ring_count - 1);
	struct probe_rec_wave wave = {
		.word0 = (uint32_t)PROBE_FORM_WAVE << PROBE_FORM_SHIFT,
		.wave = index & 3,
		.dispatch = dispatch,
		.group = {index, 0, 0},
		.exec = ~0ull,
	};

	memcpy(ring_reserve(app, index, sizeof(wave)), &wave, sizeof(wave));
	ring_commit(app, index, sizeof(wave));
	for (uint32_t i = 0; i < records; i++) {
		unsigned one = form ? form : PROBE_FORM_AFFINE + i % 3;
		unsigned char *out = ring_reserve(app, index, 64);

		ring_commit(app, index, make_record(out, i, one));
	}
}

void fake_unpublished(struct fake_app *app, uint32_t records)
{
	uint32_t index = (app->next_ring - 1) & (app->seg.header.ring_count - 1);
	struct probe_ring *ring = ring_head(app, index);
	uint64_t head = ring->head;
	unsigned char *out = ring_reserve(app, index, app->seg.header.ring_size / 4);

	if (ring->head != head)
		return; /* at the ring's end */
	for (uint32_t i = 0; i < records && (i + 1) * 24 <= app->seg.header.ring_size / 4; i++) {
		out += make_record(out, i, PROBE_FORM_AFFINE);
		app->unpublished++;
	}
}

void fake_stored_waves(struct fake_app *app, uint64_t dispatch, uint32_t waves, uint32_t stride,
		       uint32_t spans, uint32_t places)
{
	struct place {
		struct probe_wave_slot wave;
		uint64_t span[2];
	};
	struct {
		struct probe_hr_wave_storage hr;
		struct probe_wave_storage head;
	} fixed = {
		.hr = {.dispatch = dispatch, .waves = waves},
		.head = {.stride = stride,
			 .spans = spans,
			 .site = 1,
			 .lanes = 64,
			 .span_site = {2}},
	};
	struct place *place = calloc(places + 1, sizeof(*place));

	for (uint32_t i = 0; i < places; i++)
		place[i] = (struct place){
			.wave = {.hw_id = i & 7,
				 .lanes = 64,
				 .exec = ~0ull,
				 .begin = 1000,
				 .end = 2000},
			.span = {1200 + i, 1500 + 2 * i},
		};
	put(app, PROBE_HR_WAVE_STORAGE, &fixed, sizeof(fixed), place, places * sizeof(*place));
	free(place);
}

void fake_exit_record(struct fake_app *app, uint64_t dispatches)
{
	struct probe_hr_exit hr = {.dispatches = dispatches, .completed = dispatches};

	put(app, PROBE_HR_EXIT, &hr, sizeof(hr), NULL, 0);
}

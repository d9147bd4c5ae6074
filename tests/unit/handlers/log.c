/* SPDX-License-Identifier: MIT */
/* The log handler: what it wrote is read again and compared, and writes that fail. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/handlers/random_accesses.h"

extern const struct probe_handler probe_handler;

static struct host_state state;
static struct probe_host host;
static void *instance;
static char directory[] = "/tmp/probe-log-XXXXXX", path[64];
static int writes_left = -1; /* until one fails */

ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);

/* Short writes, and no space in the end. */
ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	if (writes_left < 0)
		return __real_write(fd, bytes, size);
	if (!writes_left--) {
		writes_left = 0;
		errno = ENOSPC;
		return -1;
	}
	return __real_write(fd, bytes, size < 1000 ? size : 1000);
}

static void prepare(const char *format, const char *file)
{
	memset(&state, 0, sizeof(state));
	host = host_of(&state);
	state.args[0][0] = "file";
	state.args[0][1] = file;
	state.args[1][0] = format ? "format" : "addresses";
	state.args[1][1] = format ? format : "each";
}

static int start(const char *format)
{
	writes_left = -1;
	snprintf(path, sizeof(path), "%s/log", directory);
	unlink(path);
	prepare(format, path);
	return probe_handler.open(&host, &instance);
}

static char *read_all(void)
{
	FILE *file = fopen(path, "r");
	size_t size;
	char *text;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size = (size_t)ftell(file);
	rewind(file);
	text = malloc(size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, size, file), size);
	text[size] = 0;
	fclose(file);
	return text;
}

/* One CSV field in place; the address of the next. */
static char *next_field(char *at, char **field)
{
	char *to = at;

	*field = at;
	if (*at != '"') {
		at += strcspn(at, ",\n");
		*at = 0;
		return at + 1;
	}
	for (at++; *at != '"' || at[1] == '"'; at++) {
		at += *at == '"';
		*to++ = *at;
	}
	*to = 0;
	return at + 2;
}

/* ---- CSV and JSON lines ---------------------------------------------------------------------- */

enum { RECORDS = 3000 };
static struct random_access randoms[RECORDS];

static const struct probe_frame_info calls[] = {
	{"/usr/include/hip/wrap.h", "wrap", 5, 1},
	{"user.hip", "k", 33, 4},
};

static void send_all(void)
{
	uint64_t seed = 88172645463325252ull;

	random_add_sites(&state);
	state.sites[2].file = "a \"b\", c.hip";
	/* In a header of HIP, that another one calls for the user. */
	state.sites[1].file = "/opt/rocm/include/hip/atomic.h";
	state.sites[1].line = 900;
	state.sites[1].frames = calls;
	state.sites[1].frame_count = 2;
	for (uint32_t i = 0; i < RECORDS; i++) {
		random_access(&seed, &state.sites[i % state.site_count], &randoms[i]);
		random_send(&probe_handler, instance, &randoms[i].access, 1);
	}
}

/* One item of the list, "0x1000", "2a8" or "0x1000+4*64"; returns what follows it. */
static char *next_item(char *at, uint64_t *addr, unsigned *count)
{
	unsigned long more = 1;
	const char *begin;
	int64_t stride = 0;
	bool whole;

	at += *at == ' ';
	begin = at;
	whole = *count == 0 || !strncmp(at, "0x", 2);
	addr[*count] = strtoull(at, &at, 16);
	if (!whole && at - begin < 16)
		addr[*count] |= addr[0] >> 4 * (at - begin) << 4 * (at - begin);
	if (*at == '+' || *at == '-') {
		stride = strtoll(at, &at, 10);
		assert_int_equal(*at, '*');
		more = strtoul(at + 1, &at, 10);
		assert_in_range(more, 3, 64 - *count);
	}
	for (unsigned long i = 1; i < more; i++)
		addr[*count + i] = addr[*count] + i * (uint64_t)stride;
	*count += (unsigned)more;
	return at;
}

static void check_addresses(char *at, const struct random_access *random, bool each)
{
	unsigned count = 0, n = 0;
	uint64_t addr[64];

	assert_int_equal(each && strchr(at, '*'), 0);
	while (*at)
		at = next_item(at, addr, &count);
	for (unsigned lane = 0; lane < 64; lane++)
		if (random->active[lane])
			assert_int_equal(addr[n++], random->addr[lane]);
	assert_int_equal(n, count);
}

static char *check_csv_line(char *at, const struct random_access *random, bool each)
{
	const struct probe_site_info *site = &state.sites[random->access.site];
	char *field[21];

	for (unsigned i = 0; i < 21; i++)
		at = next_field(at, &field[i]);
	assert_string_equal(field[1], "kernel");
	assert_int_equal(strtoul(field[2], NULL, 10), random->wave.group[0]);
	assert_int_equal(strtoul(field[5], NULL, 10), random->wave.wave);
	assert_int_equal(strtoull(field[8], NULL, 16), random->wave.exec);
	assert_int_equal(strtoul(field[9], NULL, 10), site->id);
	assert_string_equal(field[10], site->frames ? "user.hip" : site->file);
	assert_int_equal(strtoul(field[11], NULL, 10), site->frames ? 33 : site->line);
	assert_int_equal(strtoul(field[15], NULL, 10), site->bytes);
	assert_int_equal(strtoull(field[16], NULL, 16), random->access.exec);
	check_addresses(field[18], random, each);
	assert_string_equal(field[19], "");
	assert_string_equal(field[20], "");
	return at;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void send_message(const char *format)
{
	static const unsigned char data[] = {1, 2, 3, 255, 0x10, 0x20};
	const struct probe_wave_info wave = {.group = {3, 0, 0}, .wave = 1, .exec = 5};
	const struct probe_message message = {
		.count = 2,
		.bytes = 2,
		.stride = 3,
		.lanes = 1,
		.exec = 5,
		.data = data,
		.wave = &wave,
	};
	const struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_MESSAGE,
		.dispatch = &random_dispatch,
		.count = 1,
		.messages = &message,
	};

	assert_int_equal(start(format), 0);
	random_add_site(&state, PROBE_ACCESS_MESSAGE, PROBE_SPACE_FLAT, 0, 0);
	state.sites[0].name = "a,b";
	state.sites[0].file = "m.hip";
	assert_int_equal(probe_handler.batch(instance, &batch), 0);
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(host_get(&state, 0, "lines"), 1);
}

static void test_messages(void **unused)
{
	char *text, *at, *field[21];

	(void)unused;
	send_message("csv");
	text = read_all();
	at = strchr(text, '\n') + 1;
	for (unsigned i = 0; i < 21; i++)
		at = next_field(at, &field[i]);
	assert_string_equal(field[2], "3");
	assert_string_equal(field[10], "m.hip");
	assert_string_equal(field[13], "message");
	assert_string_equal(field[14], "");
	assert_string_equal(field[16], "0x5");
	assert_string_equal(field[17], "2");
	assert_string_equal(field[18], "");
	assert_string_equal(field[19], "a,b");
	assert_string_equal(field[20], "0102 ff10");
	assert_int_equal(*at, 0);
	free(text);
	send_message("jsonl");
	text = read_all();
	assert_non_null(strstr(text, "\"access\":\"message\""));
	assert_non_null(
		strstr(text, "\"lanes\":2,\"tag\":\"a,b\",\"data\":[\"0102\",\"ff10\"]}\n"));
	free(text);
}

/* NULL: with each address. Returns the bytes written. */
static size_t check_csv(const char *format)
{
	char *text, *at;
	size_t size;

	assert_int_equal(start(format), 0);
	send_all();
	assert_int_equal(probe_handler.close(instance), 0);
	assert_int_equal(state.row_count, 1);
	assert_int_equal(host_get(&state, 0, "lines"), RECORDS);
	assert_string_equal(host_text(&state, 0, "file"), path);
	text = read_all();
	size = strlen(text);
	assert_int_equal(host_get(&state, 0, "bytes"), size);
	at = strchr(text, '\n') + 1;
	for (unsigned i = 0; i < RECORDS; i++)
		at = check_csv_line(at, &randoms[i], !format);
	assert_int_equal(*at, 0);
	free(text);
	return size;
}

static void test_csv(void **unused)
{
	(void)unused;
	assert_true(check_csv("csv") < check_csv(NULL));
}

static void test_json(void **unused)
{
	struct probe_access access = {.form = PROBE_FORM_AFFINE, .lanes = 2, .exec = 5};
	char *text;

	(void)unused;
	assert_int_equal(start("jsonl"), 0);
	random_add_site(&state, PROBE_ACCESS_ATOMIC, PROBE_SPACE_FLAT, 4, 4);
	state.sites[0].file = "q\"\\\x01\xff\xc3\xa9\xed\xa0\x80\t";
	access.base = 0x1000;
	access.stride = 8;
	random_send(&probe_handler, instance, &access, 1);
	access.exec = 0x1555;
	access.lanes = 7;
	access.stride = -8;
	random_send(&probe_handler, instance, &access, 1);
	assert_int_equal(probe_handler.close(instance), 0);
	text = read_all();
	assert_non_null(strstr(text, "\"lanes\":7,\"addresses\":[\"0x1000-16*7\"]}\n"));
	*strchr(text, '\n') = 0;
	assert_string_equal(
		text, "{\"dispatch\":1,\"kernel\":\"kernel\",\"group\":[0,0,0],\"wave\":0,"
		      "\"hw_id\":0,\"time\":0,\"wave_exec\":\"0x0\",\"site\":0,"
		      "\"file\":\"q\\\"\\\\\\u0001\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd\\u0009\","
		      "\"line\":10,\"column\":5,\"access\":\"atomic\",\"space\":\"flat\","
		      "\"bytes\":4,\"exec\":\"0x5\",\"lanes\":2,"
		      "\"addresses\":[\"0x1000\",\"10\"]}");
	free(text);
}

/* However long a name is, a line stays whole. */
static void test_long_names(void **unused)
{
	struct probe_access access = {.form = PROBE_FORM_AFFINE, .lanes = 64, .exec = ~0ull};
	static char name[100000];
	char *text;

	(void)unused;
	memset(name, '\\', sizeof(name) - 1);
	assert_int_equal(start("jsonl"), 0);
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	state.sites[0].file = name;
	access.base = ~0ull - 1000;
	for (unsigned i = 0; i < 200; i++)
		random_send(&probe_handler, instance, &access, 1);
	assert_int_equal(probe_handler.close(instance), 0);
	text = read_all();
	assert_non_null(strstr(text, "\\\\\",\"line\":10,"));
	assert_string_equal(text + strlen(text) - 3, "]}\n");
	free(text);
}

/* ---- Failures -------------------------------------------------------------------------------- */

static void test_disk_full(void **unused)
{
	struct probe_access access = {.form = PROBE_FORM_AFFINE, .lanes = 64, .exec = ~0ull};
	struct probe_batch batch = {
		.size = sizeof(batch),
		.stream = PROBE_STREAM_ACCESS,
		.dispatch = &random_dispatch,
		.count = 1,
		.access = &access,
	};
	int err = 0;

	(void)unused;
	assert_int_equal(start("csv"), 0);
	random_add_site(&state, PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL, 4, 4);
	writes_left = 5;
	for (unsigned i = 0; i < 10000 && !err; i++)
		err = probe_handler.batch(instance, &batch);
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(state.logged, 1);
	assert_non_null(strstr(state.message, "No space left"));
	assert_int_equal(probe_handler.close(instance), -ENOSPC);
	assert_int_equal(state.row_count, 0);
	writes_left = -1;
}

static void test_names(void **unused)
{
	char pattern[64], want[64];

	(void)unused;
	assert_int_equal(start(NULL), 0);
	assert_int_equal(probe_handler.close(instance), 0);
	prepare(NULL, path);
	assert_int_equal(probe_handler.open(&host, &instance), -EEXIST);
	assert_non_null(strstr(state.message, "it exists"));
	snprintf(pattern, sizeof(pattern), "%s/a-%%n%%.csv", directory);
	for (unsigned i = 1; i <= 3; i++) {
		prepare("csv", pattern);
		assert_int_equal(probe_handler.open(&host, &instance), 0);
		assert_int_equal(probe_handler.close(instance), 0);
		snprintf(want, sizeof(want), "%s/a-%u.csv", directory, i);
		assert_string_equal(host_text(&state, 0, "file"), want);
	}
	for (unsigned i = 1; i <= 3; i++) {
		snprintf(want, sizeof(want), "%s/a-%u.csv", directory, i);
		unlink(want);
	}
	prepare("xml", path);
	assert_int_equal(probe_handler.open(&host, &instance), -EINVAL);
	assert_int_equal(state.logged, 1);
	prepare(NULL, path);
	state.args[1][1] = "all";
	assert_int_equal(probe_handler.open(&host, &instance), -EINVAL);
	assert_string_equal(state.message,
			    "invalid value 'all' for log:addresses=; expected runs or each");
	prepare("csv", "/none/log");
	assert_int_equal(probe_handler.open(&host, &instance), -ENOENT);
	assert_int_equal(state.logged, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),	   cmocka_unit_test(test_json),
		cmocka_unit_test(test_long_names), cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_messages),
	};
	int failed;

	if (!mkdtemp(directory))
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(directory);
	return failed;
}

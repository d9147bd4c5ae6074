/* SPDX-License-Identifier: MIT */
/* The bytes of a code object, by its URI or its address. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hsa-plugin/code/code_image.h"

static void uris(void **state)
{
	uint64_t offset, size;
	char *path;

	(void)state;
	assert_int_equal(probe_image_parse_uri("file:///a/b%20c#offset=0x1000&size=20", &path,
					       &offset, &size),
			 0);
	assert_string_equal(path, "/a/b c");
	assert_int_equal(offset, 0x1000);
	assert_int_equal(size, 20);
	free(path);
	assert_int_equal(probe_image_parse_uri("file:///x?size=010", &path, &offset, &size), 0);
	assert_string_equal(path, "/x");
	assert_int_equal(offset, 0);
	assert_int_equal(size, 8);
	free(path);
	assert_int_equal(probe_image_parse_uri("file:///bad%2", &path, &offset, &size), 0);
	assert_string_equal(path, "/bad%2");
	free(path);
	assert_int_equal(probe_image_parse_uri("memory://1#offset=2&size=3", &path, &offset, &size),
			 -EINVAL);
}

static void images(void **state)
{
	char name[] = "/tmp/probe-image-XXXXXX", uri[100];
	struct probe_image image;
	int fd = mkstemp(name);

	(void)state;
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	snprintf(uri, sizeof(uri), "file://%s#offset=3&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), 0);
	assert_int_equal(image.size, 4);
	assert_memory_equal(image.bytes, "3456", 4);
	free(image.bytes);
	snprintf(uri, sizeof(uri), "file://%s#offset=8&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), -ENODATA);
	snprintf(uri, sizeof(uri), "file://%s#offset=80&size=4", name);
	assert_int_equal(probe_image_copy(0, 0, uri, &image), -EINVAL);
	assert_int_equal(probe_image_copy(0, 0, "file:///dev/zero#size=4", &image), -EINVAL);
	assert_int_equal(probe_image_copy(0, 0, "file:///nowhere/at/all", &image), -ENOENT);
	assert_int_equal(probe_image_copy((uint64_t)(uintptr_t)name, 5, "", &image), 0);
	assert_memory_equal(image.bytes, "/tmp/", 5);
	free(image.bytes);
	/* freed by the application before it was read */
	assert_int_equal(probe_image_copy(4096, 100, "", &image), -EFAULT);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uris),
		cmocka_unit_test(images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Words that a shell reads as the text they were made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/cleanup.h"
#include "common/shell_word.h"

static void plain_words(void **state)
{
	const char *const words[] = {"probe-out/host/12.db", "cache:l1=64,l2=1", "a@b%c+d"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		PROBE_AUTO_FREE char *word = probe_shell_word(words[i]);

		assert_string_equal(word, words[i]);
	}
}

/* The shell itself says what a word means. */
static void read_by_shell(void **state)
{
	const char *const words[] = {"",     "my runs/a.db", "it's",	"''",  "$HOME",
				     "`id`", "a\\b",	     "~/x",	"*",   "a\nb",
				     "# no", "\"q\"",	     "!x; y",	"a&b", "-a <b>",
				     "(z)",  "k=v w=",	     "\xc3\xa4"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		PROBE_AUTO_FREE char *word = probe_shell_word(words[i]);
		char command[200], text[100];
		size_t size;
		FILE *out;

		snprintf(command, sizeof(command), "printf %%s %s", word);
		out = popen(command, "r");
		assert_non_null(out);
		size = fread(text, 1, sizeof(text), out);
		assert_int_equal(pclose(out), 0);
		assert_int_equal(size, strlen(words[i]));
		assert_memory_equal(text, words[i], size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_words),
		cmocka_unit_test(read_by_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

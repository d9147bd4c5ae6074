/* SPDX-License-Identifier: MIT */
/* Words of commands that messages propose, to be copied into a shell. */
#ifndef PROBE_COMMON_SHELL_WORD_H
#define PROBE_COMMON_SHELL_WORD_H

/*
 * The text as one word of a POSIX shell, quoted if it needs to be (POSIX.1-2017, "Quoting"). The
 * caller frees it. NULL: out of memory.
 */
char *probe_shell_word(const char *text);

#endif

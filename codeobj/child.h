/* SPDX-License-Identifier: MIT */
/*
 * A sandboxed child process, for libraries that must not be trusted with untrusted bytes. It
 * computes its result in a copy of the memory, with limits of address space, CPU time and wall
 * time, and without permission to open files. It writes the result to a pipe. The parent must check
 * the result like untrusted bytes, because the child may have been compromised.
 */
#ifndef PROBE_CODEOBJ_CHILD_H
#define PROBE_CODEOBJ_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct probe_err;

#define PROBE_CHILD_MEMORY  (1ull << 30) /* beyond what the parent has mapped */
#define PROBE_CHILD_SECONDS 20
#define PROBE_CHILD_ANSWER  (512ull << 20)

/* Runs in the child. The parent gets the error it returns. */
typedef struct probe_err *(*probe_child_fn)(void *user, FILE *out);

/*
 * `what` names the work in messages ("reading kernel metadata of a.co"). The caller frees the
 * answer. Works in programs with threads, whatever they do with SIGCHLD.
 */
struct probe_err *probe_child_run(const char *what, probe_child_fn fn, void *user, uint8_t **answer,
				  size_t *size);

/* The same with permission to open files, for code that the user has named. */
struct probe_err *probe_child_run_with_files(const char *what, probe_child_fn fn, void *user,
					     uint8_t **answer, size_t *size);

/* Bytes that this process has mapped; 0: unknown, or meaningless under a sanitizer. */
uint64_t probe_mapped_bytes(void);

/* For the child: write parts of the answer, in the order in which the parent reads them. */
void probe_put_u32(FILE *out, uint32_t value);
void probe_put_u64(FILE *out, uint64_t value);
void probe_put_string(FILE *out, const char *text); /* with its NUL */

/*
 * For the parent: an array preceded by its length (u64), and strings preceded by their number
 * (u32). `what` names the items in errors. The caller frees what has been received, *count items,
 * after an error as well.
 */
struct probe_buf;
struct probe_err *probe_receive_array(struct probe_buf *buf, const char *what, size_t size,
				      void **items, size_t *count);
struct probe_err *probe_receive_strings(struct probe_buf *buf, const char *what, char ***strings,
					uint32_t *count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A throw-away child for libraries that must not be trusted with foreign bytes: it computes an
 * answer in its own copy of the memory, under limits of address space, CPU time and wall time and
 * with no way to open files, and writes it to a pipe. The parent must check the answer like any
 * foreign bytes: the child may have been taken over.
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

/* Runs in the child; the error it returns becomes the parent's. */
typedef struct probe_err *(*probe_child_fn)(void *user, FILE *out);

/*
 * `what` names the work in messages ("reading kernel metadata of a.co"). The answer is malloc'ed
 * and the caller's. Works in programs with threads, and whatever the program does with SIGCHLD.
 */
struct probe_err *probe_child_run(const char *what, probe_child_fn fn, void *user, uint8_t **answer,
				  size_t *size);

/* For the child: an answer is made of these, in the order the parent reads them. */
void probe_put_u32(FILE *out, uint32_t value);
void probe_put_u64(FILE *out, uint64_t value);
void probe_put_string(FILE *out, const char *text); /* with its NUL */

/*
 * For the parent: an array with its length in front (u64), and strings with their number in front
 * (u32). `what` names the items in errors. What has been received is the caller's to free, also
 * after an error; *count says how much that is.
 */
struct probe_buf;
struct probe_err *probe_receive_array(struct probe_buf *buf, const char *what, size_t size,
				      void **items, size_t *count);
struct probe_err *probe_receive_strings(struct probe_buf *buf, const char *what, char ***strings,
					uint32_t *count);

#endif

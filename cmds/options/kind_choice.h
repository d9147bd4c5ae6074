/* SPDX-License-Identifier: MIT */
/* Chooses the kind of probes for the handlers. Only one kind runs at a time. */
#ifndef PROBE_CMDS_OPTIONS_KIND_CHOICE_H
#define PROBE_CMDS_OPTIONS_KIND_CHOICE_H

#include <stdint.h>

#include <probe/wire.h>

struct probe_err;
struct run_plugins;

/* The streams that a kind of probes sends to handlers, enum probe_stream or-ed. */
uint32_t run_kind_streams(enum probe_kind kind);
/*
 * The cheapest kind that gives every handler the streams it needs; NONE if no kind does, memory if
 * there is no handler.
 */
enum probe_kind run_kind_for(const struct run_plugins *plugins);
/* The same, if *kind is not chosen yet; the error names what each handler needs. */
struct probe_err *run_kind_choose(const struct run_plugins *plugins, enum probe_kind *kind);

#endif

/* SPDX-License-Identifier: MIT */
/* Stamps and messages in the clones of the kinds with rings. */
#include "llvm-plugin/kinds/time_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/clone/kernel_clone.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/kinds/region_marks.h"
#include "llvm-plugin/kinds/ring_kind.h"
#include "llvm-plugin/kinds/time_spans.h"
#include "llvm-plugin/kinds/trace_kind.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/reserved_registers.h"

static void stamp(struct ring_context *in, LLVMValueRef inst, enum probe_form form, uint32_t site)
{
	LLVMValueRef args[] = {ring_i32(in, site | (uint32_t)form << PROBE_FORM_SHIFT),
			       in->optnone};

	ring_before(in, inst);
	if (form == PROBE_FORM_SPAN)
		ring_call(in, DEVLIB_TIME_SPAN_END, args, 1);
	else
		ring_call(in, form == PROBE_FORM_BEGIN ? DEVLIB_TIME_BEGIN : DEVLIB_TIME_END, args,
			  2);
}

static void span_begin(struct ring_context *in, LLVMValueRef inst)
{
	ring_before(in, inst);
	ring_call(in, DEVLIB_TIME_SPAN_BEGIN, NULL, 0);
}

/*
 * A message and its words, which follow it in the same block. If optimisations have separated them,
 * the message is not sent, because a partial one would be wrong.
 */
static void message(struct ring_context *in, LLVMValueRef inst, bool lanes, uint32_t site)
{
	LLVMValueRef size = LLVMGetOperand(inst, 0), words[PROBE_MESSAGE_MAX / 8], last = inst, at;
	unsigned long long bytes =
		LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : ~0ull;
	unsigned count = 0, wanted = (unsigned)((bytes + 7) / 8);
	struct pass_mark mark;

	if (bytes > PROBE_MESSAGE_MAX)
		return;
	for (LLVMValueRef next = LLVMGetNextInstruction(inst); next && count < wanted;
	     next = LLVMGetNextInstruction(next)) {
		if (!mark_read(next, &mark))
			continue;
		if (mark.kind != PASS_MARK_WORD)
			return;
		words[count++] = LLVMGetOperand(next, 0);
		last = next;
	}
	if (count < wanted)
		return;
	ring_before(in, LLVMGetNextInstruction(last));
	LLVMValueRef flag = ring_i32(in, lanes),
		     head[] = {
			     ring_i32(in, site | (uint32_t)PROBE_FORM_MESSAGE << PROBE_FORM_SHIFT),
			     ring_i32(in, (uint32_t)bytes),
			     flag,
			     in->optnone,
		     };
	at = ring_call(in, DEVLIB_EMIT_BEGIN, head, 4);
	for (unsigned i = 0; i < wanted; i++) {
		LLVMValueRef args[] = {at, ring_i32(in, i), ring_i32(in, wanted * 8), flag,
				       words[i]};

		ring_call(in, DEVLIB_EMIT_WORD, args, 5);
	}
}

/* A region's begin or end in a clone. */
struct region {
	LLVMValueRef inst;
	struct pass_mark mark;
	uint32_t id;
	enum time_span kind; /* of a begin */
	unsigned span;	     /* its index among spans that are not STAMPS */
};

struct regions {
	struct region *region;
	size_t count;
	unsigned spans; /* number of spans that are not STAMPS */
};

static void add_region(struct regions *regions, LLVMValueRef inst, const struct pass_mark *mark,
		       uint32_t id)
{
	regions->region =
		pass_alloc(regions->region, (regions->count + 1) * sizeof(*regions->region));
	regions->region[regions->count++] = (struct region){inst, *mark, id, PASS_SPAN_STAMPS, 0};
}

/*
 * The begin of the span that ends here, if the span is one record. Spans in which lanes may diverge
 * are one record only if the wave stores its clocks (stored_waves.h).
 */
static const struct region *one_begin(const struct regions *regions, const struct pass_mark *end,
				      bool stored)
{
	enum time_span least = stored ? PASS_SPAN_DIVERGENT : PASS_SPAN_ONE;

	for (size_t i = 0; i < regions->count; i++)
		if (regions->region[i].kind >= least &&
		    time_span_same(&regions->region[i].mark, end))
			return &regions->region[i];
	return NULL;
}

static void insert_span(struct ring_context *in, const struct region *at,
			const struct region *begin)
{
	LLVMValueRef span[] = {ring_i32(in, begin->span),
			       ring_i32(in, begin->kind == PASS_SPAN_DIVERGENT)};

	if (in->is_stored) {
		ring_before(in, at->inst);
		if (begin == at)
			ring_call(in, DEVLIB_STORED_BEGIN, span, 1);
		else
			ring_call(in, DEVLIB_STORED_END, span, 2);
	} else if (begin == at) {
		span_begin(in, at->inst);
	} else {
		stamp(in, at->inst, PROBE_FORM_SPAN, begin->id);
	}
}

static void insert_regions(struct ring_context *in, const struct regions *regions)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct region *at = &regions->region[i];
		const struct region *begin = one_begin(regions, &at->mark, in->is_stored);

		if (begin)
			insert_span(in, at, begin);
		else
			stamp(in, at->inst,
			      at->mark.kind == PASS_MARK_BEGIN ? PROBE_FORM_BEGIN : PROBE_FORM_END,
			      at->id);
	}
}

/* The sites of marks are numbered in the order of the marks. */
static void find_regions(struct ring_context *in, LLVMValueRef function,
			 const struct call_units *units, struct regions *ret)
{
	uint32_t id = in->unit->first_mark + 1;
	struct pass_mark mark;

	if (in->kind != PROBE_KIND_TIME)
		return;
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst)) {
		if (!mark_read(inst, &mark) || !mark_has_site(&mark, in->kinds))
			continue;
		if (mark_is_region(&mark))
			add_region(ret, inst, &mark, id);
		id++;
	}
	for (size_t i = 0; i < ret->count && !in->is_called; i++) {
		struct region *at = &ret->region[i];

		if (at->mark.kind != PASS_MARK_BEGIN)
			continue;
		at->kind = time_span_of(units, function, at->inst, in->stamps == PASS_STAMPS_BLOCKS,
					in->analyses);
		at->span = ret->spans;
		ret->spans += at->kind != PASS_SPAN_STAMPS;
	}
}

static void insert_messages(struct ring_context *in, LLVMValueRef function)
{
	uint32_t id = in->unit->first_mark + (in->kinds & 1u << PROBE_KIND_TIME ? 1 : 0);

	for (LLVMValueRef inst = pass_first_inst(function), next; inst; inst = next) {
		struct pass_mark mark;

		next = pass_next_inst(inst);
		if (!mark_read(inst, &mark) || !mark_has_site(&mark, in->kinds))
			continue;
		if (!mark_is_region(&mark))
			message(in, inst, mark.kind == PASS_MARK_LANES, id);
		id++;
	}
}

/*
 * Are a kernel's only records its own time, and spans that execute at most once and fit into
 * registers?
 */
static bool is_stored(const struct ring_context *in, LLVMValueRef function,
		      const struct call_units *units, const struct regions *regions)
{
	if (in->kind != PROBE_KIND_TIME || !in->unit->kernel || in->is_called ||
	    in->stamps == PASS_STAMPS_BLOCKS || regions->spans > PROBE_STORED_SPANS)
		return false;
	for (size_t i = 0; i < regions->count; i++)
		if (!one_begin(regions, &regions->region[i].mark, true) ||
		    (regions->region[i].kind != PASS_SPAN_STAMPS &&
		     time_span_repeats(regions->region[i].inst)))
			return false;
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (pass_is_message(inst) || pass_ends_wave(inst) ||
		    call_units_find(units, pass_direct_callee(inst)))
			return false;
	return true;
}

static LLVMValueRef shared(struct ring_context *in, enum devlib_function which)
{
	return devlib_share(in->devlib, which, 0, in->unit->clone[in->kind], in->analyses);
}

static void insert_stored(struct ring_context *in, LLVMValueRef function, LLVMValueRef entry,
			  const struct regions *regions)
{
	LLVMValueRef ctx = LLVMGetParam(function, LLVMCountParams(function) - 1);
	LLVMValueRef args[4 + PROBE_STORED_SPANS] = {
		ctx,
		shared(in, DEVLIB_STORED_EXIT_SLOW),
		ring_i32(in, in->unit->first_mark),
		ring_i32(in, regions->spans),
	};

	for (unsigned i = 0; i < PROBE_STORED_SPANS; i++)
		args[4 + i] = ring_i32(in, 0);
	for (size_t i = 0; i < regions->count; i++)
		if (regions->region[i].kind != PASS_SPAN_STAMPS)
			args[4 + regions->region[i].span] = ring_i32(in, regions->region[i].id);
	/* The clocks of two spans fit into the cursor's registers. */
	if (regions->spans > 2)
		reserved_apply_all(function, RESERVED_CLOCKS);
	LLVMPositionBuilderBefore(in->builder, entry);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	ring_call(in, DEVLIB_STORED_ENTER, &args[3], 1);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

		if (!LLVMIsAReturnInst(end))
			continue;
		ring_before(in, end);
		ring_call(in, DEVLIB_STORED_EXIT, args, 4 + PROBE_STORED_SPANS);
	}
}

/*
 * The single return, which is not the original's, is no block of its own. The first block begins
 * behind what was put before `entry`.
 */
static void insert_blocks(struct ring_context *in, LLVMValueRef function, LLVMValueRef entry,
			  const struct pass_options *options)
{
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(function);
	uint32_t id = in->unit->first_block;

	if (in->kind != PROBE_KIND_TIME || in->stamps != PASS_STAMPS_BLOCKS)
		return;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		if (pass_stamps_block(block, options))
			stamp(in, block == first ? entry : pass_block_first(block),
			      PROBE_FORM_BEGIN, id++);
}

/*
 * The slow path at the end of a wave of optimised code: a call, because it is long. Nothing is
 * live after it where the kernel returns, so that its registers need not be stated: long lists of
 * them take long to compile. The last one says how many the wave needs.
 */
static void call_exit_slow(struct ring_context *in, LLVMValueRef inst, LLVMValueRef ctx)
{
	LLVMValueRef slow = shared(in, DEVLIB_TRACE_EXIT_SLOW);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
	struct asm_block code = {0};
	unsigned operand =
		asm_scalar(&code, in->builder, LLVMBuildPtrToInt(in->builder, ctx, i64, ""));

	asm_line(&code, "v_lshlrev_b64 v[0:1], 0, $%u", operand);
	asm_function_address(&code, slow, &asm_vcc, false);
	asm_line(&code, "s_swappc_b64 s[30:31], vcc");
	if (!LLVMIsAReturnInst(inst)) {
		for (int i = PASS_SHARED_VGPRS; i < PASS_EXIT_VGPRS; i++)
			asm_constrain(&code, "~{v%d}", i);
		asm_build_call(&code, in->builder, in->context);
		return;
	}
	asm_constrain(&code, "~{v%d}", PASS_EXIT_VGPRS - 1);
	asm_build_convergent(&code, in->builder, in->context);
}

/* The end of a wave of optimised code. */
static void insert_fast_exit(struct ring_context *in, LLVMValueRef inst, LLVMValueRef ctx)
{
	if (in->kind == PROBE_KIND_TIME) {
		LLVMValueRef args[] = {ctx, shared(in, DEVLIB_TIME_EXIT_SLOW),
				       ring_i32(in, in->unit->first_mark)};

		ring_call(in, DEVLIB_TIME_EXIT, args, 3);
	} else {
		ring_call(in, DEVLIB_TRACE_EXIT, NULL, 0);
		call_exit_slow(in, inst, ctx);
	}
}

static void insert_exit(struct ring_context *in, LLVMValueRef inst, LLVMValueRef ctx,
			LLVMValueRef wave)
{
	bool is_time = in->kind == PROBE_KIND_TIME;
	LLVMValueRef args[] = {ctx, wave, ring_i32(in, is_time ? in->unit->first_mark : 0),
			       ring_i32(in, is_time), in->optnone};

	ring_before(in, inst);
	if (in->is_called)
		ring_call(in, DEVLIB_CURSOR_EXIT, args, 5);
	else
		insert_fast_exit(in, inst, ctx);
}

/*
 * Name the cursor's last register, so that the kernel allocates all of them. Other code does this
 * in ring_cursor.h.
 */
static void name_last_register(struct ring_context *in)
{
	struct asm_block code = {.result = LLVMInt32TypeInContext(in->context)};

	asm_line(&code, "; the cursor");
	asm_constrain(&code, "={s%d}", RESERVED_LAST);
	asm_build(&code, in->builder, in->context);
}

/* The start of a wave of optimised code. */
static void insert_fast_enter(struct ring_context *in, LLVMValueRef ctx)
{
	LLVMValueRef args[] = {ctx, shared(in, DEVLIB_ENTER_SLOW), NULL,
			       ring_i32(in, in->unit->first_mark)};

	if (in->kind == PROBE_KIND_TIME) {
		args[2] = shared(in, DEVLIB_RING_REFILL);
		ring_call(in, DEVLIB_TIME_ENTER, args, 4);
	} else {
		args[2] = shared(in, DEVLIB_TRACE_CALL);
		ring_call(in, DEVLIB_TRACE_ENTER, args, 3);
	}
}

/* The start of a wave of unoptimised or portable code. Returns the wave's word. */
static LLVMValueRef insert_called_enter(struct ring_context *in, LLVMValueRef ctx)
{
	bool is_time = in->kind == PROBE_KIND_TIME;
	LLVMValueRef refill =
			     LLVMConstNull(LLVMPointerTypeInContext(in->context, PROBE_SPACE_FLAT)),
		     wave;

	if (!in->is_optnone)
		refill = shared(in, DEVLIB_RING_REFILL);
	if (in->is_portable)
		name_last_register(in);
	LLVMValueRef args[] = {ctx,
			       refill,
			       refill,
			       ring_i32(in, is_time ? in->unit->first_mark : 0),
			       ring_i32(in, is_time),
			       in->optnone};

	wave = ring_call(in, DEVLIB_CURSOR_ENTER, args, 6);
	if (is_time && !in->is_optnone) {
		LLVMValueRef begin[] = {
			ring_i32(in, in->unit->first_mark | (uint32_t)PROBE_FORM_BEGIN
								    << PROBE_FORM_SHIFT),
			in->optnone};

		ring_call(in, DEVLIB_TIME_BEGIN, begin, 2);
	}
	return wave;
}

static LLVMValueRef insert_enter(struct ring_context *in, LLVMValueRef inst, LLVMValueRef ctx)
{
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	if (in->is_called)
		return insert_called_enter(in, ctx);
	insert_fast_enter(in, ctx);
	return LLVMConstNull(LLVMInt64TypeInContext(in->context));
}

/* Not at -O0, where every small function of a header would get stamps. */
static bool stamps_function(const struct ring_context *in)
{
	return in->kind == PROBE_KIND_TIME && !in->is_optnone && in->stamps != PASS_STAMPS_REGIONS;
}

/*
 * Insert ends: at each return of a device function; in a kernel at its single return and at other
 * ends of the wave.
 */
static void insert_ends(struct ring_context *in, LLVMValueRef function, LLVMValueRef ctx,
			LLVMValueRef wave)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

		if (in->unit->kernel) {
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
			     inst = LLVMGetNextInstruction(inst))
				if (pass_ends_wave(inst))
					insert_exit(in, inst, ctx, wave);
			if (LLVMIsAReturnInst(end))
				insert_exit(in, end, ctx, wave);
		} else if (LLVMIsAReturnInst(end) && stamps_function(in)) {
			stamp(in, end, in->is_leaf ? PROBE_FORM_SPAN : PROBE_FORM_END,
			      in->unit->first_mark);
		}
	}
}

static void inline_calls(struct ring_context *in, LLVMValueRef function, void *analyses)
{
	devlib_calls_inline(&in->calls);
	if (in->is_called && !in->is_portable) {
		devlib_refer_to_copy(in->devlib, function, DEVLIB_RING_REFILL, DEVLIB_SHAPE_OPTNONE,
				     function, analyses);
		devlib_refer_to_copy(in->devlib, function, DEVLIB_TRACE_ANY, DEVLIB_SHAPE_OPTNONE,
				     function, analyses);
	}
	if (!in->is_optnone)
		ir_cleanup(function, analyses);
}

/* A kernel whose waves claim a ring at their start, or a function that it calls. */
static void insert_ring(struct ring_context *in, const struct call_units *units,
			LLVMValueRef function, LLVMValueRef entry,
			const struct pass_options *options)
{
	unsigned params = LLVMCountParams(function);
	LLVMValueRef ctx, wave;

	if (in->unit->kernel) {
		ctx = LLVMGetParam(function, params - 1);
		wave = insert_enter(in, entry, ctx);
	} else {
		ctx = LLVMGetParam(function, params - 2);
		wave = LLVMGetParam(function, params - 1);
		if (stamps_function(in) && in->is_leaf)
			span_begin(in, entry);
		else if (stamps_function(in))
			stamp(in, entry, PROBE_FORM_BEGIN, in->unit->first_mark);
	}
	insert_blocks(in, function, entry, options);
	clone_rewrite_calls(units, function, in->kind, ctx, wave);
	insert_ends(in, function, ctx, wave);
}

void ring_insert(const struct call_units *units, const struct call_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	LLVMValueRef function = unit->clone[kind], entry;
	struct regions regions = {0};
	struct ring_context in = {
		.unit = unit,
		.devlib = devlib,
		.analyses = analyses,
		.kind = kind,
		.kinds = options->kinds,
		.is_optnone = pass_is_optnone(unit->original, options),
		.stamps = options->stamps,
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	in.builder = LLVMCreateBuilderInContext(in.context);
	in.calls = (struct devlib_calls){.devlib = devlib, .builder = in.builder};
	in.is_portable = options->portable != 0;
	in.is_called = in.is_optnone || in.is_portable;
	in.optnone = ring_i32(&in, in.is_optnone);
	in.is_leaf = !in.is_called && in.stamps != PASS_STAMPS_BLOCKS &&
		     time_span_is_leaf(units, function);
	/*
	 * A single return, at which the back end lets the lanes reconverge: a wave must release its
	 * ring once, even if its lanes return at different points.
	 */
	if (unit->kernel)
		pass_single_return(function);
	entry = pass_entry_point(function);
	if (kind == PROBE_KIND_TRACE)
		trace_insert(&in, function);
	find_regions(&in, function, units, &regions);
	in.is_stored = is_stored(&in, function, units, &regions);
	if (in.is_stored)
		insert_stored(&in, function, entry, &regions);
	else
		insert_ring(&in, units, function, entry, options);
	insert_regions(&in, &regions);
	insert_messages(&in, function);
	free(regions.region);
	LLVMDisposeBuilder(in.builder);
	inline_calls(&in, function, analyses);
}

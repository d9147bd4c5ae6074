/* SPDX-License-Identifier: MIT */
/*
 * The calls of include/probe/device.h, and the `time` kind.
 *
 * A call arrives here as llvm.annotation with a text that begins with "probe:", an intrinsic that
 * the back end drops and that keeps its place among its like. Stamps and messages go into the
 * clones; in originals, and in the clones of other kinds, the calls are taken out.
 */
#include <stdlib.h>
#include <string.h>

#include "pass_ring.h"
#include "pass_shim.h"

enum mark_kind { MARK_BEGIN, MARK_END, MARK_EMIT, MARK_LANES, MARK_WORD, MARKS };

static const char *const mark_names[MARKS] = {
	[MARK_BEGIN] = "begin:", [MARK_END] = "end:",	[MARK_EMIT] = "emit:",
	[MARK_LANES] = "lanes:", [MARK_WORD] = "word:",
};

struct mark {
	enum mark_kind kind;
	const char *name; /* not ended by NUL */
	size_t size;
};

/* Text of a global that holds a string, through the casts around it. */
static const char *string_of(LLVMValueRef value, size_t *ret_size)
{
	LLVMValueRef text;

	while (LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	text = LLVMIsAGlobalVariable(value) ? LLVMGetInitializer(value) : NULL;
	if (!text || !LLVMIsAConstantDataSequential(text) || !LLVMIsConstantString(text))
		return NULL;
	return LLVMGetAsString(text, ret_size);
}

static bool mark_read(LLVMValueRef inst, struct mark *ret)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	const char *text;
	size_t size;

	if (!callee || strncmp(LLVMGetValueName2(callee, &size), "llvm.annotation.", 16))
		return false;
	text = string_of(LLVMGetOperand(inst, 1), &size);
	if (!text || size < 7 || memcmp(text, "probe:", 6))
		return false;
	for (unsigned kind = 0; kind < MARKS; kind++) {
		size_t length = strlen(mark_names[kind]);

		if (size > 6 + length && !memcmp(text + 6, mark_names[kind], length)) {
			ret->kind = kind;
			ret->name = text + 6 + length;
			ret->size = strnlen(ret->name, size - 6 - length);
			return true;
		}
	}
	return false;
}

bool pass_is_message(LLVMValueRef inst)
{
	struct mark mark;

	return mark_read(inst, &mark) && (mark.kind == MARK_EMIT || mark.kind == MARK_LANES);
}

static bool has_marks(LLVMValueRef function)
{
	struct mark mark;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (mark_read(inst, &mark))
				return true;
	return false;
}

bool pass_marks_any(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (has_marks(f))
			return true;
	return false;
}

void pass_marks_remove(LLVMModuleRef module)
{
	struct mark mark;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst;
			     inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!mark_read(inst, &mark))
					continue;
				LLVMReplaceAllUsesWith(inst, LLVMGetOperand(inst, 0));
				LLVMInstructionEraseFromParent(inst);
			}
}

/* Has this mark a site? Regions are the time kind's, messages those of all kinds with rings. */
static bool has_site(const struct mark *mark, uint32_t kinds)
{
	uint32_t time = kinds & 1u << PROBE_KIND_TIME;

	if (mark->kind == MARK_WORD)
		return false;
	return time || (kinds & 1u << PROBE_KIND_TRACE &&
			(mark->kind == MARK_EMIT || mark->kind == MARK_LANES));
}

/*
 * Sites of a unit that are no accesses: the function's if there is a time kind, then its marks' in
 * their order.
 */
void pass_time_list(struct pass_unit *unit, struct pass_table *table,
		    const struct pass_options *options)
{
	struct pass_site site = {.access = PROBE_ACCESS_FUNCTION};
	uint32_t kinds = options->kinds & (1u << PROBE_KIND_TIME | 1u << PROBE_KIND_TRACE);

	unit->first_mark = pass_table_sites(table);
	if (kinds & 1u << PROBE_KIND_TIME)
		pass_table_add_site(table,
				    LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->base)),
				    &site, unit->original, 1u << PROBE_KIND_TIME);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(unit->base); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			struct mark mark;
			bool region;

			if (!mark_read(inst, &mark) || !has_site(&mark, kinds))
				continue;
			region = mark.kind == MARK_BEGIN || mark.kind == MARK_END;
			site = (struct pass_site){
				.access = region ? PROBE_ACCESS_REGION : PROBE_ACCESS_MESSAGE,
				.align = pass_table_string(table, mark.name, mark.size),
			};
			pass_table_add_site(table, inst, &site, unit->original,
					    region ? kinds & 1u << PROBE_KIND_TIME : kinds);
		}
}

/* ---- Putting them in ------------------------------------------------------------------------ */

LLVMValueRef pass_ring_i32(const struct pass_ring *in, uint32_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(in->context), value, 0);
}

LLVMValueRef pass_ring_call(struct pass_ring *in, enum devlib_function which, LLVMValueRef *args,
			    unsigned count)
{
	LLVMValueRef function = in->devlib->function[which];

	if (in->calls == in->capacity) {
		in->capacity = in->capacity ? 2 * in->capacity : 64;
		in->call = pass_alloc(in->call, in->capacity * sizeof(LLVMValueRef));
	}
	return in->call[in->calls++] = LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function),
						      function, args, count, "");
}

void pass_ring_before(struct pass_ring *in, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
}

static void stamp(struct pass_ring *in, LLVMValueRef inst, enum probe_form form, uint32_t site)
{
	LLVMValueRef args[] = {pass_ring_i32(in, site | (uint32_t)form << PROBE_FORM_SHIFT),
			       in->called};

	pass_ring_before(in, inst);
	pass_ring_call(in, form == PROBE_FORM_BEGIN ? DEVLIB_TIME_BEGIN : DEVLIB_TIME_END, args, 2);
}

/*
 * A message and its words, which follow it in its block. What optimisation has torn apart is not
 * sent: half a message would be a wrong one.
 */
static void message(struct pass_ring *in, LLVMValueRef inst, bool lanes, uint32_t site)
{
	LLVMValueRef size = LLVMGetOperand(inst, 0), words[PROBE_MESSAGE_MAX / 8], last = inst, at;
	unsigned long long bytes =
		LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : ~0ull;
	unsigned count = 0, wanted = (unsigned)((bytes + 7) / 8);
	struct mark mark;

	if (bytes > PROBE_MESSAGE_MAX)
		return;
	for (LLVMValueRef next = LLVMGetNextInstruction(inst); next && count < wanted;
	     next = LLVMGetNextInstruction(next)) {
		if (!mark_read(next, &mark))
			continue;
		if (mark.kind != MARK_WORD)
			return;
		words[count++] = LLVMGetOperand(next, 0);
		last = next;
	}
	if (count < wanted)
		return;
	pass_ring_before(in, LLVMGetNextInstruction(last));
	LLVMValueRef flag = pass_ring_i32(in, lanes),
		     head[] = {
			     pass_ring_i32(in,
					   site | (uint32_t)PROBE_FORM_MESSAGE << PROBE_FORM_SHIFT),
			     pass_ring_i32(in, (uint32_t)bytes),
			     flag,
			     in->called,
		     };
	at = pass_ring_call(in, DEVLIB_EMIT_BEGIN, head, 4);
	for (unsigned i = 0; i < wanted; i++) {
		LLVMValueRef args[] = {at, pass_ring_i32(in, i), pass_ring_i32(in, wanted * 8),
				       flag, words[i]};

		pass_ring_call(in, DEVLIB_EMIT_WORD, args, 5);
	}
}

static void insert_marks(struct pass_ring *in, LLVMValueRef function)
{
	uint32_t id = in->unit->first_mark + (in->kinds & 1u << PROBE_KIND_TIME ? 1 : 0);

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct mark mark;

			next = LLVMGetNextInstruction(inst);
			if (!mark_read(inst, &mark) || !has_site(&mark, in->kinds))
				continue;
			if (mark.kind == MARK_EMIT || mark.kind == MARK_LANES)
				message(in, inst, mark.kind == MARK_LANES, id);
			else if (in->kind == PROBE_KIND_TIME)
				stamp(in, inst,
				      mark.kind == MARK_BEGIN ? PROBE_FORM_BEGIN : PROBE_FORM_END,
				      id);
			id++;
		}
}

static void insert_exit(struct pass_ring *in, LLVMValueRef inst, LLVMValueRef ctx,
			LLVMValueRef wave)
{
	bool timed = in->kind == PROBE_KIND_TIME;
	LLVMValueRef args[] = {ctx, wave, pass_ring_i32(in, timed ? in->unit->first_mark : 0),
			       pass_ring_i32(in, timed), in->called};

	pass_ring_before(in, inst);
	pass_ring_call(in, DEVLIB_CURSOR_EXIT, args, 5);
}

static LLVMValueRef insert_enter(struct pass_ring *in, LLVMValueRef inst, LLVMValueRef ctx,
				 void *analyses)
{
	bool timed = in->kind == PROBE_KIND_TIME;
	LLVMValueRef clone = in->unit->clone[in->kind], wave;
	LLVMValueRef refill =
			     LLVMConstNull(LLVMPointerTypeInContext(in->context, PROBE_SPACE_FLAT)),
		     any = refill;

	if (!in->is_called)
		refill = devlib_share(in->devlib, DEVLIB_RING_REFILL, 0, clone, analyses);
	if (!in->is_called && !timed)
		any = devlib_share(in->devlib, DEVLIB_TRACE_ANY, 0, clone, analyses);
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	LLVMValueRef args[] = {ctx,
			       refill,
			       any,
			       pass_ring_i32(in, timed ? in->unit->first_mark : 0),
			       pass_ring_i32(in, timed),
			       in->called};

	wave = pass_ring_call(in, DEVLIB_CURSOR_ENTER, args, 6);
	if (timed) {
		uint32_t form = (uint32_t)PROBE_FORM_BEGIN << PROBE_FORM_SHIFT;
		LLVMValueRef idle[] = {pass_ring_i32(in, PROBE_SITE_IDLE | form), in->called};
		LLVMValueRef begin[] = {pass_ring_i32(in, in->unit->first_mark | form), in->called};

		pass_ring_call(in, DEVLIB_TIME_BEGIN, idle, 2);
		pass_ring_call(in, DEVLIB_TIME_BEGIN, begin, 2);
	}
	return wave;
}

/* Not at -O0, where every little function of a header would be told. */
static bool stamps_function(const struct pass_ring *in)
{
	return in->kind == PROBE_KIND_TIME && !in->is_plain;
}

/* Returns of a device function end its time; a kernel has one, and other ends of the wave. */
static void insert_ends(struct pass_ring *in, LLVMValueRef function, LLVMValueRef ctx,
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
			stamp(in, end, PROBE_FORM_END, in->unit->first_mark);
		}
	}
}

static void insert_calls(const struct pass_ring *in, const struct pass_units *units,
			 LLVMValueRef function, LLVMValueRef ctx, LLVMValueRef wave)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct pass_unit *callee = pass_units_find(units, pass_direct_callee(inst));
			LLVMValueRef extra[] = {ctx, wave};

			next = LLVMGetNextInstruction(inst);
			if (callee && !callee->kernel && !probe_shim_has_bundles(inst))
				probe_shim_recall(inst, callee->clone[in->kind], extra, 2);
		}
}

/* Calls of the plain copies, as of any function. */
static void call_copies(struct pass_ring *in, enum devlib_function which, LLVMValueRef function,
			void *analyses)
{
	LLVMValueRef original = in->devlib->function[which], copy;

	if (!LLVMGetFirstUse(original))
		return;
	copy = devlib_share(in->devlib, which, DEVLIB_SHAPE_PLAIN, function, analyses);
	for (LLVMUseRef use = LLVMGetFirstUse(original), next; use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (LLVMIsACallInst(user) &&
		    LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
			LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, copy);
	}
}

static void inline_calls(struct pass_ring *in, LLVMValueRef function, void *analyses)
{
	for (size_t i = 0; i < in->calls; i++)
		probe_shim_inline(in->call[i]);
	free(in->call);
	if (in->is_called) {
		call_copies(in, DEVLIB_RING_REFILL, function, analyses);
		call_copies(in, DEVLIB_TRACE_ANY, function, analyses);
	}
	if (!in->is_plain)
		probe_shim_cleanup(function, analyses);
}

void pass_ring_insert(const struct pass_units *units, const struct pass_unit *unit,
		      enum probe_kind kind, struct devlib *devlib,
		      const struct pass_options *options, void *analyses)
{
	LLVMValueRef function = unit->clone[kind], entry, ctx, wave;
	unsigned params = LLVMCountParams(function);
	struct pass_ring in = {
		.unit = unit,
		.devlib = devlib,
		.kind = kind,
		.kinds = options->kinds,
		.is_plain = pass_is_plain(unit->original, options),
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	in.builder = LLVMCreateBuilderInContext(in.context);
	in.is_called = in.is_plain || options->portable;
	in.called = pass_ring_i32(&in, in.is_called);
	/*
	 * One return: a wave whose lanes leave apart must release its ring once, at the end. The
	 * back end lets the lanes join there.
	 */
	if (unit->kernel)
		probe_shim_single_return(function);
	entry = pass_entry_point(function);
	if (kind == PROBE_KIND_TRACE)
		pass_trace_insert(&in, function, options);
	if (unit->kernel) {
		ctx = LLVMGetParam(function, params - 1);
		wave = insert_enter(&in, entry, ctx, analyses);
	} else {
		ctx = LLVMGetParam(function, params - 2);
		wave = LLVMGetParam(function, params - 1);
		if (stamps_function(&in))
			stamp(&in, entry, PROBE_FORM_BEGIN, unit->first_mark);
	}
	insert_marks(&in, function);
	insert_calls(&in, units, function, ctx, wave);
	insert_ends(&in, function, ctx, wave);
	LLVMDisposeBuilder(in.builder);
	inline_calls(&in, function, analyses);
}

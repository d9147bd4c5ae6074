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

#include "pass_asm.h"
#include "pass_ring.h"
#include "pass_shim.h"

static const char *const mark_names[PASS_MARKS] = {
	[PASS_MARK_BEGIN] = "begin:", [PASS_MARK_END] = "end:",	  [PASS_MARK_EMIT] = "emit:",
	[PASS_MARK_LANES] = "lanes:", [PASS_MARK_WORD] = "word:",
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

bool pass_mark_read(LLVMValueRef inst, struct pass_mark *ret)
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
	for (unsigned kind = 0; kind < PASS_MARKS; kind++) {
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
	struct pass_mark mark;

	return pass_mark_read(inst, &mark) &&
	       (mark.kind == PASS_MARK_EMIT || mark.kind == PASS_MARK_LANES);
}

static bool has_marks(LLVMValueRef function)
{
	struct pass_mark mark;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (pass_mark_read(inst, &mark))
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
	struct pass_mark mark;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst;
			     inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!pass_mark_read(inst, &mark))
					continue;
				LLVMReplaceAllUsesWith(inst, LLVMGetOperand(inst, 0));
				LLVMInstructionEraseFromParent(inst);
			}
}

/* Has this mark a site? Regions are the time kind's, messages those of all kinds with rings. */
static bool has_site(const struct pass_mark *mark, uint32_t kinds)
{
	uint32_t time = kinds & 1u << PROBE_KIND_TIME;

	if (mark->kind == PASS_MARK_WORD)
		return false;
	return time || (kinds & 1u << PROBE_KIND_TRACE &&
			(mark->kind == PASS_MARK_EMIT || mark->kind == PASS_MARK_LANES));
}

static bool is_region(const struct pass_mark *mark)
{
	return mark->kind == PASS_MARK_BEGIN || mark->kind == PASS_MARK_END;
}

static void list_marks(const struct pass_unit *unit, struct pass_table *table, uint32_t kinds)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(unit->base); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			struct pass_mark mark;
			struct pass_site site;

			if (!pass_mark_read(inst, &mark) || !has_site(&mark, kinds))
				continue;
			site = (struct pass_site){
				.access = is_region(&mark) ? PROBE_ACCESS_REGION
							   : PROBE_ACCESS_MESSAGE,
				.align = pass_table_string(table, mark.name, mark.size),
			};
			pass_table_add_site(table, inst, &site, unit->original,
					    is_region(&mark) ? kinds & 1u << PROBE_KIND_TIME
							     : kinds);
		}
}

/* Where a block's time begins: at what is more than a way to other blocks; NULL = no such thing. */
static LLVMValueRef block_first(LLVMBasicBlockRef block)
{
	struct pass_mark mark;

	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
	     inst = LLVMGetNextInstruction(inst))
		if (!LLVMIsAPHINode(inst) && !LLVMIsAAllocaInst(inst) &&
		    !LLVMIsADbgInfoIntrinsic(inst) && !LLVMIsATerminatorInst(inst) &&
		    !(pass_mark_read(inst, &mark) && mark.kind == PASS_MARK_WORD))
			return inst;
	return NULL;
}

/*
 * Its line is that of its first instruction that has one, of the function's own rather than of what
 * was inlined.
 */
static LLVMValueRef block_place(LLVMBasicBlockRef block)
{
	LLVMValueRef first = block_first(block), inlined = NULL;

	for (LLVMValueRef inst = first; inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);

		if (location && !LLVMDILocationGetInlinedAt(location))
			return inst;
		inlined = location && !inlined ? inst : inlined;
	}
	return inlined ? inlined : first;
}

static bool stamps_block(LLVMBasicBlockRef block, const struct pass_options *options)
{
	LLVMValueRef place = block_place(block);

	return place && pass_in_scope(place, options);
}

static void list_blocks(const struct pass_unit *unit, struct pass_table *table,
			const struct pass_options *options)
{
	struct pass_site site = {.access = PROBE_ACCESS_BLOCK};

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(unit->base); block;
	     block = LLVMGetNextBasicBlock(block))
		if (stamps_block(block, options))
			pass_table_add_site(table, block_place(block), &site, unit->original,
					    1u << PROBE_KIND_TIME);
}

/*
 * Sites of a unit that are no accesses: the function's if there is a time kind, then its marks' in
 * their order, then its blocks'.
 */
void pass_time_list(struct pass_unit *unit, struct pass_table *table,
		    const struct pass_options *options)
{
	struct pass_site site = {.access = PROBE_ACCESS_FUNCTION};
	uint32_t kinds = options->kinds & (1u << PROBE_KIND_TIME | 1u << PROBE_KIND_TRACE);

	unit->first_mark = pass_table_sites(table);
	if (kinds & 1u << PROBE_KIND_TIME)
		pass_table_add_function(table, unit->base, &site, unit->original,
					1u << PROBE_KIND_TIME);
	list_marks(unit, table, kinds);
	unit->first_block = pass_table_sites(table);
	if (kinds & 1u << PROBE_KIND_TIME && options->stamps == PASS_STAMPS_BLOCKS)
		list_blocks(unit, table, options);
}

/* ---- Putting them in ------------------------------------------------------------------------ */

LLVMValueRef pass_ring_i32(const struct pass_ring *in, uint32_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(in->context), value, 0);
}

/* Portable code calls copies, but makes stamps itself: what a call waits for takes time. */
static bool is_copied(const struct pass_ring *in, enum devlib_function which)
{
	bool stamp = which == DEVLIB_TIME_BEGIN || which == DEVLIB_TIME_END;

	return in->is_portable && (in->is_plain || !stamp);
}

LLVMValueRef pass_ring_call(struct pass_ring *in, enum devlib_function which, LLVMValueRef *args,
			    unsigned count)
{
	LLVMValueRef function = in->devlib->function[which];

	if (is_copied(in, which)) {
		uint32_t shape = DEVLIB_SHAPE_PLAIN | (in->is_plain ? 0 : DEVLIB_SHAPE_CURSOR);

		function = devlib_share(in->devlib, which, shape, in->unit->clone[in->kind],
					in->analyses);
		return LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, args,
				      count, "");
	}
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
			       in->plain};

	pass_ring_before(in, inst);
	if (form == PROBE_FORM_SPAN)
		pass_ring_call(in, DEVLIB_TIME_SPAN_END, args, 1);
	else
		pass_ring_call(in, form == PROBE_FORM_BEGIN ? DEVLIB_TIME_BEGIN : DEVLIB_TIME_END,
			       args, 2);
}

static void span_begin(struct pass_ring *in, LLVMValueRef inst)
{
	pass_ring_before(in, inst);
	pass_ring_call(in, DEVLIB_TIME_SPAN_BEGIN, NULL, 0);
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
	struct pass_mark mark;

	if (bytes > PROBE_MESSAGE_MAX)
		return;
	for (LLVMValueRef next = LLVMGetNextInstruction(inst); next && count < wanted;
	     next = LLVMGetNextInstruction(next)) {
		if (!pass_mark_read(next, &mark))
			continue;
		if (mark.kind != PASS_MARK_WORD)
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
			     in->plain,
		     };
	at = pass_ring_call(in, DEVLIB_EMIT_BEGIN, head, 4);
	for (unsigned i = 0; i < wanted; i++) {
		LLVMValueRef args[] = {at, pass_ring_i32(in, i), pass_ring_i32(in, wanted * 8),
				       flag, words[i]};

		pass_ring_call(in, DEVLIB_EMIT_WORD, args, 5);
	}
}

/* A region's begin or end in a clone. */
struct region {
	LLVMValueRef inst;
	struct pass_mark mark;
	uint32_t id;
	bool one; /* a begin whose span is one record */
};

struct regions {
	struct region *region;
	size_t count;
};

static void add_region(struct regions *regions, LLVMValueRef inst, const struct pass_mark *mark,
		       uint32_t id)
{
	regions->region =
		pass_alloc(regions->region, (regions->count + 1) * sizeof(*regions->region));
	regions->region[regions->count++] = (struct region){inst, *mark, id, false};
}

static const struct region *one_begin(const struct regions *regions, const struct pass_mark *end)
{
	for (size_t i = 0; i < regions->count; i++)
		if (regions->region[i].one && pass_span_same(&regions->region[i].mark, end))
			return &regions->region[i];
	return NULL;
}

static void insert_regions(struct pass_ring *in, struct regions *regions)
{
	for (size_t i = 0; i < regions->count; i++) {
		const struct region *at = &regions->region[i];
		const struct region *begin = one_begin(regions, &at->mark);

		if (begin == at)
			span_begin(in, at->inst);
		else if (begin)
			stamp(in, at->inst, PROBE_FORM_SPAN, begin->id);
		else
			stamp(in, at->inst,
			      at->mark.kind == PASS_MARK_BEGIN ? PROBE_FORM_BEGIN : PROBE_FORM_END,
			      at->id);
	}
	free(regions->region);
}

static void insert_marks(struct pass_ring *in, LLVMValueRef function,
			 const struct pass_units *units)
{
	uint32_t id = in->unit->first_mark + (in->kinds & 1u << PROBE_KIND_TIME ? 1 : 0);
	struct regions regions = {0};

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct pass_mark mark;

			next = LLVMGetNextInstruction(inst);
			if (!pass_mark_read(inst, &mark) || !has_site(&mark, in->kinds))
				continue;
			if (!is_region(&mark))
				message(in, inst, mark.kind == PASS_MARK_LANES, id);
			else if (in->kind == PROBE_KIND_TIME)
				add_region(&regions, inst, &mark, id);
			id++;
		}
	for (size_t i = 0; i < regions.count && !in->is_called; i++)
		regions.region[i].one = regions.region[i].mark.kind == PASS_MARK_BEGIN &&
					pass_span_is_one(units, function, regions.region[i].inst,
							 in->stamps == PASS_STAMPS_BLOCKS);
	insert_regions(in, &regions);
}

/*
 * The single return, which is not the original's, is no block of its own. The first block begins
 * behind what was put before `entry`.
 */
static void insert_blocks(struct pass_ring *in, LLVMValueRef function, LLVMValueRef entry,
			  const struct pass_options *options)
{
	LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(function);
	uint32_t id = in->unit->first_block;

	if (in->kind != PROBE_KIND_TIME || in->stamps != PASS_STAMPS_BLOCKS)
		return;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		if (stamps_block(block, options))
			stamp(in, block == first ? entry : block_first(block), PROBE_FORM_BEGIN,
			      id++);
}

static void insert_exit(struct pass_ring *in, LLVMValueRef inst, LLVMValueRef ctx,
			LLVMValueRef wave)
{
	bool timed = in->kind == PROBE_KIND_TIME;
	LLVMValueRef args[] = {ctx, wave, pass_ring_i32(in, timed ? in->unit->first_mark : 0),
			       pass_ring_i32(in, timed), in->plain};

	pass_ring_before(in, inst);
	pass_ring_call(in, DEVLIB_CURSOR_EXIT, args, 5);
}

/* That the wave needs the cursor's registers: elsewhere devlib_cursor.h does it. */
static void tell_registers(struct pass_ring *in)
{
	struct pass_asm code = {.result = LLVMInt32TypeInContext(in->context)};

	pass_asm_put(&code, "; the cursor");
	pass_asm_constrain(&code, "={s%d}", PASS_CURSOR_LAST);
	pass_asm_build(&code, in->builder, in->context);
}

static LLVMValueRef insert_enter(struct pass_ring *in, LLVMValueRef inst, LLVMValueRef ctx,
				 void *analyses)
{
	bool timed = in->kind == PROBE_KIND_TIME;
	LLVMValueRef clone = in->unit->clone[in->kind], wave;
	LLVMValueRef refill =
			     LLVMConstNull(LLVMPointerTypeInContext(in->context, PROBE_SPACE_FLAT)),
		     call = refill;

	if (!in->is_plain)
		refill = devlib_share(in->devlib, DEVLIB_RING_REFILL, 0, clone, analyses);
	if (in->is_portable)
		call = refill;
	else if (!in->is_plain && !timed)
		call = devlib_share(in->devlib, DEVLIB_TRACE_CALL, 0, clone, analyses);
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	if (in->is_portable)
		tell_registers(in);
	LLVMValueRef args[] = {ctx,
			       refill,
			       call,
			       pass_ring_i32(in, timed ? in->unit->first_mark : 0),
			       pass_ring_i32(in, timed),
			       in->plain};

	wave = pass_ring_call(in, DEVLIB_CURSOR_ENTER, args, 6);
	return wave;
}

/* Not at -O0, where every little function of a header would be told. */
static bool stamps_function(const struct pass_ring *in)
{
	return in->kind == PROBE_KIND_TIME && !in->is_plain && in->stamps != PASS_STAMPS_REGIONS;
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
			stamp(in, end, in->is_leaf ? PROBE_FORM_SPAN : PROBE_FORM_END,
			      in->unit->first_mark);
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
	if (in->is_called && !in->is_portable) {
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
		.analyses = analyses,
		.kind = kind,
		.kinds = options->kinds,
		.is_plain = pass_is_plain(unit->original, options),
		.stamps = options->stamps,
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	in.builder = LLVMCreateBuilderInContext(in.context);
	in.is_portable = options->portable != 0;
	in.is_called = in.is_plain || in.is_portable;
	in.plain = pass_ring_i32(&in, in.is_plain);
	in.is_leaf = !in.is_called && in.stamps != PASS_STAMPS_BLOCKS &&
		     pass_span_is_leaf(units, function);
	/*
	 * One return: a wave whose lanes leave apart must release its ring once, at the end. The
	 * back end lets the lanes join there.
	 */
	if (unit->kernel)
		probe_shim_single_return(function);
	entry = pass_entry_point(function);
	if (kind == PROBE_KIND_TRACE)
		pass_trace_insert(&in, function, options, analyses);
	if (unit->kernel) {
		ctx = LLVMGetParam(function, params - 1);
		wave = insert_enter(&in, entry, ctx, analyses);
	} else {
		ctx = LLVMGetParam(function, params - 2);
		wave = LLVMGetParam(function, params - 1);
		if (stamps_function(&in) && in.is_leaf)
			span_begin(&in, entry);
		else if (stamps_function(&in))
			stamp(&in, entry, PROBE_FORM_BEGIN, unit->first_mark);
	}
	insert_blocks(&in, function, entry, options);
	insert_marks(&in, function, units);
	insert_calls(&in, units, function, ctx, wave);
	insert_ends(&in, function, ctx, wave);
	LLVMDisposeBuilder(in.builder);
	inline_calls(&in, function, analyses);
}

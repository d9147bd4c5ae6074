/* SPDX-License-Identifier: MIT */
/*
 * Floating-point operations are counted as AMD's profilers count them: one for an addition, a
 * multiplication or a transcendental function, two for a fused multiplication and addition; none
 * for minima, rounding and conversions.
 */
#include "llvm-plugin/sites/operations.h"

#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

/* In the tables below. */
enum {
	BY_TYPE = PROBE_OPERATIONS, /* FP16, FP32 or FP64, by the type of the result */
	BY_LANES,		    /* added to a kind: SCALAR, if it is the same in all lanes */
};
#define INTEGER (BY_LANES + PROBE_OPERATION_INTEGER)
#define CONVERT (BY_LANES + PROBE_OPERATION_CONVERT)
#define COMPARE (BY_LANES + PROBE_OPERATION_COMPARE)

/* Instructions but accesses, calls and addresses. */
static const struct {
	LLVMOpcode opcode;
	int kind;
	uint32_t amount; /* of an element */
} opcodes[] = {
	{LLVMFAdd, BY_TYPE, 1},
	{LLVMFSub, BY_TYPE, 1},
	{LLVMFMul, BY_TYPE, 1},
	{LLVMFDiv, PROBE_OPERATION_SPECIAL, 1},
	{LLVMFRem, PROBE_OPERATION_SPECIAL, 1},
	{LLVMAdd, INTEGER, 0},
	{LLVMSub, INTEGER, 0},
	{LLVMMul, INTEGER, 0},
	{LLVMUDiv, INTEGER, 0},
	{LLVMSDiv, INTEGER, 0},
	{LLVMURem, INTEGER, 0},
	{LLVMSRem, INTEGER, 0},
	{LLVMShl, INTEGER, 0},
	{LLVMLShr, INTEGER, 0},
	{LLVMAShr, INTEGER, 0},
	{LLVMAnd, INTEGER, 0},
	{LLVMOr, INTEGER, 0},
	{LLVMXor, INTEGER, 0},
	{LLVMZExt, CONVERT, 0},
	{LLVMSExt, CONVERT, 0},
	{LLVMFPToUI, PROBE_OPERATION_CONVERT, 0},
	{LLVMFPToSI, PROBE_OPERATION_CONVERT, 0},
	{LLVMUIToFP, PROBE_OPERATION_CONVERT, 0},
	{LLVMSIToFP, PROBE_OPERATION_CONVERT, 0},
	{LLVMFPTrunc, PROBE_OPERATION_CONVERT, 0},
	{LLVMFPExt, PROBE_OPERATION_CONVERT, 0},
	{LLVMICmp, COMPARE, 0},
	{LLVMSelect, COMPARE, 0},
	{LLVMFCmp, PROBE_OPERATION_COMPARE, 0},
	{LLVMBr, PROBE_OPERATION_BRANCH, 0},
	{LLVMSwitch, PROBE_OPERATION_BRANCH, 0},
	{LLVMIndirectBr, PROBE_OPERATION_BRANCH, 0},
};

/* Intrinsics by prefix of the name; the first match is used. */
static const struct {
	const char *prefix;
	int kind;
	uint32_t amount;
} intrinsics[] = {
	{"llvm.dbg.", PROBE_OPERATION_NONE, 0},
	{"llvm.lifetime.", PROBE_OPERATION_NONE, 0},
	{"llvm.assume", PROBE_OPERATION_NONE, 0},
	{"llvm.invariant.", PROBE_OPERATION_NONE, 0},
	{"llvm.experimental.noalias", PROBE_OPERATION_NONE, 0},
	{"llvm.expect", PROBE_OPERATION_NONE, 0},
	{"llvm.sideeffect", PROBE_OPERATION_NONE, 0},
	{"llvm.fake.use", PROBE_OPERATION_NONE, 0},
	{"llvm.fabs.", PROBE_OPERATION_NONE, 0}, /* a modifier of an operand */
	{"llvm.amdgcn.workitem.id", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.workgroup.id", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.dispatch.", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.implicitarg.ptr", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.kernarg.", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.queue.ptr", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.wavefrontsize", PROBE_OPERATION_NONE, 0},
	{"llvm.amdgcn.s.barrier", PROBE_OPERATION_BARRIER, 0},
	{"llvm.fma.", BY_TYPE, 2},
	{"llvm.fmuladd.", BY_TYPE, 2},
	{"llvm.amdgcn.fma.legacy", BY_TYPE, 2},
	{"llvm.amdgcn.fmul.legacy", BY_TYPE, 1},
	{"llvm.amdgcn.fdot2", BY_TYPE, 4},
	{"llvm.sqrt.", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.exp", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.log", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.pow", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.sin", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.cos", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.rcp", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.rsq", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.sqrt", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.exp2", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.log", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.sin", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.cos", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.amdgcn.div.", PROBE_OPERATION_SPECIAL, 1},
	{"llvm.minnum.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.maxnum.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.minimum.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.maximum.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.fmed3", PROBE_OPERATION_COMPARE, 0},
	{"llvm.floor.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.ceil.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.trunc.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.rint.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.round", PROBE_OPERATION_COMPARE, 0},
	{"llvm.nearbyint.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.canonicalize.", PROBE_OPERATION_COMPARE, 0},
	{"llvm.is.fpclass", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.class", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.fract", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.icmp", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.fcmp", PROBE_OPERATION_COMPARE, 0},
	{"llvm.amdgcn.ballot", PROBE_OPERATION_COMPARE, 0},
	{"llvm.smax.", INTEGER, 0},
	{"llvm.smin.", INTEGER, 0},
	{"llvm.umax.", INTEGER, 0},
	{"llvm.umin.", INTEGER, 0},
	{"llvm.abs.", INTEGER, 0},
	{"llvm.ctpop.", INTEGER, 0},
	{"llvm.ctlz.", INTEGER, 0},
	{"llvm.cttz.", INTEGER, 0},
	{"llvm.bswap.", INTEGER, 0},
	{"llvm.bitreverse.", INTEGER, 0},
	{"llvm.fshl.", INTEGER, 0},
	{"llvm.fshr.", INTEGER, 0},
	{"llvm.copysign.", INTEGER, 0},
	{"llvm.sadd.", INTEGER, 0},
	{"llvm.uadd.", INTEGER, 0},
	{"llvm.ssub.", INTEGER, 0},
	{"llvm.usub.", INTEGER, 0},
	{"llvm.smul.", INTEGER, 0},
	{"llvm.umul.", INTEGER, 0},
	{"llvm.amdgcn.ubfe", INTEGER, 0},
	{"llvm.amdgcn.sbfe", INTEGER, 0},
	{"llvm.amdgcn.mul", INTEGER, 0},
	{"llvm.amdgcn.perm", INTEGER, 0},
	{"llvm.amdgcn.align", INTEGER, 0},
	{"llvm.amdgcn.sad", INTEGER, 0},
	{"llvm.amdgcn.sdot", INTEGER, 0},
	{"llvm.amdgcn.udot", INTEGER, 0},
	{"llvm.amdgcn.mbcnt", INTEGER, 0},
	{"llvm.ldexp.", PROBE_OPERATION_CONVERT, 0},
	{"llvm.amdgcn.ldexp", PROBE_OPERATION_CONVERT, 0},
	{"llvm.amdgcn.frexp", PROBE_OPERATION_CONVERT, 0},
	{"llvm.amdgcn.cvt", PROBE_OPERATION_CONVERT, 0},
	{"llvm.fpto", PROBE_OPERATION_CONVERT, 0},
	{"llvm.convert.", PROBE_OPERATION_CONVERT, 0},
	{"llvm.amdgcn.readlane", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.readfirstlane", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.writelane", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.ds.bpermute", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.ds.permute", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.ds.swizzle", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.mov.dpp", PROBE_OPERATION_LANES, 0},
	{"llvm.amdgcn.update.dpp", PROBE_OPERATION_LANES, 0},
};

static uint32_t elements_of(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static enum probe_operation float_kind(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return PROBE_OPERATION_FP16;
	case LLVMFloatTypeKind:
		return PROBE_OPERATION_FP32;
	case LLVMDoubleTypeKind:
		return PROBE_OPERATION_FP64;
	default:
		return PROBE_OPERATION_OTHER;
	}
}

/* Is it the same in all lanes, because its operands are? */
static bool is_uniform(const struct analysis *flow, LLVMValueRef inst)
{
	for (int i = 0; i < LLVMGetNumOperands(inst); i++)
		if (analysis_differs(flow, inst, (unsigned)i))
			return false;
	return true;
}

/* For integers only: floating-point operations have no scalar form on these targets. */
static enum probe_operation integer_kind(const struct analysis *flow, LLVMValueRef inst,
					 enum probe_operation of_lanes)
{
	return is_uniform(flow, inst) ? PROBE_OPERATION_SCALAR : of_lanes;
}

/*
 * llvm.amdgcn.mfma.f32.32x32x8f16, smfmac.f32.16x16x32.f16: results of M rows and columns, of which
 * each is a sum over all that a column of the second operand holds. All 64 lanes hold columns.
 */
static bool read_matrix(LLVMValueRef inst, const char *name, struct operation *ret)
{
	const char *shape = strpbrk(name + strlen("llvm.amdgcn."), "0123456789");
	static const struct {
		const char *suffix;
		enum probe_operation kind;
		unsigned bits;
	} types[] = {
		{"xf32", PROBE_OPERATION_MATRIX_FP32, 32},
		{"bf16", PROBE_OPERATION_MATRIX_FP16, 16},
		{"f16", PROBE_OPERATION_MATRIX_FP16, 16},
		{"f32", PROBE_OPERATION_MATRIX_FP32, 32},
		{"f64", PROBE_OPERATION_MATRIX_FP64, 64},
		{"i8", PROBE_OPERATION_MATRIX_I8, 8},
		{"fp8", PROBE_OPERATION_MATRIX_FP8, 8},
		{"bf8", PROBE_OPERATION_MATRIX_FP8, 8},
	};
	LLVMModuleRef module =
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
	uint64_t bits = LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(module),
					     LLVMTypeOf(LLVMGetOperand(inst, 1)));
	unsigned rows = 0;

	/* Behind the type of the result. */
	shape = shape ? strchr(shape, '.') : NULL;
	if (!shape)
		return false;
	for (const char *digit = shape + 1; *digit >= '0' && *digit <= '9'; digit++)
		rows = 10 * rows + (unsigned)(*digit - '0');
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strstr(shape, types[i].suffix)) {
			ret->kind = types[i].kind;
			ret->amount = (uint32_t)(2 * rows * 64 * (bits / types[i].bits));
			return true;
		}
	return false;
}

/* `kind` as in the tables. False: NONE. */
static bool resolve(const struct analysis *flow, LLVMValueRef inst, int kind, uint32_t amount,
		    struct operation *ret)
{
	ret->count = elements_of(LLVMTypeOf(inst));
	ret->amount = ret->count * amount;
	if (kind == BY_TYPE)
		ret->kind = float_kind(LLVMTypeOf(inst));
	else if (kind > BY_LANES)
		ret->kind = integer_kind(flow, inst, (enum probe_operation)(kind - BY_LANES));
	else
		ret->kind = (enum probe_operation)kind;
	return ret->kind != PROBE_OPERATION_NONE;
}

static bool read_intrinsic(const struct analysis *flow, LLVMValueRef inst, const char *name,
			   struct operation *ret)
{
	if (!strncmp(name, "llvm.amdgcn.mfma.", 17) || !strncmp(name, "llvm.amdgcn.smfmac.", 19))
		return read_matrix(inst, name, ret);
	for (size_t i = 0; i < sizeof(intrinsics) / sizeof(intrinsics[0]); i++)
		if (!strncmp(name, intrinsics[i].prefix, strlen(intrinsics[i].prefix)))
			return resolve(flow, inst, intrinsics[i].kind, intrinsics[i].amount, ret);
	return true;
}

static bool read_call(const struct analysis *flow, LLVMValueRef inst, struct operation *ret)
{
	const char *name = pass_called_name(inst);

	if (!strncmp(name, "llvm.", 5))
		return read_intrinsic(flow, inst, name, ret);
	if (!LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		ret->kind = PROBE_OPERATION_CALL;
	return true;
}

static enum probe_operation memory_kind(const struct analysis *flow, LLVMValueRef inst,
					const struct access_site *site)
{
	static const enum probe_operation kinds[][2] = {
		[PROBE_ACCESS_LOAD] = {PROBE_OPERATION_GLOBAL_READ, PROBE_OPERATION_LDS_READ},
		[PROBE_ACCESS_STORE] = {PROBE_OPERATION_GLOBAL_WRITE, PROBE_OPERATION_LDS_WRITE},
		[PROBE_ACCESS_ATOMIC] = {PROBE_OPERATION_GLOBAL_ATOMIC, PROBE_OPERATION_LDS_ATOMIC},
	};

	if (site->space == PROBE_SPACE_SCRATCH)
		return PROBE_OPERATION_SCRATCH;
	if (site->space == PROBE_SPACE_FLAT)
		return PROBE_OPERATION_FLAT;
	if (LLVMIsALoadInst(inst) && site->space != PROBE_SPACE_LDS &&
	    !analysis_differs(flow, inst, 0))
		return PROBE_OPERATION_UNIFORM_READ;
	return kinds[site->access][site->space == PROBE_SPACE_LDS];
}

/* An access whose width is not known is an operation without bytes. */
static bool read_memory(const struct analysis *flow, LLVMValueRef inst, struct operation *ret)
{
	struct access_site site = {.access = PROBE_ACCESS_LOAD};
	enum access_class class = access_site_read(inst, &site);

	if (class == PASS_ACCESS_SITE || class == PASS_ACCESS_ON_REQUEST) {
		*ret = (struct operation){memory_kind(flow, inst, &site), site.size / site.unit,
					  site.size};
		return true;
	}
	if (access_site_scratch(inst, &site)) {
		*ret = (struct operation){PROBE_OPERATION_SCRATCH, 1, site.size};
		return true;
	}
	if (class != PASS_ACCESS_NONE || LLVMIsALoadInst(inst) || LLVMIsAStoreInst(inst)) {
		ret->kind = LLVMIsALoadInst(inst) && class == PASS_ACCESS_NONE
				    ? PROBE_OPERATION_UNIFORM_READ /* of the launch */
				    : PROBE_OPERATION_OTHER;
		return true;
	}
	return false;
}

/* One addition per index that is no constant; those that are constants are part of the access. */
static bool read_address(const struct analysis *flow, LLVMValueRef inst, struct operation *ret)
{
	ret->count = 0;
	for (int i = 1; i < LLVMGetNumOperands(inst); i++)
		ret->count += !LLVMIsAConstant(LLVMGetOperand(inst, (unsigned)i));
	ret->kind = integer_kind(flow, inst, PROBE_OPERATION_ADDRESS);
	return ret->count;
}

static bool read_plain(const struct analysis *flow, LLVMValueRef inst, struct operation *ret)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	if (opcode == LLVMGetElementPtr)
		return read_address(flow, inst, ret);
	if (opcode == LLVMBr && !LLVMIsConditional(inst))
		return false;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i].opcode == opcode)
			return resolve(flow, inst, opcodes[i].kind, opcodes[i].amount, ret);
	/* Values that only have another name, phis, ends of blocks. */
	return false;
}

bool operation_read(const struct analysis *flow, LLVMValueRef inst, struct operation *ret)
{
	*ret = (struct operation){.kind = PROBE_OPERATION_OTHER, .count = 1};
	if (read_memory(flow, inst, ret))
		return true;
	return LLVMIsACallInst(inst) ? read_call(flow, inst, ret) : read_plain(flow, inst, ret);
}

/* SPDX-License-Identifier: MIT */
/* How addresses depend on the lane; see address_class.h. */
#include "llvm-plugin/analysis/address_class.h"
#include "llvm-plugin/analysis/address_expr.h"
#include "llvm-plugin/analysis/address_terms.h"
#include "llvm-plugin/analysis/address_text.h"
#include "llvm-plugin/analysis/affine_walk.h"
#include "llvm-plugin/analysis/argument_names.h"
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/index_origin.h"
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <cstdio>
#include <string>

using namespace llvm;

enum {
	VALUES_MAX = 256, /* limit of values visited per access, so that time is linear */
	DEPTH_MAX = 12,
	LINE_ZEROS = 7, /* factors of 2 of a cache line */
};

struct address_classes {
	const analysis &in;
	std::vector<std::string> arguments; /* by index; "" = unknown */
	/* The first access with that address, but for a constant. */
	struct First {
		uint32_t number;
		int64_t constant;
	};
	DenseMap<std::pair<const BasicBlock *, const SCEV *>, First> first;
};

/* ---- Classes -------------------------------------------------------------------------------- */

/* `bytes` of the access: less than a struct, if it is the first member. */
static bool is_member(const analysis &in, const Value *pointer, uint64_t bytes)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		auto *gep = dyn_cast<GEPOperator>(pointer);

		if (!gep)
			return false;
		if (gep->getResultElementType()->isStructTy() &&
		    in.layout.getTypeAllocSize(gep->getResultElementType()).getFixedValue() > bytes)
			return true;
		for (auto it = gep_type_begin(gep), end = gep_type_end(gep); it != end; ++it)
			if (it.isStruct())
				return true;
		pointer = gep->getPointerOperand();
	}
	return false;
}

/* Is the block guarded by a possibly divergent branch in its innermost region? */
static bool is_guarded(const analysis &in, const BasicBlock *block)
{
	auto *node = in.dominators.getNode(block);

	for (unsigned i = 0; node && node->getIDom() && i < DEPTH_MAX; i++) {
		const BasicBlock *from = node->getIDom()->getBlock();
		const Instruction *end = from->getTerminator();

		if (end->getNumSuccessors() > 1 && !in.postdominators.dominates(block, from) &&
		    PROBE_IS_DIVERGENT(in.divergence, end->getOperand(0)))
			return true;
		node = node->getIDom();
	}
	return false;
}

/* Is the stride of some loop not known to be a multiple of a cache line? */
static bool moves(const analysis &in, const SCEV *expr)
{
	return SCEVExprContains(expr, [&](const SCEV *part) {
		auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);
		auto *unknown = dyn_cast<SCEVUnknown>(part);

		if (unknown && isa<PHINode>(unknown->getValue()))
			return true;
		if (!recurrence)
			return false;
		auto *step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(in.evolution));
		return !step || step->getAPInt().countTrailingZeros() < LINE_ZEROS;
	});
}

/* A value that may be another one in each launch or execution, and that is not an id or a size. */
static bool is_data(Value *unresolved)
{
	const Value *value = slot_value(unresolved);
	auto *load = dyn_cast<LoadInst>(value);

	if (value->getType()->isPointerTy())
		return false;
	return (isa<Argument>(value) && value->getType()->isIntegerTy()) ||
	       (load && (load->getPointerAddressSpace() != PROBE_SPACE_CONSTANT ||
			 isa<GlobalVariable>(getUnderlyingObject(load->getPointerOperand()))));
}

static const SCEV *without_casts(const SCEV *expr)
{
	while (auto *cast = dyn_cast<SCEVCastExpr>(expr))
		expr = cast->getOperand();
	return expr;
}

namespace
{
/*
 * A search for data that shifts an address. It looks at an expression once, because the values of
 * an unrolled loop have all of those before them in common, and at VALUES_MAX of them.
 */
struct Shifts {
	const analysis &in;
	DenseSet<std::pair<const SCEV *, unsigned>> seen = {};

	bool limited(const SCEV *part, unsigned zeros);
	bool operation(const Value *value, unsigned zeros);
	bool found(const SCEV *from, unsigned zeros);
};
} // namespace

/* Does data shift what a remainder, a mask or a clamp is applied to? Its limit may be data. */
bool Shifts::limited(const SCEV *part, unsigned zeros)
{
	const SCEV *expr = without_casts(part);
	auto *sum = dyn_cast<SCEVAddExpr>(expr);

	/* A constant next to one term, as in n - 1, is the first operand. */
	return ((sum && (sum->getNumOperands() > 2 || !isa<SCEVConstant>(sum->getOperand(0)))) ||
		isa<SCEVAddRecExpr>(expr)) &&
	       found(expr, zeros);
}

/* Values that ScalarEvolution has no expression for: masks, remainders. */
bool Shifts::operation(const Value *value, unsigned zeros)
{
	auto *op = dyn_cast<BinaryOperator>(value);

	return op && any_of(op->operands(), [&](const Use &operand) {
		       return limited(in.evolution.getSCEV(operand), zeros);
	       });
}

/*
 * Is data added to the index, times a constant (of `zeros` factors of 2) that is not a multiple of
 * a cache line? What is multiplied by another variable is a row.
 */
bool Shifts::found(const SCEV *from, unsigned zeros)
{
	const SCEV *expr = without_casts(from);
	auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr);
	auto *product = dyn_cast<SCEVMulExpr>(expr);
	auto *sum = dyn_cast<SCEVAddExpr>(expr);
	auto *limit = dyn_cast<SCEVMinMaxExpr>(expr);
	auto *unknown = dyn_cast<SCEVUnknown>(expr);
	auto *by = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;

	if (zeros >= LINE_ZEROS || seen.size() == VALUES_MAX || !seen.insert({expr, zeros}).second)
		return false;
	if (recurrence)
		return found(recurrence->getStart(), zeros);
	if (sum)
		return any_of(sum->operands(),
			      [&](const SCEV *term) { return found(term, zeros); });
	if (limit)
		return any_of(limit->operands(),
			      [&](const SCEV *term) { return limited(term, zeros); });
	if (by && product->getNumOperands() == 2)
		return found(product->getOperand(1), zeros + by->getAPInt().countTrailingZeros());
	return unknown && (is_data(unknown->getValue()) || operation(unknown->getValue(), zeros));
}

/* Is the index a value that the kernel makes, not data that it is given? */
static bool is_staged(const Instruction *load)
{
	unsigned space = isa<LoadInst>(load) ? cast<LoadInst>(load)->getPointerAddressSpace() : 0;

	return !isa<LoadInst>(load) || space == PROBE_SPACE_LDS || space == PROBE_SPACE_SCRATCH;
}

/* Do lanes read indices that are apart, or other ones in each iteration? */
static bool is_spread(const struct probe_site_term &term, uint64_t index_bytes)
{
	if (term.of & PROBE_TERM_LOOP)
		/* A step by the size of the launch goes on with the next work-items' indices. */
		return !(term.of & PROBE_TERM_SIZE);
	return term.of & PROBE_TERM_UNKNOWN ||
	       (term.of & PROBE_TERM_ITEMS &&
		(uint64_t)std::abs((long long)term.step) > index_bytes);
}

/*
 * Is the index one of several that a work-item reads, as far as is known? Where they begin may be
 * loaded itself.
 */
static bool is_listed(const analysis &in, const LoadInst *load)
{
	Value *pointer = const_cast<Value *>(load->getPointerOperand());
	uint64_t bytes = in.layout.getTypeStoreSize(load->getType()->getScalarType());
	struct probe_site_term terms[ADDRESS_TERMS];
	unsigned count = address_terms(in, address_expr(in, pointer), terms);

	return index_origin(in, load->getParent(), pointer, nullptr, false).load ||
	       any_of(ArrayRef(terms, count),
		      [&](const auto &term) { return is_spread(term, bytes); });
}

/* Increments and decrements that wrap around at a limit, atomicInc() and atomicDec(). */
static bool is_wrapping(const Instruction *inst)
{
	auto *call = dyn_cast<IntrinsicInst>(inst);
	StringRef name = call ? call->getCalledFunction()->getName() : "";
	auto *update = dyn_cast<AtomicRMWInst>(inst);
	StringRef operation = update ? AtomicRMWInst::getOperationName(update->getOperation()) : "";

	return !name.find("llvm.amdgcn.atomic.inc") || !name.find("llvm.amdgcn.atomic.dec") ||
	       operation == "uinc_wrap" || operation == "udec_wrap";
}

/* What becomes of an atomic update's old value. */
static unsigned result_flags(const Instruction *inst)
{
	auto *update = dyn_cast<AtomicRMWInst>(inst);
	bool exchange = isa<AtomicCmpXchgInst>(inst) || is_wrapping(inst) ||
			(update && update->getOperation() == AtomicRMWInst::Xchg);

	if (!inst->mayWriteToMemory() || inst->getType()->isVoidTy())
		return 0;
	return (inst->use_empty() ? 0 : PROBE_ADDRESS_RESULT) |
	       (exchange ? PROBE_ADDRESS_EXCHANGE : 0);
}

static enum probe_address_class proved_class(const struct affine_address *proof)
{
	unsigned terms = proof->fields;

	for (const struct affine_stride &stride : proof->stride)
		terms += stride.constant || stride.factor;
	return !terms			      ? PROBE_ADDRESS_UNIFORM
	       : terms == 1 && !proof->fields ? PROBE_ADDRESS_AFFINE
					      : PROBE_ADDRESS_ROWS;
}

/* An index that is uniform and not constant may select one of several arrays in a buffer. */
static bool selects_array(const analysis &in, const GEPOperator *gep, const BasicBlock *block)
{
	return !gep->hasAllConstantIndices() &&
	       none_of(gep->indices(), [&](const Use &index) { return in.varies(index, block); });
}

/* The array that a pointer indexes. */
static const Value *array_of(const analysis &in, const Value *pointer, const BasicBlock *block)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		pointer = slot_value(const_cast<Value *>(pointer->stripPointerCasts()));
		auto *gep = dyn_cast<GEPOperator>(pointer);

		if (!gep || selects_array(in, gep, block))
			break;
		pointer = gep->getPointerOperand();
	}
	return pointer;
}

/* Does the access load its own next index, also in one piece with what it is for? */
static bool feeds_itself(const analysis &in, const BasicBlock *block, const Instruction *inst,
			 const Value *pointer)
{
	return index_origin(in, block, pointer, inst, true).itself;
}

/*
 * Does the access follow links of others? The pointer was loaded; or its index was loaded by such
 * an access, or from the same array, as in each step of a chase that the compiler unrolled.
 */
static bool is_chase(const analysis &in, const Instruction *inst, const Value *pointer,
		     const LoadInst *load)
{
	const BasicBlock *block = inst->getParent();

	if (!load)
		return false;
	return load->getType()->isPointerTy() ||
	       feeds_itself(in, block, load, load->getPointerOperand()) ||
	       (isa<LoadInst>(inst) &&
		array_of(in, pointer, block) == array_of(in, load->getPointerOperand(), block));
}

static const auto NOT_KNOWN = (enum probe_address_class)0;

/* `ret_origin`: of the index; its load is the access itself if that gives it. */
static enum probe_address_class class_of(const analysis &in, const Instruction *inst,
					 const Value *pointer, const struct affine_address *proof,
					 Origin *ret_origin)
{
	if (proof)
		return proved_class(proof);
	if (!in.varies(pointer, inst->getParent()))
		return PROBE_ADDRESS_UNIFORM;
	Origin origin = index_origin(in, inst->getParent(), pointer, nullptr, false);

	*ret_origin = origin;
	if (!origin.load)
		return origin.wraps	? PROBE_ADDRESS_WRAPPED
		       : origin.unknown ? NOT_KNOWN
					: PROBE_ADDRESS_COMPUTED;
	if (feeds_itself(in, inst->getParent(), inst, pointer)) {
		ret_origin->load = inst;
		ret_origin->several = false;
		return PROBE_ADDRESS_CHASE;
	}
	return is_chase(in, inst, pointer, dyn_cast<LoadInst>(origin.load)) ? PROBE_ADDRESS_CHASE
									    : PROBE_ADDRESS_GATHER;
}

/* The variable in LDS that contains the address; NULL = unknown, or elsewhere. */
static Value *variable_of(const analysis &in, Value *pointer)
{
	auto *base =
		dyn_cast<SCEVUnknown>(in.evolution.getPointerBase(in.evolution.getSCEV(pointer)));
	Value *from = base ? getUnderlyingObject(base->getValue(), 0) : nullptr;
	auto *variable = dyn_cast_or_null<GlobalVariable>(from);

	return variable && variable->getAddressSpace() == PROBE_SPACE_LDS ? variable : nullptr;
}

static void find_near(struct address_classes *classes, uint32_t number, const Instruction *inst,
		      Value *pointer, struct address_description *ret)
{
	const SCEV *expr = AddressExpr(classes->in, ADDRESS_ASSUMED).pointer(pointer);
	int64_t constant = 0;
	const SCEV *rest = without_constant(classes->in.evolution, expr, constant);
	auto found = classes->first.insert({{inst->getParent(), rest}, {number, constant}}).first;
	int64_t distance = constant - found->second.constant;

	ret->near_access = number;
	if (distance != (int32_t)distance)
		return;
	ret->near_access = found->second.number;
	ret->distance = (int32_t)distance;
}

/* May the address be another one in the next iteration of a loop? */
static bool iterations_vary(const analysis &in, const BasicBlock *block, const SCEV *expr)
{
	for (const Loop *loop = in.loops.getLoopFor(block); loop; loop = loop->getParentLoop())
		if (!in.evolution.isLoopInvariant(expr, loop))
			return true;
	return false;
}

struct address_classes *address_classes_create(const struct analysis *in)
{
	return new address_classes{*in, argument_names(*in), decltype(address_classes::first)()};
}

void address_classes_destroy(struct address_classes *classes)
{
	delete classes;
}

void address_classes_add(struct address_classes *classes, uint32_t number, LLVMValueRef access,
			 LLVMValueRef address, const struct affine_address *proof,
			 struct address_description *ret)
{
	const analysis &in = classes->in;
	auto *inst = unwrap<Instruction>(access);
	Value *pointer = unwrap(address);
	Origin origin;
	const SCEV *expr = address_expr(in, pointer);
	bool simple = isa<LoadInst>(inst) || isa<StoreInst>(inst);
	uint64_t bytes = simple ? in.layout.getTypeStoreSize(getLoadStoreType(inst)).getFixedValue()
				: UINT64_MAX;

	*ret = {};
	ret->kind = class_of(in, inst, pointer, proof, &origin);
	const Instruction *load = origin.load;
	ret->flags = (is_member(in, pointer, bytes) ? PROBE_ADDRESS_MEMBER : 0) |
		     (is_guarded(in, inst->getParent()) ? PROBE_ADDRESS_GUARDED : 0) |
		     (moves(in, expr) ? PROBE_ADDRESS_MOVES : 0) | result_flags(inst);
	if (ret->kind != PROBE_ADDRESS_GATHER && ret->kind != PROBE_ADDRESS_CHASE &&
	    Shifts{in}.found(expr, 0))
		ret->flags |= PROBE_ADDRESS_SHIFTS;
	std::string text = address_text(in, classes->arguments, expr);
	/* A truncated expression would not help a reader. */
	snprintf(ret->text, sizeof(ret->text), "%s",
		 text.size() < ADDRESS_TEXT ? text.c_str() : "");
	ret->flags |= load && is_staged(load) ? PROBE_ADDRESS_STAGED : 0;
	ret->flags |= load && !isa<LoadInst>(load) ? PROBE_ADDRESS_UPDATE : 0;
	if (ret->kind == PROBE_ADDRESS_GATHER && isa<LoadInst>(load) &&
	    is_listed(in, cast<LoadInst>(load)))
		ret->flags |= PROBE_ADDRESS_LISTED;
	/* Which of several it is, is not known. */
	if (load && !origin.several)
		snprintf(ret->source, sizeof(ret->source), "%s", place_of(load, true).c_str());
	find_near(classes, number, inst, pointer, ret);
	ret->variable = wrap(variable_of(in, pointer));
	ret->term_count = address_terms(in, expr, ret->term);
	if (ret->term_count && ret->term[0].of & PROBE_TERM_UNKNOWN &&
	    iterations_vary(in, inst->getParent(), expr))
		ret->term[0].of |= PROBE_TERM_LOOP;
}

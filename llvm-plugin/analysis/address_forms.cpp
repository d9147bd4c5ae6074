/* SPDX-License-Identifier: MIT */
/*
 * Optimisations hide from the analyses what addresses are made of: jump threading computes a
 * workgroup's id on both sides of a branch and joins the two in a phi, and the SLP vectoriser does
 * the arithmetic of two indices as one of vectors. Here such values get one scalar definition
 * again. The back end makes the same instructions of it: there is no vector arithmetic of 32-bit
 * integers.
 */
#include "llvm-plugin/analysis/ir_edit.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <probe/wire_kinds.h>

#include "llvm-plugin/base/llvm-compat.h"

using namespace llvm;

/* ---- One call for each id ------------------------------------------------------------------- */

/* The same wherever in the function it is called, and without effects. */
static bool is_launch_value(const CallInst &call)
{
	static const char *const prefixes[] = {
		"llvm.amdgcn.workgroup.id.", "llvm.amdgcn.workitem.id.", "llvm.amdgcn.dispatch.ptr",
		"llvm.amdgcn.implicitarg.ptr"};
	const Function *callee = call.getCalledFunction();

	for (const char *prefix : prefixes)
		if (callee && callee->getName().find(prefix) == 0)
			return call.arg_empty();
	return false;
}

static void unite_ids(Function &function)
{
	DenseMap<const Function *, CallInst *> first;
	SmallVector<CallInst *, 8> others;

	for (Instruction &inst : instructions(function)) {
		auto *call = dyn_cast<CallInst>(&inst);

		if (call && is_launch_value(*call) &&
		    !first.insert({call->getCalledFunction(), call}).second)
			others.push_back(call);
	}
	for (CallInst *call : others) {
		CallInst *kept = first.lookup(call->getCalledFunction());

		if (kept->getParent() != &function.getEntryBlock()) {
			kept->moveBefore(&*function.getEntryBlock().getFirstInsertionPt());
			kept->dropLocation();
		}
		call->replaceAllUsesWith(kept);
		call->eraseFromParent();
	}
}

/* ---- One definition of what is equal on all sides ------------------------------------------- */

enum { DEPTH = 8 };

/* Of the dispatch packet, say: sizes of the launch. */
static bool is_constant_load(const Instruction &inst)
{
	auto *load = dyn_cast<LoadInst>(&inst);

	return load && load->isSimple() && load->getPointerAddressSpace() == PROBE_SPACE_CONSTANT;
}

static bool is_pure(const Instruction &inst)
{
	return (isa<BinaryOperator>(inst) || isa<CastInst>(inst) || isa<CmpInst>(inst) ||
		isa<SelectInst>(inst) || isa<GetElementPtrInst>(inst) ||
		isa<MinMaxIntrinsic>(inst) || is_constant_load(inst)) &&
	       isSafeToSpeculativelyExecute(&inst);
}

/* The same expression of values that are known at the end of a block? */
static bool same_expression(const DominatorTree &dominators, const Instruction *end, const Value *a,
			    const Value *b, unsigned depth)
{
	auto *one = dyn_cast<Instruction>(a), *other = dyn_cast<Instruction>(b);

	if (a == b && (!one || dominators.dominates(one, end)))
		return true;
	if (!one || !other || depth == DEPTH || !is_pure(*one) || !is_pure(*other) ||
	    !one->isSameOperationAs(other))
		return false;
	for (unsigned i = 0; i < one->getNumOperands(); i++)
		if (!same_expression(dominators, end, one->getOperand(i), other->getOperand(i),
				     depth + 1))
			return false;
	return true;
}

/* Computes `a`, equal to `b`, before `end`. It is used only where one of them is computed today. */
static Value *compute(const DominatorTree &dominators, Instruction *end, Value *a, Value *b)
{
	auto *inst = dyn_cast<Instruction>(a);

	if (!inst || dominators.dominates(inst, end))
		return a;
	Instruction *copy = inst->clone();
	copy->andIRFlags(b);
	for (unsigned i = 0; i < inst->getNumOperands(); i++)
		copy->setOperand(i, compute(dominators, end, inst->getOperand(i),
					    cast<Instruction>(b)->getOperand(i)));
	copy->insertBefore(end);
	copy->dropLocation();
	return copy;
}

static bool unite_phi(const DominatorTree &dominators, PHINode &phi)
{
	auto *node = dominators.getNode(phi.getParent());
	Instruction *end =
		node && node->getIDom() ? node->getIDom()->getBlock()->getTerminator() : nullptr;
	Value *first = phi.getIncomingValue(0), *last = first;

	if (!end || !phi.getType()->isIntOrPtrTy())
		return false;
	for (Value *value : phi.incoming_values()) {
		if (!same_expression(dominators, end, first, value, 0))
			return false;
		last = value;
	}
	/* Flags of more than two: those that all of them have are of no use here. */
	if (phi.getNumIncomingValues() > 2 && first != last)
		return false;
	phi.replaceAllUsesWith(compute(dominators, end, first, last));
	phi.eraseFromParent();
	return true;
}

static void unite_phis(Function &function)
{
	DominatorTree dominators(function);

	for (bool changed = true; changed;) {
		changed = false;
		for (BasicBlock &block : function)
			for (PHINode &phi : make_early_inc_range(block.phis()))
				changed |= unite_phi(dominators, phi);
	}
}

/* ---- Elements of vectors -------------------------------------------------------------------- */

/* Limit of operations in a chain, so that the stack suffices. */
enum { CHAIN_MAX = 1024 };

class Elements
{
	unsigned chain = 0;
	/* What is known may be an element that is replaced later. */
	DenseMap<std::pair<Value *, unsigned>, WeakTrackingVH> known;

	Value *make(Instruction *inst, unsigned i);

      public:
	Value *get(Value *vector, unsigned i);
};

static bool is_elementwise(const Value *value)
{
	auto *type = dyn_cast<FixedVectorType>(value->getType());

	return type &&
	       (type->getElementType()->isIntegerTy(32) ||
		type->getElementType()->isIntegerTy(64)) &&
	       (isa<BinaryOperator>(value) || isa<ZExtInst>(value) || isa<SExtInst>(value) ||
		isa<TruncInst>(value) || isa<InsertElementInst>(value) ||
		isa<ShuffleVectorInst>(value) || isa<PHINode>(value));
}

Value *Elements::make(Instruction *inst, unsigned i)
{
	Type *type = cast<VectorType>(inst->getType())->getElementType();
	IRBuilder<> builder(inst);
	Value *made = nullptr;

	if (auto *phi = dyn_cast<PHINode>(inst)) {
		PHINode *element = builder.CreatePHI(type, phi->getNumIncomingValues());

		/* Before its operands: they may be made of it. */
		known[{inst, i}] = element;
		for (unsigned k = 0; k < phi->getNumIncomingValues(); k++)
			element->addIncoming(get(phi->getIncomingValue(k), i),
					     phi->getIncomingBlock(k));
		return element;
	}
	if (auto *binary = dyn_cast<BinaryOperator>(inst))
		made = builder.CreateBinOp(binary->getOpcode(), get(inst->getOperand(0), i),
					   get(inst->getOperand(1), i));
	else
		made = builder.CreateCast(cast<CastInst>(inst)->getOpcode(),
					  get(inst->getOperand(0), i), type);
	if (auto *fresh = dyn_cast<Instruction>(made); fresh && isa<BinaryOperator>(inst))
		fresh->copyIRFlags(inst);
	return made;
}

Value *Elements::get(Value *vector, unsigned i)
{
	auto found = known.find({vector, i});
	Value *element = nullptr;

	if (found != known.end())
		return found->second;
	if (auto *constant = dyn_cast<Constant>(vector)) {
		element = constant->getAggregateElement(i);
		/* Of a constant expression. */
		if (!element)
			element = ConstantExpr::getExtractElement(
				constant,
				ConstantInt::get(Type::getInt32Ty(vector->getContext()), i));
	} else if (auto *insert = dyn_cast<InsertElementInst>(vector)) {
		if (auto *index = dyn_cast<ConstantInt>(insert->getOperand(2)))
			element = index->equalsInt(i) ? insert->getOperand(1)
						      : get(insert->getOperand(0), i);
	} else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(vector)) {
		int from = shuffle->getMaskValue(i);
		int size = (int)cast<FixedVectorType>(shuffle->getOperand(0)->getType())
				   ->getNumElements();

		element = from < 0
				  ? PoisonValue::get(shuffle->getType()->getElementType())
				  : get(shuffle->getOperand(from >= size), (unsigned)(from % size));
	} else if (is_elementwise(vector) && chain < CHAIN_MAX) {
		chain++;
		element = make(cast<Instruction>(vector), i);
		chain--;
	}
	if (!element) {
		auto *inst = dyn_cast<Instruction>(vector);
		Function *function =
			inst ? inst->getFunction() : cast<Argument>(vector)->getParent();
		Instruction *at = !inst ? &*function->getEntryBlock().getFirstInsertionPt()
				  : isa<PHINode>(inst) ? &*inst->getParent()->getFirstInsertionPt()
						       : inst->getNextNode();

		element = IRBuilder<>(at).CreateExtractElement(vector, i);
	}
	known[{vector, i}] = element;
	return element;
}

static void divide_vectors(Function &function)
{
	SmallVector<ExtractElementInst *, 16> extracts;
	SmallVector<WeakTrackingVH, 16> vectors;
	Elements elements;

	for (Instruction &inst : instructions(function)) {
		auto *extract = dyn_cast<ExtractElementInst>(&inst);

		if (extract && isa<ConstantInt>(extract->getIndexOperand()) &&
		    is_elementwise(extract->getVectorOperand()))
			extracts.push_back(extract);
	}
	for (ExtractElementInst *extract : extracts) {
		Value *vector = extract->getVectorOperand();
		uint64_t i = cast<ConstantInt>(extract->getIndexOperand())->getZExtValue();

		if (i >= cast<FixedVectorType>(vector->getType())->getNumElements())
			continue;
		extract->replaceAllUsesWith(elements.get(vector, (unsigned)i));
		extract->eraseFromParent();
		vectors.push_back(vector);
	}
	for (BasicBlock &block : function)
		for (PHINode &phi : block.phis())
			if (is_elementwise(&phi))
				vectors.push_back(&phi);
	for (WeakTrackingVH &vector : vectors) {
		Value *value = vector;

		if (auto *phi = dyn_cast_or_null<PHINode>(value))
			RecursivelyDeleteDeadPHINode(phi);
		else if (value)
			RecursivelyDeleteTriviallyDeadInstructions(value);
	}
}

void ir_unite_addresses(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);

	unite_ids(*function);
	divide_vectors(*function);
	unite_phis(*function);
	ir_invalidate(value, analyses);
}

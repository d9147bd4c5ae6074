/* SPDX-License-Identifier: MIT */
/*
 * Values that follow from the launch, as expressions that the host evaluates (wire.h section 2,
 * struct probe_expr_op): a walk down the operands. Sums, products and bitwise operations keep the
 * lowest seven bits a function of the operands' lowest seven, so that ids of workgroups matter
 * modulo 128 only; operations that do not are for values that are the same in all waves. Conditions
 * of branches are exact, and so are addresses lane by lane: there everything is allowed, but where
 * variables are placed is not known.
 */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/launch_expr.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

enum { DEPTH_MAX = 32 };

namespace
{
class Walk
{
	const analysis &in;
	struct launch_expr &expr;
	int stack = 0; /* values on it */
	const bool exact;
	bool ids = false;		      /* the last value: is it made of ids? */
	SmallVector<const Value *, 16> saved; /* values that were */
	const GlobalVariable *variable;	      /* that all lanes' addresses are counted from */
	const bool saving;

	bool put(enum probe_expr_code code, uint8_t bits, int more, struct probe_expr_op op = {});
	bool constant(int64_t value, uint8_t bits);
	bool id(enum probe_expr_code code, int axis);
	uint8_t bits(const Value *value) const;
	bool may_be_zero(const GlobalVariable *global);
	bool packet(Value *value);
	bool leaf(Value *value, bool &ret);
	bool save(const Value *value, unsigned before);
	bool operation(Value *value, unsigned depth);
	bool binary(Operator *op, enum probe_expr_code code, unsigned depth);
	bool compare(ICmpInst *compare, unsigned depth);
	bool convert(Operator *op, unsigned depth);
	bool index(Value *value, int64_t size, int64_t offset, unsigned depth);
	bool address(GEPOperator *gep, unsigned depth);
	bool phi(PHINode *phi, unsigned depth);
	bool select(Value *condition, Value *first, Value *second, uint8_t bits, unsigned depth);

      public:
	Walk(const analysis &of, struct launch_expr &to, bool is_exact,
	     const GlobalVariable *from = nullptr, bool saves = false)
	    : in(of), expr(to), exact(is_exact), variable(from), saving(saves)
	{
		expr.ops = 0;
	}
	/* Puts the value, or fails halfway. One bit: 1 or 0. */
	bool walk(Value *value, unsigned depth = 0);
	bool negate();
	bool case_of(Value *value, Value *number, bool other);
	bool start_true();
};
} // namespace

/* ---- Steps ---------------------------------------------------------------------------------- */

bool Walk::put(enum probe_expr_code code, uint8_t bits, int more, struct probe_expr_op op)
{
	op.code = (uint8_t)code;
	op.bits = bits;
	stack += more;
	if (expr.ops == LAUNCH_EXPR_OPS || stack > PROBE_EXPR_STACK)
		return false;
	expr.op[expr.ops++] = op;
	return true;
}

bool Walk::constant(int64_t value, uint8_t bits)
{
	struct probe_expr_op op = {};

	op.value = value;
	return put(PROBE_EXPR_CONSTANT, bits, 1, op);
}

bool Walk::id(enum probe_expr_code code, int axis)
{
	struct probe_expr_op op = {};

	op.index = (uint16_t)axis;
	ids = true;
	return put(code, 32, 1, op);
}

/* 32 or 64, conditions count as 32; 0 = another width. */
uint8_t Walk::bits(const Value *value) const
{
	Type *type = value->getType();

	if (exact && type->isIntegerTy(1))
		return 32;
	if (!type->isIntegerTy() && !type->isPointerTy())
		return 0;
	uint64_t width = in.layout.getTypeSizeInBits(type);
	return width == 32 || width == 64 ? (uint8_t)width : 0;
}

/* ---- Leaves --------------------------------------------------------------------------------- */

/*
 * Of variables it is known only how they are aligned. In LDS it does not matter where one is
 * (lane_addresses.c), if all lanes use the same.
 */
bool Walk::may_be_zero(const GlobalVariable *global)
{
	MaybeAlign align = global->getAlign();

	if (exact) {
		if (global != variable)
			return false;
		/* Once: elsewhere it is a number. */
		variable = nullptr;
		if (global->getAddressSpace() == PROBE_SPACE_LDS)
			return true;
	}
	return align && *align >= 128;
}

/* A size of the launch, in any width: it is small and has no sign. */
bool Walk::packet(Value *value)
{
	struct affine_stride factor;
	struct probe_expr_op op = {};

	if (!value->getType()->isIntegerTy() || value->getType()->isIntegerTy(1) ||
	    !launch_factor(in, in.evolution.getSCEV(value), factor) || factor.factor != 1 ||
	    factor.constant || !(factor.bits & PROBE_STRIDE_LAUNCH))
		return false;
	op.offset = factor.offset;
	return put(PROBE_EXPR_PACKET, 64, 1, op);
}

/* False: it is none. */
bool Walk::leaf(Value *value, bool &ret)
{
	struct probe_expr_op op = {};
	LaunchValue launched;
	auto *number = dyn_cast<ConstantInt>(value);
	auto *global = dyn_cast<GlobalVariable>(value);
	auto *was = find(saved, value);

	ret = true;
	if (number) {
		bool condition = value->getType()->isIntegerTy(1);

		ret = constant(condition ? (int64_t)number->getZExtValue() : number->getSExtValue(),
			       bits(value));
	} else if (launch_value(in, value, launched) && !launched.packet) {
		op.offset = launched.offset;
		ret = launched.offset + launched.bits / 8 <= PROBE_ARGUMENTS_MAX &&
		      put(PROBE_EXPR_ARGUMENT, bits(value), 1, op);
	} else if (global) {
		ret = may_be_zero(global) && constant(0, bits(value));
	} else if (was != saved.end()) {
		op.index = (uint16_t)(was - saved.begin());
		ids = true;
		ret = put(PROBE_EXPR_KEPT, bits(value), 1, op);
	} else if (item_axis(value) >= 0) {
		ret = id(PROBE_EXPR_ITEM, item_axis(value));
	} else if (group_axis(value) >= 0) {
		ret = id(PROBE_EXPR_GROUP, group_axis(value));
	} else {
		return packet(value);
	}
	return true;
}

/* ---- Operations ----------------------------------------------------------------------------- */

static enum probe_expr_code code_of(const Operator *op)
{
	auto *call = dyn_cast<IntrinsicInst>(op);

	switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
	case Intrinsic::umin:
		return PROBE_EXPR_UMIN;
	case Intrinsic::umax:
		return PROBE_EXPR_UMAX;
	case Intrinsic::smin:
		return PROBE_EXPR_SMIN;
	case Intrinsic::smax:
		return PROBE_EXPR_SMAX;
	default:
		break;
	}
	switch (op->getOpcode()) {
	case Instruction::Add:
		return PROBE_EXPR_ADD;
	case Instruction::Sub:
		return PROBE_EXPR_SUB;
	case Instruction::Mul:
		return PROBE_EXPR_MUL;
	case Instruction::And:
		return PROBE_EXPR_AND;
	case Instruction::Or:
		return PROBE_EXPR_OR;
	case Instruction::Xor:
		return PROBE_EXPR_XOR;
	case Instruction::Shl:
		return PROBE_EXPR_SHL;
	case Instruction::LShr:
		return PROBE_EXPR_LSHR;
	case Instruction::AShr:
		return PROBE_EXPR_ASHR;
	case Instruction::UDiv:
		return PROBE_EXPR_UDIV;
	case Instruction::SDiv:
		return PROBE_EXPR_SDIV;
	case Instruction::URem:
		return PROBE_EXPR_UREM;
	case Instruction::SRem:
		return PROBE_EXPR_SREM;
	default:
		return PROBE_EXPR_CODES;
	}
}

bool Walk::binary(Operator *op, enum probe_expr_code code, unsigned depth)
{
	bool shifts = code == PROBE_EXPR_SHL || code == PROBE_EXPR_LSHR || code == PROBE_EXPR_ASHR;
	bool logic = code == PROBE_EXPR_AND || code == PROBE_EXPR_OR || code == PROBE_EXPR_XOR;

	if (op->getType()->isIntegerTy(1) && !logic)
		return false;
	/* By ids, bits would move by more than there are. */
	if (shifts && !exact && !isa<ConstantInt>(op->getOperand(1)))
		return false;
	if (!walk(op->getOperand(0), depth + 1))
		return false;
	bool left = ids;
	if (!walk(op->getOperand(1), depth + 1))
		return false;
	ids |= left;
	if (code >= PROBE_EXPR_LSHR && ids && !exact)
		return false;
	return put(code, bits(op), -1);
}

bool Walk::compare(ICmpInst *compare, unsigned depth)
{
	static const enum probe_expr_code codes[][2] = {
		{PROBE_EXPR_ULT, PROBE_EXPR_ULE},
		{PROBE_EXPR_SLT, PROBE_EXPR_SLE},
	};
	bool turned = compare->isRelational() && (compare->getPredicate() == ICmpInst::ICMP_UGT ||
						  compare->getPredicate() == ICmpInst::ICMP_UGE ||
						  compare->getPredicate() == ICmpInst::ICMP_SGT ||
						  compare->getPredicate() == ICmpInst::ICMP_SGE);
	enum probe_expr_code code =
		compare->isEquality() ? compare->getPredicate() == ICmpInst::ICMP_EQ ? PROBE_EXPR_EQ
										     : PROBE_EXPR_NE
				      : codes[compare->isSigned()]
					     [!compare->isStrictPredicate(compare->getPredicate())];
	uint8_t width = bits(compare->getOperand(0));

	return width && !compare->getOperand(0)->getType()->isIntegerTy(1) &&
	       walk(compare->getOperand(turned), depth + 1) &&
	       walk(compare->getOperand(!turned), depth + 1) && put(code, width, -1);
}

bool Walk::convert(Operator *op, unsigned depth)
{
	Value *from = op->getOperand(0);
	uint8_t to = bits(op), had = bits(from);
	bool condition = from->getType()->isIntegerTy(1);

	if (!had || !walk(from, depth + 1))
		return false;
	if (to == had || (condition && op->getOpcode() == Instruction::ZExt))
		return !condition || op->getOpcode() != Instruction::SExt;
	if (condition || op->getType()->isIntegerTy(1))
		return false;
	return put(op->getOpcode() == Instruction::SExt ? PROBE_EXPR_SEXT
		   : to == 64				? PROBE_EXPR_ZEXT
							: PROBE_EXPR_TRUNC,
		   to, 0);
}

/* value * size + offset, added to the address. */
bool Walk::index(Value *value, int64_t size, int64_t offset, unsigned depth)
{
	auto *number = value ? dyn_cast<ConstantInt>(value) : nullptr;
	bool before = ids;

	if (number)
		offset += number->getSExtValue() * size;
	if (offset && (!constant(offset, 64) || !put(PROBE_EXPR_ADD, 64, -1)))
		return false;
	if (!value || number || !size)
		return true;
	if (!bits(value) || value->getType()->isIntegerTy(1) || !walk(value, depth + 1) ||
	    (bits(value) == 32 && !put(PROBE_EXPR_SEXT, 64, 0)) || !constant(size, 64) ||
	    !put(PROBE_EXPR_MUL, 64, -1) || !put(PROBE_EXPR_ADD, 64, -1))
		return false;
	ids |= before;
	return true;
}

bool Walk::address(GEPOperator *gep, unsigned depth)
{
	/* Of addresses of 32 bits only the lower half counts, in the end. */
	if ((bits(gep) != 64 && !exact) || !walk(gep->getPointerOperand(), depth + 1))
		return false;
	for (auto it = gep_type_begin(gep), end = gep_type_end(gep); it != end; ++it) {
		StructType *structure = it.getStructTypeOrNull();
		int64_t offset = 0, size = 0;

		if (structure)
			offset = (int64_t)in.layout.getStructLayout(structure)->getElementOffset(
				(unsigned)cast<ConstantInt>(it.getOperand())->getZExtValue());
		else
			size = (int64_t)in.layout.getTypeAllocSize(it.getIndexedType())
				       .getFixedValue();
		if (!index(structure ? nullptr : it.getOperand(), size, offset, depth))
			return false;
	}
	return true;
}

bool Walk::select(Value *condition, Value *first, Value *second, uint8_t bits, unsigned depth)
{
	if (!exact || !walk(condition, depth + 1) || !walk(first, depth + 1) ||
	    !walk(second, depth + 1))
		return false;
	ids = true;
	return put(PROBE_EXPR_SELECT, bits, -2);
}

/* ---- Where paths meet ----------------------------------------------------------------------- */

/*
 * The successor of `from` that a block is behind, and no other path leads to, or that the edge from
 * there leads to; NULL.
 */
static const BasicBlock *side_of(const analysis &in, const BasicBlock *from,
				 const BasicBlock *block, const BasicBlock *join)
{
	auto idom = [&](const BasicBlock *of) {
		auto *node = in.dominators.getNode(of);
		return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
	};

	if (block == from)
		return join;
	while (block && idom(block) != from)
		block = idom(block);
	return block && block->getSinglePredecessor() ? block : nullptr;
}

/*
 * Where the two sides of a branch meet, each lane has what came its way. `first`: is the first
 * value that of lanes which the branch sends to its first successor? No part of it may be in a
 * loop.
 */
static const BranchInst *branch_of(const analysis &in, const PHINode *phi, bool &first)
{
	const BasicBlock *join = phi->getParent(), *side[2];
	auto *node = in.dominators.getNode(join);
	auto *branch = node && node->getIDom()
			       ? dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator())
			       : nullptr;

	if (!branch || !branch->isConditional() || phi->getNumIncomingValues() != 2 ||
	    in.loops.getLoopFor(join) || in.loops.getLoopFor(branch->getParent()))
		return nullptr;
	for (unsigned i = 0; i < 2; i++)
		side[i] = side_of(in, branch->getParent(), phi->getIncomingBlock(i), join);
	first = side[0] == branch->getSuccessor(0);
	return side[0] && side[1] && side[0] != side[1] &&
			       side[!first] == branch->getSuccessor(0) &&
			       side[first] == branch->getSuccessor(1)
		       ? branch
		       : nullptr;
}

/* What was sunk into all paths that meet: whichever a lane came does not matter. */
static bool is_sunk(const PHINode *phi)
{
	for (const Value *value : phi->incoming_values()) {
		auto *inst = dyn_cast<Instruction>(value);
		auto *first = dyn_cast<Instruction>(phi->getIncomingValue(0));

		if (value != phi->getIncomingValue(0) &&
		    (!inst || !first || inst->mayReadOrWriteMemory() || isa<PHINode>(inst) ||
		     !inst->isIdenticalTo(first)))
			return false;
	}
	return true;
}

bool Walk::phi(PHINode *phi, unsigned depth)
{
	bool first;

	if (!exact)
		return false;
	ids = true;
	if (is_sunk(phi))
		return walk(phi->getIncomingValue(0), depth + 1);
	const BranchInst *branch = branch_of(in, phi, first);
	return branch && select(branch->getCondition(), phi->getIncomingValue(!first),
				phi->getIncomingValue(first), bits(phi), depth);
}

/* ---- The walk ------------------------------------------------------------------------------- */

bool Walk::operation(Value *value, unsigned depth)
{
	auto *op = dyn_cast<Operator>(value);
	Value *from;
	uint64_t right;

	if (!op)
		return false;
	/* The low half, extended and shifted up again. */
	if (match(op, m_Shr(m_Shl(m_Value(from), m_SpecificInt(32)), m_ConstantInt(right))) &&
	    right >= 1 && right <= 32)
		return bits(op) == 64 && walk(from, depth + 1) && put(PROBE_EXPR_TRUNC, 32, 0) &&
		       put(op->getOpcode() == Instruction::AShr ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT,
			   64, 0) &&
		       constant(32 - (int64_t)right, 64) && put(PROBE_EXPR_SHL, 64, -1);
	switch (op->getOpcode()) {
	case Instruction::Select:
		return select(op->getOperand(0), op->getOperand(1), op->getOperand(2), bits(op),
			      depth);
	case Instruction::PHI:
		return phi(cast<PHINode>(op), depth);
	case Instruction::ICmp:
		return isa<ICmpInst>(op) && compare(cast<ICmpInst>(op), depth);
	case Instruction::GetElementPtr:
		return address(cast<GEPOperator>(op), depth);
	case Instruction::ZExt:
	case Instruction::SExt:
	case Instruction::Trunc:
	case Instruction::BitCast:
	case Instruction::Freeze:
	case Instruction::IntToPtr:
	case Instruction::PtrToInt:
	case Instruction::AddrSpaceCast:
		return convert(op, depth);
	default:
		enum probe_expr_code code = code_of(op);
		return code != PROBE_EXPR_CODES && binary(op, code, depth);
	}
}

/* What is used by more than one is saved, unless putting it again is as short. */
bool Walk::save(const Value *value, unsigned before)
{
	struct probe_expr_op op = {};

	if (!saving || expr.ops < before + 3 || !value->hasNUsesOrMore(2) ||
	    saved.size() == PROBE_EXPR_NOTES || !value->getType()->isIntegerTy() ||
	    value->getType()->isIntegerTy(1))
		return true;
	op.index = (uint16_t)saved.size();
	saved.push_back(value);
	return put(PROBE_EXPR_KEEP, 64, 0, op);
}

bool Walk::walk(Value *value, unsigned depth)
{
	unsigned before = expr.ops;
	bool ret;

	ids = false;
	if (depth > DEPTH_MAX || !bits(value))
		return false;
	if (leaf(value, ret))
		return ret;
	return operation(value, depth) && save(value, before);
}

bool Walk::negate()
{
	return constant(1, 32) && put(PROBE_EXPR_XOR, 32, -1);
}

bool Walk::start_true()
{
	return constant(1, 32);
}

/* value == number, or value != number and what is on the stack. */
bool Walk::case_of(Value *value, Value *number, bool other)
{
	return walk(value) && walk(number) &&
	       put(other ? PROBE_EXPR_NE : PROBE_EXPR_EQ, bits(value), -1) &&
	       (!other || put(PROBE_EXPR_AND, 32, -1));
}

/* ---- Results -------------------------------------------------------------------------------- */

bool analysis_branch_expr(const struct analysis *in, LLVMValueRef branch, bool other,
			  struct launch_expr *ret)
{
	Walk walk(*in, *ret, true);

	return walk.walk(unwrap<BranchInst>(branch)->getCondition()) && (!other || walk.negate());
}

bool analysis_switch_expr(const struct analysis *in, LLVMValueRef value,
			  LLVMBasicBlockRef successor, struct launch_expr *ret)
{
	auto *inst = unwrap<SwitchInst>(value);
	bool other = inst->getDefaultDest() == unwrap(successor);
	Walk walk(*in, *ret, true);

	if (other && !walk.start_true())
		return false;
	for (auto &each : inst->cases())
		if ((other || each.getCaseSuccessor() == unwrap(successor)) &&
		    !walk.case_of(inst->getCondition(), each.getCaseValue(), other))
			return false;
	return true;
}

bool analysis_address_expr(const struct analysis *in, LLVMValueRef pointer, struct launch_expr *ret)
{
	return in->layout.getTypeSizeInBits(unwrap(pointer)->getType()) == 64 &&
	       Walk(*in, *ret, false).walk(unwrap(pointer));
}

bool analysis_lane_address_expr(const struct analysis *in, LLVMValueRef pointer,
				struct launch_expr *ret)
{
	const Value *base = unwrap(pointer);

	while (isa<GEPOperator>(base) || isa<BitCastOperator>(base))
		base = cast<Operator>(base)->getOperand(0);
	return Walk(*in, *ret, true, dyn_cast<GlobalVariable>(base), true).walk(unwrap(pointer));
}

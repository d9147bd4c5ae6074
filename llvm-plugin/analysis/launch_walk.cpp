/* SPDX-License-Identifier: MIT */
/*
 * Values that follow from the launch, as expressions that the host evaluates (struct
 * probe_expr_node): a walk over the operands of a value, or of a result of LLVM's ScalarEvolution,
 * adds a node for each.
 *
 * Tested addresses are needed modulo 128 only. The low seven bits of a sum, product or bitwise
 * operation depend on the operands' low seven bits only, so that ids of workgroups matter modulo
 * 128. Other operations are allowed on values that are the same in all waves. Conditions of
 * branches, and addresses per lane, are exact: there all operations are allowed, except that
 * addresses of variables are unknown.
 */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/launch_expr.h"
#include "llvm-plugin/analysis/launch_walk.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

/* ---- Nodes ---------------------------------------------------------------------------------- */

uint32_t Walk::node(enum probe_expr_code op, uint8_t bits, ArrayRef<uint32_t> operands,
		    int64_t value)
{
	struct probe_expr_node node = {};

	node.op = (uint8_t)op;
	node.bits = bits;
	node.value = value;
	for (size_t i = 0; i < operands.size(); i++) {
		if (operands[i] == PROBE_EXPR_NONE)
			return PROBE_EXPR_NONE;
		node.operand[i] = operands[i];
	}
	return ++nodes > NODES_MAX ? PROBE_EXPR_NONE : expr_add(&graph, &node);
}

uint32_t Walk::constant(int64_t value, uint8_t bits)
{
	return node(PROBE_EXPR_CONSTANT, bits, {}, value);
}

uint32_t Walk::id(enum probe_expr_code op, int axis)
{
	ids = true;
	return node(op, 32, {}, axis);
}

/* Integers of 8 and 16 bits are computed in 32 bits, of which the upper ones are zeros. */
static bool is_narrow(const Value *value)
{
	return value->getType()->isIntegerTy(8) || value->getType()->isIntegerTy(16);
}

/* 32 or 64, conditions and narrow integers count as 32; 0 = another width. */
uint8_t Walk::bits(const Value *value) const
{
	Type *type = value->getType();

	if (exact && (type->isIntegerTy(1) || is_narrow(value)))
		return 32;
	if (!type->isIntegerTy() && !type->isPointerTy())
		return 0;
	uint64_t width = in.layout.getTypeSizeInBits(type);
	return width == 32 || width == 64 ? (uint8_t)width : 0;
}

/* ---- Leaves --------------------------------------------------------------------------------- */

/*
 * May the address of a variable be replaced by 0? Only its alignment is known. The position of an
 * LDS variable does not matter (lane_addresses.c) if all lanes use the same variable.
 */
bool Walk::may_be_zero(const GlobalVariable *global)
{
	MaybeAlign align = global->getAlign();

	if (exact) {
		if (global != variable)
			return false;
		/* Only as the base of an address; elsewhere its value would matter. */
		variable = nullptr;
		if (global->getAddressSpace() == PROBE_SPACE_LDS)
			return true;
	}
	return align && *align >= 128;
}

/* One of less than 32 bits is within the dword that contains it, as the machine loads it. */
uint32_t Walk::argument(const Value *value, uint32_t offset)
{
	const uint64_t width = in.layout.getTypeSizeInBits(value->getType());
	const uint32_t within = width < 32 ? offset % 4 : 0;
	uint32_t ret;

	if (!bits(value) || 8 * within + width > bits(value) ||
	    offset - within + bits(value) / 8 > PROBE_ARGUMENTS_MAX)
		return PROBE_EXPR_NONE;
	ret = node(PROBE_EXPR_ARGUMENT, bits(value), {}, offset - within);
	if (within)
		ret = node(PROBE_EXPR_LSHR, 32, {ret, constant(8 * within, 32)});
	return width < 32 ? low_bits(ret, 32, width) : ret;
}

/* False: the value is not a leaf. */
bool Walk::leaf(Value *value, uint32_t &ret)
{
	LaunchValue launched;
	struct affine_stride size;
	auto *number = dyn_cast<ConstantInt>(value);
	auto *global = dyn_cast<GlobalVariable>(value);
	bool condition = value->getType()->isIntegerTy(1);

	ret = PROBE_EXPR_NONE;
	if (number) {
		ret = constant(condition || is_narrow(value) ? (int64_t)number->getZExtValue()
							     : number->getSExtValue(),
			       bits(value));
	} else if (launch_value(in, value, launched) && !launched.packet) {
		ret = argument(value, launched.offset);
	} else if (global) {
		if (may_be_zero(global))
			ret = constant(0, bits(value));
	} else if (item_axis(value) >= 0) {
		ret = id(PROBE_EXPR_ITEM, item_axis(value));
	} else if (group_axis(value) >= 0) {
		ret = id(PROBE_EXPR_GROUP, group_axis(value));
	} else if (value->getType()->isIntegerTy() && !condition &&
		   launch_size(in, in.evolution.getSCEV(value), size)) {
		/* A launch parameter, in any width: it is small and unsigned. */
		ret = node(PROBE_EXPR_PACKET, 64, {}, size.offset);
	} else if (groups_axis(in, value) >= 0) {
		uint32_t axis = (uint32_t)groups_axis(in, value);

		ret = node(PROBE_EXPR_UDIV, 64,
			   {node(PROBE_EXPR_PACKET, 64, {}, PACKET_GRID_SIZES + 4 * axis),
			    node(PROBE_EXPR_PACKET, 64, {}, PACKET_GROUP_SIZES + 2 * axis)});
	} else {
		return false;
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

static bool has_sign(enum probe_expr_code code)
{
	return code == PROBE_EXPR_SDIV || code == PROBE_EXPR_SREM || code == PROBE_EXPR_ASHR ||
	       code == PROBE_EXPR_SMIN || code == PROBE_EXPR_SMAX;
}

uint32_t Walk::binary(Operator *op, enum probe_expr_code code, unsigned depth)
{
	bool shifts = code == PROBE_EXPR_SHL || code == PROBE_EXPR_LSHR || code == PROBE_EXPR_ASHR;
	bool logic = op->getOpcode() == Instruction::And || op->getOpcode() == Instruction::Or ||
		     op->getOpcode() == Instruction::Xor;

	if ((op->getType()->isIntegerTy(1) && !logic) || (is_narrow(op) && has_sign(code)))
		return PROBE_EXPR_NONE;
	/* Shifting by an id could move higher bits into the low ones. */
	if (shifts && !exact && !isa<ConstantInt>(op->getOperand(1)))
		return PROBE_EXPR_NONE;
	uint32_t left = walk(op->getOperand(0), depth + 1);
	if (left == PROBE_EXPR_NONE)
		return left;
	bool before = ids;
	uint32_t right = walk(op->getOperand(1), depth + 1);
	ids |= before;
	if (code >= PROBE_EXPR_LSHR && ids && !exact)
		return PROBE_EXPR_NONE;
	uint32_t ret = node(code, bits(op), {left, right});
	return is_narrow(op) ? low_bits(ret, 32, op->getType()->getIntegerBitWidth()) : ret;
}

/* The lowest `width` bits of a number of `from` bits, in 32 bits. */
uint32_t Walk::low_bits(uint32_t number, uint64_t from, uint64_t width)
{
	if (from == 64)
		number = node(PROBE_EXPR_TRUNC, 32, {number});
	return width == 32 ? number
			   : node(PROBE_EXPR_AND, 32, {number, constant((1ll << width) - 1, 32)});
}

uint32_t Walk::compare(ICmpInst *compare, unsigned depth)
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

	if (!width || compare->getOperand(0)->getType()->isIntegerTy(1) ||
	    (is_narrow(compare->getOperand(0)) && compare->isSigned()))
		return PROBE_EXPR_NONE;
	uint32_t left = walk(compare->getOperand(turned), depth + 1);
	if (left == PROBE_EXPR_NONE)
		return left;
	return node(code, width, {left, walk(compare->getOperand(!turned), depth + 1)});
}

uint32_t Walk::convert(Operator *op, unsigned depth)
{
	Value *from = op->getOperand(0);
	uint8_t to = bits(op), had = bits(from);
	bool condition = from->getType()->isIntegerTy(1);
	uint32_t ret = had ? walk(from, depth + 1) : PROBE_EXPR_NONE;

	if ((is_narrow(op) || op->getType()->isIntegerTy(1)) && !condition)
		return low_bits(ret, had, op->getType()->getIntegerBitWidth());
	if (is_narrow(from) && op->getOpcode() == Instruction::SExt)
		return PROBE_EXPR_NONE;
	if (to == had || (condition && op->getOpcode() == Instruction::ZExt))
		return condition && op->getOpcode() == Instruction::SExt ? PROBE_EXPR_NONE : ret;
	if (condition || op->getType()->isIntegerTy(1))
		return PROBE_EXPR_NONE;
	return node(op->getOpcode() == Instruction::SExt ? PROBE_EXPR_SEXT
		    : to == 64				 ? PROBE_EXPR_ZEXT
							 : PROBE_EXPR_TRUNC,
		    to, {ret});
}

/* address + value * size + offset */
uint32_t Walk::index(uint32_t address, Value *value, int64_t size, int64_t offset, unsigned depth)
{
	auto *number = value ? dyn_cast<ConstantInt>(value) : nullptr;
	bool before = ids;

	if (number)
		offset += number->getSExtValue() * size;
	if (offset)
		address = node(PROBE_EXPR_ADD, 64, {address, constant(offset, 64)});
	if (!value || number || !size)
		return address;
	if (!bits(value) || value->getType()->isIntegerTy(1) || is_narrow(value))
		return PROBE_EXPR_NONE;
	uint32_t number_of = walk(value, depth + 1);
	if (bits(value) == 32)
		number_of = node(PROBE_EXPR_SEXT, 64, {number_of});
	ids |= before;
	return node(PROBE_EXPR_ADD, 64,
		    {address, node(PROBE_EXPR_MUL, 64, {number_of, constant(size, 64)})});
}

uint32_t Walk::address(GEPOperator *gep, unsigned depth)
{
	/* For addresses of 32 bits only the lower half matters in the end. */
	uint32_t ret = bits(gep) == 64 || exact ? walk(gep->getPointerOperand(), depth + 1)
						: PROBE_EXPR_NONE;

	for (auto it = gep_type_begin(gep), end = gep_type_end(gep);
	     it != end && ret != PROBE_EXPR_NONE; ++it) {
		StructType *structure = it.getStructTypeOrNull();
		int64_t offset = 0, size = 0;

		if (structure)
			offset = (int64_t)in.layout.getStructLayout(structure)->getElementOffset(
				(unsigned)cast<ConstantInt>(it.getOperand())->getZExtValue());
		else
			size = (int64_t)in.layout.getTypeAllocSize(it.getIndexedType())
				       .getFixedValue();
		ret = index(ret, structure ? nullptr : it.getOperand(), size, offset, depth);
	}
	return ret;
}

uint32_t Walk::select(Value *condition, Value *first, Value *second, uint8_t bits, unsigned depth)
{
	uint32_t which = exact ? walk(condition, depth + 1) : PROBE_EXPR_NONE, one;

	if (which == PROBE_EXPR_NONE || (one = walk(first, depth + 1)) == PROBE_EXPR_NONE)
		return PROBE_EXPR_NONE;
	uint32_t other = walk(second, depth + 1);
	ids = true;
	return node(PROBE_EXPR_SELECT, bits, {which, one, other});
}

/* ---- Where paths meet ----------------------------------------------------------------------- */

/* A value that changes by the same amount in each iteration. */
uint32_t Walk::walk_recurrence(PHINode *phi, unsigned depth)
{
	auto *expr = in.evolution.isSCEVable(phi->getType())
			     ? dyn_cast<SCEVAddRecExpr>(in.evolution.getSCEV(phi))
			     : nullptr;

	return expr ? walk(expr, depth + 1) : PROBE_EXPR_NONE;
}

uint32_t Walk::phi(PHINode *phi, unsigned depth)
{
	bool first;
	const BranchInst *branch;
	uint32_t ret;

	if (!exact)
		return PROBE_EXPR_NONE;
	if (in.loops.isLoopHeader(phi->getParent()))
		return walk_recurrence(phi, depth);
	if (is_sunk(phi)) {
		ret = walk(phi->getIncomingValue(0), depth + 1);
		ids = true;
		return ret;
	}
	branch = branch_of(in, phi, first);
	return branch ? select(branch->getCondition(), phi->getIncomingValue(!first),
			       phi->getIncomingValue(first), bits(phi), depth)
		      : PROBE_EXPR_NONE;
}

/* ---- The walk ------------------------------------------------------------------------------- */

uint32_t Walk::operation(Operator *op, unsigned depth)
{
	Value *from;
	uint64_t right;

	/* The low half, extended and shifted up again. */
	if (match(op, m_Shr(m_Shl(m_Value(from), m_SpecificInt(32)), m_ConstantInt(right))) &&
	    right >= 1 && right <= 32) {
		if (bits(op) != 64)
			return PROBE_EXPR_NONE;
		uint32_t low = node(PROBE_EXPR_TRUNC, 32, {walk(from, depth + 1)});
		bool signs = op->getOpcode() == Instruction::AShr;
		low = node(signs ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT, 64, {low});
		return node(PROBE_EXPR_SHL, 64, {low, constant(32 - (int64_t)right, 64)});
	}
	switch (op->getOpcode()) {
	case Instruction::Select:
		return select(op->getOperand(0), op->getOperand(1), op->getOperand(2), bits(op),
			      depth);
	case Instruction::PHI:
		return phi(cast<PHINode>(op), depth);
	case Instruction::ICmp:
		return isa<ICmpInst>(op) ? compare(cast<ICmpInst>(op), depth) : PROBE_EXPR_NONE;
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
	case Instruction::Or:
		/* LLVM turns such sums into it. */
		if (PROBE_NO_COMMON_BITS(op->getOperand(0), op->getOperand(1), in.layout))
			return binary(op, PROBE_EXPR_ADD, depth);
		return binary(op, PROBE_EXPR_OR, depth);
	default:
		if (exact && match(op, m_BitReverse(m_Value(from))))
			return is_narrow(op) ? PROBE_EXPR_NONE
					     : node(PROBE_EXPR_REVERSE, bits(op),
						    {walk(from, depth + 1)});
		enum probe_expr_code code = code_of(op);
		return code != PROBE_EXPR_CODES ? binary(op, code, depth) : PROBE_EXPR_NONE;
	}
}

bool Walk::was_visited(const void *value, uint32_t &ret)
{
	auto found = visited.find(value);

	ids = found != visited.end() && found->second.second;
	if (found != visited.end())
		ret = found->second.first;
	return found != visited.end();
}

/* `before`: the variable before the walk. With a second use, its value would matter. */
void Walk::remember(const void *value, const GlobalVariable *before, uint32_t ret)
{
	if (variable == before)
		visited[value] = {ret, ids};
}

uint32_t Walk::walk(Value *value, unsigned depth)
{
	auto *op = dyn_cast<Operator>(value);
	const GlobalVariable *before = variable;
	uint32_t ret;

	if (was_visited(value, ret))
		return ret;
	if (depth > DEPTH_MAX || nodes > NODES_MAX || !bits(value))
		return PROBE_EXPR_NONE;
	if (leaf(value, ret) || !op)
		return ret;
	ret = operation(op, depth);
	remember(value, before, ret);
	return ret;
}

/* ---- Results of LLVM's ScalarEvolution ------------------------------------------------------ */

uint32_t Walk::extend(uint32_t number)
{
	return node(PROBE_EXPR_ZEXT, 64, {number});
}

uint32_t Walk::extension(const SCEVIntegralCastExpr *expr, unsigned depth)
{
	uint64_t to = in.evolution.getTypeSizeInBits(expr->getType()),
		 from = in.evolution.getTypeSizeInBits(expr->getOperand()->getType());
	struct affine_stride size;

	/* A launch parameter, in any width. */
	if (isa<SCEVZeroExtendExpr>(expr) && to >= 32 && launch_size(in, expr, size)) {
		ids = false;
		return node(PROBE_EXPR_PACKET, 64, {}, size.offset);
	}
	uint32_t operand = walk(expr->getOperand(), depth + 1);
	if (isa<SCEVTruncateExpr>(expr))
		return low_bits(operand, from, to);
	if (isa<SCEVSignExtendExpr>(expr))
		return from == 32 ? node(PROBE_EXPR_SEXT, (uint8_t)to, {operand}) : PROBE_EXPR_NONE;
	return to == 64 ? extend(operand) : operand;
}

/* Of the node that computes it: 64, or 32, also for narrow numbers. */
static uint8_t node_bits(const analysis &in, const SCEV *expr)
{
	return in.evolution.getTypeSizeInBits(expr->getType()) == 64 ? 64 : 32;
}

/* start + step * the number of complete iterations */
uint32_t Walk::recurrence(const SCEVAddRecExpr *expr, unsigned depth)
{
	uint8_t width = node_bits(in, expr);
	const Loop *loop = expr->getLoop();

	if (!exact || !expr->isAffine() || !block || !loop->contains(block) ||
	    !few_iterations(in, *loop))
		return PROBE_EXPR_NONE;
	uint32_t iteration = node(PROBE_EXPR_ITERATION, 64, {}, loop->getLoopDepth() - 1);
	uint32_t start = walk(expr->getStart(), depth + 1);
	uint32_t step = walk(expr->getStepRecurrence(in.evolution), depth + 1);
	ids = true;
	return node(PROBE_EXPR_ADD, width, {start, node(PROBE_EXPR_MUL, width, {step, iteration})});
}

static enum probe_expr_code code_of(const SCEV *expr)
{
	switch (expr->getSCEVType()) {
	case scAddExpr:
		return PROBE_EXPR_ADD;
	case scMulExpr:
		return PROBE_EXPR_MUL;
	case scUMaxExpr:
		return PROBE_EXPR_UMAX;
	case scSMaxExpr:
		return PROBE_EXPR_SMAX;
	case scUMinExpr:
		return PROBE_EXPR_UMIN;
	case scSMinExpr:
		return PROBE_EXPR_SMIN;
	default:
		return PROBE_EXPR_CODES;
	}
}

uint32_t Walk::operands(const SCEVNAryExpr *expr, unsigned depth)
{
	bool narrow = in.evolution.getTypeSizeInBits(expr->getType()) < 32;
	enum probe_expr_code code = code_of(expr);
	uint32_t ret = PROBE_EXPR_NONE;
	bool any = false;

	/* Narrow numbers have no sign. */
	if (code == PROBE_EXPR_CODES ||
	    (narrow && (code == PROBE_EXPR_SMIN || code == PROBE_EXPR_SMAX)))
		return ret;
	/* Operands may be identical: n * n. */
	for (unsigned i = 0; i < (unsigned)expr->getNumOperands(); i++) {
		uint32_t one = walk(expr->getOperand(i), depth + 1);

		if (one == PROBE_EXPR_NONE)
			return one;
		any |= ids;
		ret = i ? node(code, node_bits(in, expr), {ret, one}) : one;
	}
	ids = any;
	return ret;
}

uint32_t Walk::quotient(const SCEVUDivExpr *expr, unsigned depth)
{
	uint32_t left = walk(expr->getLHS(), depth + 1);
	bool before = ids;
	uint32_t right = walk(expr->getRHS(), depth + 1);

	ids |= before;
	return node(PROBE_EXPR_UDIV, node_bits(in, expr), {left, right});
}

uint32_t Walk::operation(const SCEV *expr, unsigned depth)
{
	switch (expr->getSCEVType()) {
	case scUnknown:
		return walk(cast<SCEVUnknown>(expr)->getValue(), depth + 1);
	case scPtrToInt:
		return walk(cast<SCEVPtrToIntExpr>(expr)->getOperand(), depth + 1);
	case scTruncate:
	case scZeroExtend:
	case scSignExtend:
		return extension(cast<SCEVIntegralCastExpr>(expr), depth);
	case scAddRecExpr:
		return recurrence(cast<SCEVAddRecExpr>(expr), depth);
	case scUDivExpr:
		return quotient(cast<SCEVUDivExpr>(expr), depth);
	default:
		return operands(cast<SCEVNAryExpr>(expr), depth);
	}
}

uint32_t Walk::walk(const SCEV *expr, unsigned depth)
{
	uint64_t width = in.evolution.getTypeSizeInBits(expr->getType());
	auto *number = dyn_cast<SCEVConstant>(expr);
	const GlobalVariable *before = variable;
	bool narrow = width < 32;
	uint32_t ret;

	if (was_visited(expr, ret))
		return ret;
	if (depth > DEPTH_MAX || nodes > NODES_MAX || (width != 32 && width != 64 && !narrow))
		return PROBE_EXPR_NONE;
	if (number)
		return narrow ? constant((int64_t)number->getAPInt().getZExtValue(), 32)
			      : constant(number->getAPInt().getSExtValue(), (uint8_t)width);
	ret = operation(expr, depth);
	if (narrow)
		ret = low_bits(ret, 32, width);
	remember(expr, before, ret);
	return ret;
}

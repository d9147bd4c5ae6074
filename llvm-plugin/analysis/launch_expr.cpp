/* SPDX-License-Identifier: MIT */
/*
 * Values that follow from the launch, as expressions that the host evaluates (struct
 * probe_expr_node): a walk over the operands adds a node for each value.
 *
 * Tested addresses are needed modulo 128 only. The low seven bits of a sum, product or bitwise
 * operation depend on the operands' low seven bits only, so that ids of workgroups matter modulo
 * 128. Other operations are allowed on values that are the same in all waves. Conditions of
 * branches, and addresses per lane, are exact: there all operations are allowed, except that
 * addresses of variables are unknown.
 */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/launch_expr.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

enum { DEPTH_MAX = 32, NODES_MAX = 120 };

namespace
{
/*
 * Functions return the node of a value; PROBE_EXPR_NONE: the value does not follow from the launch.
 */
class Walk
{
	const analysis &in;
	struct expr_graph &graph;
	const bool exact;
	bool ids = false; /* does the last value depend on ids? */
	unsigned nodes = 0;
	const GlobalVariable *variable; /* the variable that all lanes' addresses are relative to */
	/* Values that were visited, and whether they are made of ids. */
	DenseMap<const Value *, std::pair<uint32_t, bool>> visited;

	uint32_t node(enum probe_expr_code op, uint8_t bits, ArrayRef<uint32_t> operands,
		      int64_t value = 0);
	uint32_t constant(int64_t value, uint8_t bits);
	uint32_t id(enum probe_expr_code op, int axis);
	uint8_t bits(const Value *value) const;
	bool may_be_zero(const GlobalVariable *global);
	bool leaf(Value *value, uint32_t &ret);
	uint32_t operation(Operator *op, unsigned depth);
	uint32_t binary(Operator *op, enum probe_expr_code code, unsigned depth);
	uint32_t compare(ICmpInst *compare, unsigned depth);
	uint32_t convert(Operator *op, unsigned depth);
	uint32_t index(uint32_t address, Value *value, int64_t size, int64_t offset,
		       unsigned depth);
	uint32_t address(GEPOperator *gep, unsigned depth);
	uint32_t phi(PHINode *phi, unsigned depth);
	uint32_t low_bits(const SCEVIntegralCastExpr *expr, unsigned depth);
	uint32_t extension(const SCEVIntegralCastExpr *expr, unsigned depth);
	uint32_t operands(const SCEVNAryExpr *expr, enum probe_expr_code code, unsigned depth);
	uint32_t select(Value *condition, Value *first, Value *second, uint8_t bits,
			unsigned depth);

      public:
	Walk(const analysis &of, struct expr_graph &to, bool is_exact,
	     const GlobalVariable *from = nullptr)
	    : in(of), graph(to), exact(is_exact), variable(from)
	{
	}
	/* A condition is 1 or 0. */
	uint32_t walk(Value *value, unsigned depth = 0);
	/* The value of an expression outside of loops; widths are 32 or 64. */
	uint32_t walk(const SCEV *expr, unsigned depth = 0);
	uint32_t extend(uint32_t number); /* 32 to 64 bits */
	/* How often `less` is true of first, first + step, first + 2 * step ... and `end`. */
	uint32_t steps(enum probe_expr_code less, const SCEV *first, const SCEV *step,
		       const SCEV *end);
	/* `value`, if start + step * times fits into 32 bits; else there is no value. */
	uint32_t unless_overflow(uint32_t value, uint32_t start, uint32_t step, uint32_t times,
				 bool has_sign);
	uint32_t negate(uint32_t condition);
	uint32_t case_of(SwitchInst *inst, Value *number, bool other, uint32_t others);
};
} // namespace

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
		ret = constant(condition ? (int64_t)number->getZExtValue() : number->getSExtValue(),
			       bits(value));
	} else if (launch_value(in, value, launched) && !launched.packet) {
		if (launched.offset + launched.bits / 8 <= PROBE_ARGUMENTS_MAX)
			ret = node(PROBE_EXPR_ARGUMENT, bits(value), {}, launched.offset);
	} else if (global) {
		if (may_be_zero(global))
			ret = constant(0, bits(value));
	} else if (item_axis(value) >= 0) {
		ret = id(PROBE_EXPR_ITEM, item_axis(value));
	} else if (group_axis(value) >= 0) {
		ret = id(PROBE_EXPR_GROUP, group_axis(value));
	} else if (value->getType()->isIntegerTy() && !condition &&
		   launch_factor(in, in.evolution.getSCEV(value), size) && size.factor == 1 &&
		   !size.constant && size.bits & PROBE_STRIDE_LAUNCH) {
		/* A launch parameter, in any width: it is small and unsigned. */
		ret = node(PROBE_EXPR_PACKET, 64, {}, size.offset);
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

uint32_t Walk::binary(Operator *op, enum probe_expr_code code, unsigned depth)
{
	bool shifts = code == PROBE_EXPR_SHL || code == PROBE_EXPR_LSHR || code == PROBE_EXPR_ASHR;
	bool logic = code == PROBE_EXPR_AND || code == PROBE_EXPR_OR || code == PROBE_EXPR_XOR;

	if (op->getType()->isIntegerTy(1) && !logic)
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
	return node(code, bits(op), {left, right});
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

	if (!width || compare->getOperand(0)->getType()->isIntegerTy(1))
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
	if (!bits(value) || value->getType()->isIntegerTy(1))
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

/*
 * The successor of `from` through which all paths to `block` lead, or `join` if `block` is `from`;
 * NULL if there is none.
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
 * The branch that decides which value a phi has in a lane; NULL if there is none or a loop is
 * involved. `first`: does the phi's first value come from the branch's first successor?
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

/* Are all incoming values identical, because an instruction was sunk into all paths? */
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

uint32_t Walk::phi(PHINode *phi, unsigned depth)
{
	bool first;
	const BranchInst *branch;
	uint32_t ret;

	if (!exact)
		return PROBE_EXPR_NONE;
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
	default:
		enum probe_expr_code code = code_of(op);
		return code != PROBE_EXPR_CODES ? binary(op, code, depth) : PROBE_EXPR_NONE;
	}
}

uint32_t Walk::walk(Value *value, unsigned depth)
{
	auto *op = dyn_cast<Operator>(value);
	auto found = visited.find(value);
	const GlobalVariable *before = variable;
	uint32_t ret;

	ids = false;
	if (found != visited.end()) {
		ids = found->second.second;
		return found->second.first;
	}
	if (depth > DEPTH_MAX || nodes > NODES_MAX || !bits(value))
		return PROBE_EXPR_NONE;
	if (leaf(value, ret) || !op)
		return ret;
	ret = operation(op, depth);
	/* With a second use, the variable's value would matter. */
	if (variable == before)
		visited[value] = {ret, ids};
	return ret;
}

/* ---- Results of LLVM's ScalarEvolution ------------------------------------------------------ */

/* Some low bits, extended by zeros. */
uint32_t Walk::low_bits(const SCEVIntegralCastExpr *expr, unsigned depth)
{
	auto *narrow = dyn_cast<SCEVTruncateExpr>(expr->getOperand());
	auto to = (uint8_t)in.evolution.getTypeSizeInBits(expr->getType());

	if (!narrow || !isa<SCEVZeroExtendExpr>(expr))
		return PROBE_EXPR_NONE;
	auto from = (uint8_t)in.evolution.getTypeSizeInBits(narrow->getOperand()->getType());
	uint64_t mask = (1ull << in.evolution.getTypeSizeInBits(narrow->getType())) - 1;
	uint32_t ret = node(PROBE_EXPR_AND, from,
			    {walk(narrow->getOperand(), depth + 1), constant((int64_t)mask, from)});
	return from == to ? ret : node(to == 64 ? PROBE_EXPR_ZEXT : PROBE_EXPR_TRUNC, to, {ret});
}

uint32_t Walk::extension(const SCEVIntegralCastExpr *expr, unsigned depth)
{
	uint64_t to = in.evolution.getTypeSizeInBits(expr->getType()),
		 from = in.evolution.getTypeSizeInBits(expr->getOperand()->getType());
	struct affine_stride size;

	/* A launch parameter, in any width. */
	if (isa<SCEVZeroExtendExpr>(expr) && launch_factor(in, expr, size) && size.factor == 1 &&
	    !size.constant && size.bits & PROBE_STRIDE_LAUNCH) {
		ids = false;
		return node(PROBE_EXPR_PACKET, 64, {}, size.offset);
	}
	if (from != 32 && from != 64)
		return low_bits(expr, depth);
	return node(isa<SCEVSignExtendExpr>(expr) ? PROBE_EXPR_SEXT
		    : to == 64			  ? PROBE_EXPR_ZEXT
						  : PROBE_EXPR_TRUNC,
		    (uint8_t)to, {walk(expr->getOperand(), depth + 1)});
}

uint32_t Walk::operands(const SCEVNAryExpr *expr, enum probe_expr_code code, unsigned depth)
{
	auto width = (uint8_t)in.evolution.getTypeSizeInBits(expr->getType());
	uint32_t ret = PROBE_EXPR_NONE;
	bool any = false;

	for (const SCEV *part : expr->operands()) {
		uint32_t one = walk(part, depth + 1);

		if (one == PROBE_EXPR_NONE)
			return one;
		any |= ids;
		ret = part == expr->getOperand(0) ? one : node(code, width, {ret, one});
	}
	ids = any;
	return ret;
}

uint32_t Walk::walk(const SCEV *expr, unsigned depth)
{
	uint64_t width = in.evolution.getTypeSizeInBits(expr->getType());

	ids = false;
	if (depth > DEPTH_MAX || nodes > NODES_MAX || (width != 32 && width != 64))
		return PROBE_EXPR_NONE;
	switch (expr->getSCEVType()) {
	case scConstant:
		return constant(cast<SCEVConstant>(expr)->getAPInt().getSExtValue(),
				(uint8_t)width);
	case scUnknown:
		return walk(cast<SCEVUnknown>(expr)->getValue(), depth + 1);
	case scPtrToInt:
		return walk(cast<SCEVPtrToIntExpr>(expr)->getOperand(), depth + 1);
	case scTruncate:
	case scZeroExtend:
	case scSignExtend:
		return extension(cast<SCEVIntegralCastExpr>(expr), depth);
	case scAddExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_ADD, depth);
	case scMulExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_MUL, depth);
	case scUMaxExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_UMAX, depth);
	case scSMaxExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_SMAX, depth);
	case scUMinExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_UMIN, depth);
	case scSMinExpr:
		return operands(cast<SCEVNAryExpr>(expr), PROBE_EXPR_SMIN, depth);
	case scUDivExpr: {
		uint32_t left = walk(cast<SCEVUDivExpr>(expr)->getLHS(), depth + 1);
		bool before = ids;
		uint32_t right = walk(cast<SCEVUDivExpr>(expr)->getRHS(), depth + 1);

		ids |= before;
		return node(PROBE_EXPR_UDIV, (uint8_t)width, {left, right});
	}
	default:
		return PROBE_EXPR_NONE;
	}
}

uint32_t Walk::extend(uint32_t number)
{
	return node(PROBE_EXPR_ZEXT, 64, {number});
}

/*
 * first < end ? (end - first - 1) / step + 1 : 0. There is no value if the step is not positive, or
 * if the sum could overflow before it reaches `end`.
 */
uint32_t Walk::steps(enum probe_expr_code less, const SCEV *first, const SCEV *step,
		     const SCEV *end)
{
	auto width = (uint8_t)in.evolution.getTypeSizeInBits(first->getType());
	bool has_sign = less == PROBE_EXPR_SLT;
	uint64_t most = UINT64_MAX >> (64 - width) >> has_sign;
	uint32_t one = constant(1, width), zero = constant(0, width);
	uint32_t from = walk(first), to = walk(end), by = walk(step);
	uint32_t last = node(PROBE_EXPR_SUB, width, {to, one});
	uint32_t fits =
		node(has_sign ? PROBE_EXPR_SLE : PROBE_EXPR_ULE, width,
		     {last, node(PROBE_EXPR_SUB, width, {constant((int64_t)most, width), by})});
	uint32_t divisor = node(PROBE_EXPR_SELECT, width,
				{fits, node(PROBE_EXPR_SMAX, width, {by, zero}), zero});
	uint32_t times =
		node(PROBE_EXPR_UDIV, width, {node(PROBE_EXPR_SUB, width, {last, from}), divisor});

	return node(
		PROBE_EXPR_SELECT, width,
		{node(less, width, {from, to}), node(PROBE_EXPR_ADD, width, {times, one}), zero});
}

uint32_t Walk::unless_overflow(uint32_t value, uint32_t start, uint32_t step, uint32_t times,
			       bool has_sign)
{
	enum probe_expr_code extend = has_sign ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT;
	uint32_t moved = node(PROBE_EXPR_MUL, 64, {node(PROBE_EXPR_SEXT, 64, {step}), times});
	uint32_t last = node(PROBE_EXPR_ADD, 64, {node(extend, 64, {start}), moved});
	uint32_t low = node(extend, 64, {node(PROBE_EXPR_TRUNC, 32, {last})});
	uint32_t few = node(PROBE_EXPR_ULT, 64, {times, constant(1ll << 32, 64)});
	uint32_t fits = node(PROBE_EXPR_AND, 32, {node(PROBE_EXPR_EQ, 64, {last, low}), few});

	return node(PROBE_EXPR_SELECT, 64,
		    {fits, value, node(PROBE_EXPR_UDIV, 64, {value, constant(0, 64)})});
}

uint32_t Walk::negate(uint32_t condition)
{
	return node(PROBE_EXPR_XOR, 32, {condition, constant(1, 32)});
}

/* condition == number, or `others` and condition != number. */
uint32_t Walk::case_of(SwitchInst *inst, Value *number, bool other, uint32_t others)
{
	uint32_t value = walk(inst->getCondition()), with = walk(number);
	uint8_t width = bits(inst->getCondition());

	if (!other)
		return node(PROBE_EXPR_EQ, width, {value, with});
	return node(PROBE_EXPR_AND, 32, {others, node(PROBE_EXPR_NE, width, {value, with})});
}

/* ---- Results -------------------------------------------------------------------------------- */

/* Remove the nodes of a failed walk. */
static uint32_t finish(struct expr_graph *graph, uint32_t before, uint32_t root)
{
	if (root == PROBE_EXPR_NONE)
		expr_truncate(graph, before);
	return root;
}

uint32_t analysis_branch_expr(const struct analysis *in, LLVMValueRef branch, bool other,
			      struct expr_graph *graph)
{
	uint32_t before = graph->count;
	Walk walk(*in, *graph, true);
	uint32_t ret = walk.walk(unwrap<BranchInst>(branch)->getCondition());

	return finish(graph, before, other ? walk.negate(ret) : ret);
}

uint32_t analysis_switch_expr(const struct analysis *in, LLVMValueRef value,
			      LLVMBasicBlockRef successor, struct expr_graph *graph)
{
	auto *inst = unwrap<SwitchInst>(value);
	bool other = inst->getDefaultDest() == unwrap(successor);
	uint32_t before = graph->count;
	Walk walk(*in, *graph, true);
	uint32_t ret = PROBE_EXPR_NONE;

	if (other)
		ret = walk.walk(ConstantInt::getTrue(inst->getContext()));
	for (auto &each : inst->cases())
		if (other || each.getCaseSuccessor() == unwrap(successor))
			ret = walk.case_of(inst, each.getCaseValue(), other, ret);
	return finish(graph, before, ret);
}

uint32_t analysis_address_expr(const struct analysis *in, LLVMValueRef pointer,
			       struct expr_graph *graph)
{
	uint32_t before = graph->count;

	if (in->layout.getTypeSizeInBits(unwrap(pointer)->getType()) != 64)
		return PROBE_EXPR_NONE;
	return finish(graph, before, Walk(*in, *graph, false).walk(unwrap(pointer)));
}

/*
 * A loop that continues while a sum is less than a number, in steps that LLVM does not know to be
 * positive.
 */
static uint32_t count_steps(const analysis &in, const Loop *loop, Walk &walk)
{
	auto *branch = dyn_cast<BranchInst>(loop->getLoopLatch()->getTerminator());
	auto *compare = branch && branch->isConditional()
				? dyn_cast<ICmpInst>(branch->getCondition())
				: nullptr;
	uint64_t width;

	if (!compare)
		return PROBE_EXPR_NONE;
	CmpInst::Predicate less = branch->getSuccessor(0) == loop->getHeader()
					  ? compare->getPredicate()
					  : compare->getInversePredicate();
	bool turned = less == CmpInst::ICMP_SGT || less == CmpInst::ICMP_UGT;
	if (turned)
		less = CmpInst::getSwappedPredicate(less);
	const SCEV *left = in.evolution.getSCEV(compare->getOperand(turned));
	const SCEV *end = in.evolution.getSCEV(compare->getOperand(!turned));
	auto *sum = dyn_cast<SCEVAddRecExpr>(left);
	if ((less != CmpInst::ICMP_SLT && less != CmpInst::ICMP_ULT) || !sum ||
	    sum->getLoop() != loop || !sum->isAffine() || !in.evolution.isLoopInvariant(end, loop))
		return PROBE_EXPR_NONE;
	width = in.evolution.getTypeSizeInBits(sum->getType());
	uint32_t ret =
		width == 32 || width == 64
			? walk.steps(less == CmpInst::ICMP_SLT ? PROBE_EXPR_SLT : PROBE_EXPR_ULT,
				     sum->getStart(), sum->getStepRecurrence(in.evolution), end)
			: PROBE_EXPR_NONE;
	return width == 32 ? walk.extend(ret) : ret;
}

uint32_t analysis_repeats_expr(const struct analysis *in, LLVMBasicBlockRef header,
			       struct expr_graph *graph)
{
	const SCEV *count =
		in->evolution.getBackedgeTakenCount(in->loops.getLoopFor(unwrap(header)));
	uint32_t before = graph->count, ret;
	Walk walk(*in, *graph, true);

	if (isa<SCEVCouldNotCompute>(count))
		return finish(graph, before,
			      count_steps(*in, in->loops.getLoopFor(unwrap(header)), walk));
	ret = walk.walk(count);
	if (in->evolution.getTypeSizeInBits(count->getType()) == 32)
		ret = walk.extend(ret);
	return finish(graph, before, ret);
}

namespace
{
/* start + step * iteration, unless a part overflows. */
struct Progress {
	const SCEV *start, *step;
	/* 32-bit recurrences that are extended; they must not overflow before the loop ends. */
	SmallVector<const SCEVIntegralCastExpr *, 2> narrow;
};
} // namespace

static bool progress(const analysis &in, const SCEV *expr, const Loop *loop, Progress &ret);

/* Of a sum or a product, in which one factor changes. */
static bool progress_of_parts(const analysis &in, const SCEVNAryExpr *expr, const Loop *loop,
			      Progress &ret)
{
	bool sums = isa<SCEVAddExpr>(expr);
	SmallVector<const SCEV *, 4> starts, steps;
	unsigned changing = 0;

	for (const SCEV *part : expr->operands()) {
		Progress one = {};

		if (!progress(in, part, loop, one))
			return false;
		changing += !one.step->isZero();
		starts.push_back(one.start);
		steps.push_back(sums || !one.step->isZero() ? one.step : one.start);
		ret.narrow.append(one.narrow);
	}
	if (!sums && changing != 1)
		return false;
	ret.start = sums ? in.evolution.getAddExpr(starts) : in.evolution.getMulExpr(starts);
	ret.step = sums ? in.evolution.getAddExpr(steps) : in.evolution.getMulExpr(steps);
	return true;
}

static bool progress(const analysis &in, const SCEV *expr, const Loop *loop, Progress &ret)
{
	auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr);
	auto *extension = dyn_cast<SCEVIntegralCastExpr>(expr);

	if (in.evolution.isLoopInvariant(expr, loop)) {
		ret.start = expr;
		ret.step = in.evolution.getZero(in.evolution.getEffectiveSCEVType(expr->getType()));
		return true;
	}
	if (isa<SCEVAddExpr>(expr) || isa<SCEVMulExpr>(expr))
		return progress_of_parts(in, cast<SCEVNAryExpr>(expr), loop, ret);
	if (extension && !isa<SCEVTruncateExpr>(expr))
		recurrence = dyn_cast<SCEVAddRecExpr>(extension->getOperand());
	if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine())
		return false;
	ret.start = recurrence->getStart();
	ret.step = recurrence->getStepRecurrence(in.evolution);
	if (extension) {
		if (in.evolution.getTypeSizeInBits(recurrence->getType()) != 32 ||
		    in.evolution.getTypeSizeInBits(expr->getType()) != 64)
			return false;
		ret.start = isa<SCEVSignExtendExpr>(expr)
				    ? in.evolution.getSignExtendExpr(ret.start, expr->getType())
				    : in.evolution.getZeroExtendExpr(ret.start, expr->getType());
		ret.step = in.evolution.getSignExtendExpr(ret.step, expr->getType());
		ret.narrow.push_back(extension);
	}
	return in.evolution.isLoopInvariant(ret.step, loop);
}

static const GlobalVariable *variable_of(const Value *base)
{
	while (isa<GEPOperator>(base) || isa<BitCastOperator>(base))
		base = cast<Operator>(base)->getOperand(0);
	return dyn_cast<GlobalVariable>(base);
}

/* Does a value differ between the lanes of a wave? */
static bool has_items(const struct expr_graph *graph, uint32_t root)
{
	SmallVector<uint32_t, 16> work = {root};
	DenseSet<uint32_t> seen;

	while (!work.empty()) {
		const struct probe_expr_node *node = &graph->node[work.pop_back_val()];

		if (node->op == PROBE_EXPR_ITEM)
			return true;
		for (unsigned i = 0; i < expr_operands(node->op); i++)
			if (seen.insert(node->operand[i]).second)
				work.push_back(node->operand[i]);
	}
	return false;
}

uint32_t analysis_loop_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    LLVMBasicBlockRef header, struct expr_graph *graph,
				    uint32_t *ret_step)
{
	uint32_t before = graph->count, ret;
	Progress address = {};
	Walk walk(*in, *graph, true, variable_of(unwrap(pointer)));

	if (!progress(*in, address_expr(*in, unwrap(pointer)), in->loops.getLoopFor(unwrap(header)),
		      address))
		return PROBE_EXPR_NONE;
	*ret_step = walk.walk(address.step);
	if (*ret_step == PROBE_EXPR_NONE || has_items(graph, *ret_step))
		return finish(graph, before, PROBE_EXPR_NONE);
	ret = walk.walk(address.start);
	for (const SCEVIntegralCastExpr *narrow : address.narrow) {
		auto *sum = cast<SCEVAddRecExpr>(narrow->getOperand());

		ret = walk.unless_overflow(ret, walk.walk(sum->getStart()),
					   walk.walk(sum->getStepRecurrence(in->evolution)),
					   analysis_repeats_expr(in, header, graph),
					   isa<SCEVSignExtendExpr>(narrow));
	}
	return finish(graph, before, ret);
}

uint32_t analysis_lane_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    struct expr_graph *graph)
{
	uint32_t before = graph->count;
	Walk walk(*in, *graph, true, variable_of(unwrap(pointer)));

	return finish(graph, before, walk.walk(unwrap(pointer)));
}

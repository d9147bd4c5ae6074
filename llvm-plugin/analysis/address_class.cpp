/* SPDX-License-Identifier: MIT */
/* How addresses depend on the lane; see address_class.h. */
#include "llvm-plugin/analysis/address_class.h"
#include "llvm-plugin/analysis/function.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <probe/user_source.h>

#include <cstdio>
#include <string>

using namespace llvm;

enum {
	VALUES_MAX = 256, /* limit of values visited per access, so that time is linear */
	DEPTH_MAX = 12,
	BLOCK_SIZE = 4, /* offsets of sizes in the dispatch packet */
	GRID_SIZE = 12,
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

	explicit address_classes(const analysis &of);
};

/* Takes names of arguments from debug information, because compilers often drop names of values. */
address_classes::address_classes(const analysis &of) : in(of)
{
	const DISubprogram *subprogram = in.function.getSubprogram();

	for (const Argument &argument : in.function.args())
		arguments.push_back(argument.getName().str());
	if (!subprogram)
		return;
	for (const DINode *node : subprogram->getRetainedNodes()) {
		auto *variable = dyn_cast<DILocalVariable>(node);
		unsigned number = variable ? variable->getArg() : 0;

		if (number && number <= arguments.size())
			arguments[number - 1] = variable->getName().str();
	}
}

/* ---- Where a value comes from --------------------------------------------------------------- */

namespace
{
/* The operations of a divergent value, up to loads from memory. */
struct Origin {
	const Instruction *load = nullptr; /* the first one found; rather one with a line */
	bool wraps = false;		   /* periodic, clamped or chosen */
	bool itself = false;		   /* `target` was found */
};

class Flow
{
	const analysis &in;
	const BasicBlock *block;
	SmallPtrSet<const Value *, 32> seen;

	void operands(const Instruction *inst, SmallVectorImpl<const Value *> &work) const;

      public:
	Flow(const analysis &of, const BasicBlock *at) : in(of), block(at)
	{
	}
	Origin trace(const Value *from, const Instruction *target, bool through_loads);
};
} // namespace

void Flow::operands(const Instruction *inst, SmallVectorImpl<const Value *> &work) const
{
	if (auto *load = dyn_cast<LoadInst>(inst)) {
		work.push_back(load->getPointerOperand());
		return;
	}
	for (const Value *operand : inst->operands())
		if (isa<Instruction>(operand))
			work.push_back(operand);
}

static bool has_line(const Instruction *inst)
{
	return inst->getDebugLoc() && inst->getDebugLoc().getLine();
}

static bool wraps_index(const Instruction *inst)
{
	auto *call = dyn_cast<IntrinsicInst>(inst);

	if (isa<SelectInst>(inst))
		return true;
	switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
	case Intrinsic::umin:
	case Intrinsic::umax:
	case Intrinsic::smin:
	case Intrinsic::smax:
		return true;
	default:
		return inst->getOpcode() == Instruction::URem ||
		       inst->getOpcode() == Instruction::SRem ||
		       inst->getOpcode() == Instruction::And;
	}
}

Origin Flow::trace(const Value *from, const Instruction *target, bool through_loads)
{
	SmallVector<const Value *, 16> work{from};
	Origin ret;

	while (!work.empty() && seen.size() < VALUES_MAX) {
		auto *inst = dyn_cast<Instruction>(work.pop_back_val());

		if (inst && inst == target)
			ret.itself = true;
		if (!inst || !seen.insert(inst).second || !in.varies(inst, block))
			continue;
		if (isa<LoadInst>(inst) || isa<AtomicRMWInst>(inst) ||
		    isa<AtomicCmpXchgInst>(inst)) {
			if (!ret.load || !has_line(ret.load))
				ret.load = inst;
			if (!through_loads)
				continue;
		}
		ret.wraps |= wraps_index(inst);
		operands(inst, work);
	}
	return ret;
}

/* ---- Places --------------------------------------------------------------------------------- */

/* The source location, outside of headers of HIP and the compiler if an inlined caller is. */
static std::string place_of(const Instruction *inst, bool whole)
{
	const DILocation *at = inst->getDebugLoc(), *best = at;

	for (; at; at = at->getInlinedAt())
		if (at->getLine() && probe_is_user_source(at->getFilename().str().c_str())) {
			best = at;
			break;
		}
	if (!best || !best->getLine())
		return "";
	std::string file = best->getFilename().str();
	size_t slash = file.find_last_of('/');

	if (!whole && slash != std::string::npos)
		file = file.substr(slash + 1);
	return file + ":" + std::to_string(best->getLine());
}

/* ---- Expressions for readers ---------------------------------------------------------------- */

namespace
{
class Printer
{
	const address_classes &classes;
	const analysis &in;
	ScalarEvolution &evolution;

	std::string join(const SCEVNAryExpr *expr, const char *between, unsigned depth);
	std::string call(const SCEVNAryExpr *expr, const char *name, unsigned depth);
	std::string sum(const SCEVAddExpr *expr, unsigned depth);
	std::string product(const SCEVMulExpr *expr, unsigned depth);
	std::string size(const SCEV *expr);
	std::string leaf(Value *value, unsigned depth);
	std::string operation(Instruction *inst, unsigned depth);
	std::string value(Value *value, unsigned depth)
	{
		return evolution.isSCEVable(value->getType())
			       ? text(evolution.getSCEV(value), depth + 1)
			       : "?";
	}

      public:
	explicit Printer(const address_classes &of)
	    : classes(of), in(of.in), evolution(of.in.evolution)
	{
	}
	std::string text(const SCEV *expr, unsigned depth = 0);
};
} // namespace

static std::string axis(const char *name, unsigned number)
{
	return std::string(name) + "." + (char)('x' + number);
}

/* A factor in a product: sums, which have a space outside of parentheses, need parentheses. */
static std::string factor(const std::string &text)
{
	int depth = 0;

	for (char c : text) {
		depth += (c == '(') - (c == ')');
		if (c == ' ' && !depth)
			return "(" + text + ")";
	}
	return text;
}

std::string Printer::join(const SCEVNAryExpr *expr, const char *between, unsigned depth)
{
	std::string ret;

	for (const SCEV *operand : expr->operands())
		ret += (ret.empty() ? "" : between) + factor(text(operand, depth + 1));
	return ret;
}

std::string Printer::call(const SCEVNAryExpr *expr, const char *name, unsigned depth)
{
	std::string ret;

	for (const SCEV *operand : expr->operands())
		ret += (ret.empty() ? "" : ", ") + text(operand, depth + 1);
	return std::string(name) + "(" + ret + ")";
}

/* A sum: the pointer first, the constant last. */
std::string Printer::sum(const SCEVAddExpr *expr, unsigned depth)
{
	std::string ret, constant;

	for (unsigned pass = 0; pass < 2; pass++)
		for (const SCEV *operand : expr->operands()) {
			auto *number = dyn_cast<SCEVConstant>(operand);
			bool pointer = operand->getType()->isPointerTy();

			if (pointer != (pass == 0))
				continue;
			std::string part = text(operand, depth + 1);
			bool negative = part[0] == '-';

			if (negative)
				part = part.substr(1);
			std::string &to = number ? constant : ret;
			to += (to.empty() && !number ? (negative ? "-" : "")
						     : (negative ? " - " : " + ")) +
			      part;
		}
	return ret + constant;
}

std::string Printer::product(const SCEVMulExpr *expr, unsigned depth)
{
	auto *constant = dyn_cast<SCEVConstant>(expr->getOperand(0));

	if (constant && constant->getAPInt().isAllOnes()) {
		SmallVector<const SCEV *, 4> rest(expr->operands().begin() + 1,
						  expr->operands().end());
		return "-" + factor(text(evolution.getMulExpr(rest), depth + 1));
	}
	return join(expr, "*", depth);
}

/* The name of a workgroup or grid size; "" = it is neither. */
std::string Printer::size(const SCEV *expr)
{
	struct affine_stride launch;

	if (!expr->getType()->isIntegerTy() || isa<SCEVConstant>(expr) ||
	    !launch_factor(in, expr, launch) || launch.factor != 1 || launch.constant ||
	    !(launch.bits & PROBE_STRIDE_LAUNCH))
		return "";
	return launch.offset < GRID_SIZE ? axis("blockDim", (launch.offset - BLOCK_SIZE) / 2)
					 : axis("gridDim", (launch.offset - GRID_SIZE) / 4) + "*" +
						   axis("blockDim", (launch.offset - GRID_SIZE) / 4);
}

static const char *symbol_of(const Instruction *inst)
{
	switch (inst->getOpcode()) {
	case Instruction::And:
		return " & ";
	case Instruction::Or:
		return " | ";
	case Instruction::Xor:
		return " ^ ";
	case Instruction::Shl:
		return " << ";
	case Instruction::LShr:
	case Instruction::AShr:
		return " >> ";
	case Instruction::URem:
	case Instruction::SRem:
		return " % ";
	case Instruction::UDiv:
	case Instruction::SDiv:
		return " / ";
	case Instruction::Add:
		return " + ";
	case Instruction::Sub:
		return " - ";
	case Instruction::Mul:
		return " * ";
	default:
		return nullptr;
	}
}

std::string Printer::operation(Instruction *inst, unsigned depth)
{
	const char *symbol = symbol_of(inst);

	if (symbol)
		return "(" + factor(value(inst->getOperand(0), depth)) + symbol +
		       factor(value(inst->getOperand(1), depth)) + ")";
	if (isa<FreezeInst>(inst) || isa<CastInst>(inst))
		return value(inst->getOperand(0), depth);
	/* An element of a vector: of what the vector comes from. */
	if (auto *element = dyn_cast<ExtractElementInst>(inst))
		return leaf(element->getVectorOperand(), depth + 1);
	if (auto *select = dyn_cast<SelectInst>(inst))
		return "(choice of " + value(select->getTrueValue(), depth) + " and " +
		       value(select->getFalseValue(), depth) + ")";
	if (isa<LoadInst>(inst) || isa<AtomicRMWInst>(inst)) {
		std::string place = place_of(inst, false);

		return place.empty() ? "(a loaded value)" : "(load at " + place + ")";
	}
	return isa<PHINode>(inst) ? "(a variable)" : "(a computed value)";
}

std::string Printer::leaf(Value *value, unsigned depth)
{
	auto *argument = dyn_cast<Argument>(value);
	auto *inst = dyn_cast<Instruction>(value);

	if (item_axis(value) >= 0)
		return axis("threadIdx", (unsigned)item_axis(value));
	if (group_axis(value) >= 0)
		return axis("blockIdx", (unsigned)group_axis(value));
	if (argument) {
		unsigned number = argument->getArgNo();
		std::string name =
			number < classes.arguments.size() ? classes.arguments[number] : "";
		size_t coerced = name.rfind(".coerce");

		if (coerced != std::string::npos)
			name = name.substr(0, coerced);
		return name.empty() ? "argument " + std::to_string(number) : name;
	}
	if (auto *global = dyn_cast<GlobalValue>(value)) {
		std::string name = demangle(global->getName().str());
		size_t scope = name.rfind("::");

		return scope == std::string::npos ? name : name.substr(scope + 2);
	}
	if (auto *cast = dyn_cast<ConstantExpr>(value))
		return leaf(cast->getOperand(0), depth);
	return inst && depth < DEPTH_MAX ? operation(inst, depth) : "(a computed value)";
}

std::string Printer::text(const SCEV *expr, unsigned depth)
{
	std::string known = size(expr);

	if (!known.empty())
		return known;
	if (depth > DEPTH_MAX)
		return "...";
	if (auto *number = dyn_cast<SCEVConstant>(expr))
		return std::to_string(number->getAPInt().getBitWidth() > 64
					      ? 0
					      : number->getAPInt().getSExtValue());
	if (auto *cast = dyn_cast<SCEVCastExpr>(expr))
		return text(cast->getOperand(), depth);
	if (auto *add = dyn_cast<SCEVAddExpr>(expr))
		return sum(add, depth);
	if (auto *mul = dyn_cast<SCEVMulExpr>(expr))
		return product(mul, depth);
	if (auto *divide = dyn_cast<SCEVUDivExpr>(expr))
		return "(" + text(divide->getLHS(), depth + 1) + " / " +
		       text(divide->getRHS(), depth + 1) + ")";
	if (auto *loop = dyn_cast<SCEVAddRecExpr>(expr))
		return text(loop->getStart(), depth + 1) + " + " +
		       factor(text(loop->getStepRecurrence(evolution), depth + 1)) + "*iteration";
	if (auto *many = dyn_cast<SCEVMinMaxExpr>(expr))
		return call(many,
			    isa<SCEVUMaxExpr>(many) || isa<SCEVSMaxExpr>(many) ? "max" : "min",
			    depth);
	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return leaf(unknown->getValue(), depth);
	return "(a computed value)";
}

/* ---- Classes -------------------------------------------------------------------------------- */

static bool is_member(const Value *pointer)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		auto *gep = dyn_cast<GEPOperator>(pointer);
		auto *cast = dyn_cast<BitCastOperator>(pointer);

		if (cast)
			pointer = cast->getOperand(0);
		if (!gep)
			return false;
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
		return !step || step->getAPInt().countTrailingZeros() < 7;
	});
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

static enum probe_address_class class_of(const analysis &in, const Instruction *inst,
					 const Value *pointer, const struct affine_address *proof,
					 const Instruction **ret_load)
{
	if (proof)
		return proved_class(proof);
	if (!in.varies(pointer, inst->getParent()))
		return PROBE_ADDRESS_UNIFORM;
	Origin origin = Flow(in, inst->getParent()).trace(pointer, nullptr, false);

	*ret_load = origin.load;
	if (!origin.load)
		return origin.wraps ? PROBE_ADDRESS_WRAPPED : PROBE_ADDRESS_COMPUTED;
	auto *load = dyn_cast<LoadInst>(origin.load);
	/* The access may load its own next index, also in one piece with what it is for. */
	if ((load && load->getType()->isPointerTy()) ||
	    Flow(in, inst->getParent()).trace(pointer, inst, true).itself ||
	    (load &&
	     Flow(in, inst->getParent()).trace(load->getPointerOperand(), load, true).itself))
		return PROBE_ADDRESS_CHASE;
	return PROBE_ADDRESS_GATHER;
}

/* Without its constant term, which is added to `constant`. */
static const SCEV *split(ScalarEvolution &evolution, const SCEV *expr, int64_t &constant)
{
	auto *sum = dyn_cast<SCEVAddExpr>(expr);
	auto *number = sum ? dyn_cast<SCEVConstant>(sum->getOperand(0)) : nullptr;

	if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr)) {
		SmallVector<const SCEV *, 4> operands(recurrence->operands());

		operands[0] = split(evolution, operands[0], constant);
		return evolution.getAddRecExpr(operands, recurrence->getLoop(), SCEV::FlagAnyWrap);
	}
	if (!number || number->getAPInt().getBitWidth() > 64)
		return expr;
	SmallVector<const SCEV *, 4> rest(sum->operands().begin() + 1, sum->operands().end());

	constant += number->getAPInt().getSExtValue();
	return evolution.getAddExpr(rest);
}

static void find_near(struct address_classes *classes, uint32_t number, const Instruction *inst,
		      const SCEV *expr, struct address_description *ret)
{
	int64_t constant = 0;
	const SCEV *rest = split(classes->in.evolution, expr, constant);
	auto found = classes->first.insert({{inst->getParent(), rest}, {number, constant}}).first;
	int64_t distance = constant - found->second.constant;

	ret->near_access = number;
	if (distance != (int32_t)distance)
		return;
	ret->near_access = found->second.number;
	ret->distance = (int32_t)distance;
}

struct address_classes *address_classes_create(const struct analysis *in)
{
	return new address_classes(*in);
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
	const Instruction *load = nullptr;
	const SCEV *expr = address_expr(in, pointer);

	*ret = {};
	ret->kind = class_of(in, inst, pointer, proof, &load);
	ret->flags = (is_member(pointer) ? PROBE_ADDRESS_MEMBER : 0) |
		     (is_guarded(in, inst->getParent()) ? PROBE_ADDRESS_GUARDED : 0) |
		     (moves(in, expr) ? PROBE_ADDRESS_MOVES : 0);
	std::string text = Printer(*classes).text(expr);
	/* A truncated expression would not help a reader. */
	snprintf(ret->text, sizeof(ret->text), "%s",
		 text.size() < ADDRESS_TEXT ? text.c_str() : "");
	if (load)
		snprintf(ret->source, sizeof(ret->source), "%s", place_of(load, true).c_str());
	find_near(classes, number, inst, expr, ret);
}

/* SPDX-License-Identifier: MIT */
/* Addresses as expressions for readers; see address_text.h. */
#include "llvm-plugin/analysis/address_text.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <probe/user_source.h>

using namespace llvm;

enum { DEPTH_MAX = 12 };

/* ---- Places --------------------------------------------------------------------------------- */

std::string place_of(const Instruction *inst, bool whole)
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
	const analysis &in;
	const std::vector<std::string> &arguments; /* by index; "" = unknown */
	ScalarEvolution &evolution;

	std::string join(const SCEVNAryExpr *expr, const char *between, unsigned depth);
	std::string call(const SCEVNAryExpr *expr, const char *name, unsigned depth);
	std::string groups(const SCEV *whole, const SCEV *rest);
	std::string sum(const SCEVAddExpr *expr, unsigned depth);
	std::string product(const SCEVMulExpr *expr, unsigned depth);
	std::string size(const SCEV *expr);
	std::string recurrence(const SCEVAddRecExpr *loop, unsigned depth);
	std::string leaf(Value *value, unsigned depth);
	std::string operation(Instruction *inst, unsigned depth);
	std::string value(Value *value, unsigned depth)
	{
		return evolution.isSCEVable(value->getType())
			       ? text(evolution.getSCEV(value), depth + 1)
			       : "(a computed value)";
	}

      public:
	Printer(const analysis &of, const std::vector<std::string> &names)
	    : in(of), arguments(names), evolution(of.evolution)
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

/*
 * HIP computes gridDim as the grid's size divided by the workgroup's, plus 1 if the product of the
 * quotient and the workgroup's size is smaller than the grid's. "" = the sum is not that.
 */
std::string Printer::groups(const SCEV *whole, const SCEV *rest)
{
	auto *divide = dyn_cast<SCEVUDivExpr>(whole);
	auto *cast = dyn_cast<SCEVCastExpr>(rest);
	auto *unknown = dyn_cast<SCEVUnknown>(cast ? cast->getOperand() : rest);
	Value *value = unknown ? unknown->getValue() : nullptr;
	auto *extended = dyn_cast_or_null<ZExtInst>(value);
	auto *compare = dyn_cast_or_null<ICmpInst>(extended ? extended->getOperand(0) : value);

	if (!divide || !compare)
		return "";
	std::string grid = text(divide->getLHS(), DEPTH_MAX), group = size(divide->getRHS());
	bool swapped = compare->getPredicate() == ICmpInst::ICMP_ULT;

	if (group.compare(0, 8, "blockDim") != 0 ||
	    grid != "gridDim" + group.substr(8) + "*" + group ||
	    (!swapped && compare->getPredicate() != ICmpInst::ICMP_UGT))
		return "";
	const SCEV *more = evolution.getSCEV(compare->getOperand(swapped));
	const SCEV *less = evolution.getSCEV(compare->getOperand(!swapped));
	const SCEV *product = evolution.getMulExpr(divide, divide->getRHS());

	return text(more, DEPTH_MAX) == grid && text(less) == text(product)
		       ? "gridDim" + group.substr(8)
		       : "";
}

/* A sum: the pointer first, the constant last. */
std::string Printer::sum(const SCEVAddExpr *expr, unsigned depth)
{
	SmallVector<const SCEV *, 4> operands(expr->operands());
	std::string ret, constant;

	for (unsigned i = 0; i < operands.size(); i++)
		for (unsigned k = 0; k < operands.size() && operands[i]; k++) {
			std::string known =
				i != k && operands[k] ? groups(operands[i], operands[k]) : "";

			if (known.empty())
				continue;
			ret += (ret.empty() ? "" : " + ") + known;
			operands[i] = operands[k] = nullptr;
		}
	for (unsigned pass = 0; pass < 2; pass++)
		for (const SCEV *operand : operands) {
			auto *number = dyn_cast_or_null<SCEVConstant>(operand);
			bool pointer = operand && operand->getType()->isPointerTy();

			if (!operand || pointer != (pass == 0))
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
	return launch.offset < PACKET_GRID_SIZES
		       ? axis("blockDim", (launch.offset - PACKET_GROUP_SIZES) / 2)
		       : axis("gridDim", (launch.offset - PACKET_GRID_SIZES) / 4) + "*" +
				 axis("blockDim", (launch.offset - PACKET_GRID_SIZES) / 4);
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
		const char *what = isa<LoadInst>(inst) ? "load" : "update";
		std::string place = place_of(inst, false);

		return place.empty() ? "(a loaded value)"
				     : std::string("(") + what + " at " + place + ")";
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
	if (groups_axis(in, value) >= 0)
		return axis("gridDim", (unsigned)groups_axis(in, value));
	if (argument) {
		unsigned number = argument->getArgNo();
		std::string name = number < arguments.size() ? arguments[number] : "";
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

std::string Printer::recurrence(const SCEVAddRecExpr *loop, unsigned depth)
{
	std::string start = text(loop->getStart(), depth + 1);
	std::string step = text(loop->getStepRecurrence(evolution), depth + 1);

	return (start == "0" ? "" : start + " + ") + (step == "1" ? "" : factor(step) + "*") +
	       "iteration";
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
	/* The low bits, where this is no conversion between types of indices. */
	if (auto *low = dyn_cast<SCEVTruncateExpr>(expr))
		if (evolution.getTypeSizeInBits(low->getType()) < 32)
			return "(" + factor(text(low->getOperand(), depth + 1)) + " % " +
			       std::to_string(1u << evolution.getTypeSizeInBits(low->getType())) +
			       ")";
	if (auto *cast = dyn_cast<SCEVCastExpr>(expr))
		return text(cast->getOperand(), depth);
	if (auto *add = dyn_cast<SCEVAddExpr>(expr))
		return sum(add, depth);
	if (auto *mul = dyn_cast<SCEVMulExpr>(expr))
		return product(mul, depth);
	if (auto *divide = dyn_cast<SCEVUDivExpr>(expr))
		return "(" + factor(text(divide->getLHS(), depth + 1)) + " / " +
		       factor(text(divide->getRHS(), depth + 1)) + ")";
	if (auto *loop = dyn_cast<SCEVAddRecExpr>(expr))
		return recurrence(loop, depth);
	if (auto *many = dyn_cast<SCEVMinMaxExpr>(expr))
		return call(many,
			    isa<SCEVUMaxExpr>(many) || isa<SCEVSMaxExpr>(many) ? "max" : "min",
			    depth);
	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return leaf(unknown->getValue(), depth);
	return "(a computed value)";
}

std::string address_text(const analysis &in, const std::vector<std::string> &arguments,
			 const SCEV *expr)
{
	return Printer(in, arguments).text(expr);
}

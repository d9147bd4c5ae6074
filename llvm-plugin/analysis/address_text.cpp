/* SPDX-License-Identifier: MIT */
/* Addresses as expressions for readers; see address_text.h. */
#include "llvm-plugin/analysis/address_text.h"
#include "llvm-plugin/analysis/argument_names.h"
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <cmath>

#include <probe/user_source.h>

using namespace llvm;

enum {
	DEPTH_MAX = 12,
	PARTS_MAX = 1024,  /* no text of so many is short enough for a reader */
	ITEM_MAX = 1023,   /* of a work-item's id */
	ORDINARY_MAX = 511 /* an argument, a size or a loaded value that is not large */
};

/* ---- Places --------------------------------------------------------------------------------- */

static std::string place_at(const DILocation *at, bool whole)
{
	const DILocation *best = at;

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

std::string place_of(const Instruction *inst, bool whole)
{
	return place_at(inst->getDebugLoc(), whole);
}

/* Of one loop in another its place, so that a reader knows which one is meant. */
static std::string iteration_of(const Loop *loop)
{
	bool nested = loop->getParentLoop() || !loop->getSubLoops().empty();
	std::string place = nested ? place_at(loop->getStartLoc(), false) : "";

	return place.empty() ? "iteration" : "(iteration of " + place + ")";
}

/* ---- Expressions for readers ----------------------------------------------------------------
 *
 * A reader takes a text's operations for those of unbounded integers, with C's division. A SCEV
 * expression is one modulo 2 to the power of its width. Where its bits are used as a number (they
 * are extended, divided, shifted to the right or compared), the text has to be that number, or the
 * conversion is written: (x % 128), uint32(x), int16(x).
 *
 * In 32 bits or more, arithmetic of arguments, sizes and loaded values is taken not to wrap, unless
 * it does for ordinary values, as that of a hash function does.
 */

namespace
{
struct Text {
	std::string text; /* equals the expression modulo 2 to the power of its width */
	double low = 0, high = ORDINARY_MAX; /* bounds of the text's value */
	/* It contains values without bounds; these are for ordinary ones. */
	bool open = true;
	bool name = false; /* of a value that is what it is read as, not an operation */
};

class Printer
{
	const analysis &in;
	const std::vector<std::string> &arguments; /* by index; "" = unknown */
	ScalarEvolution &evolution;
	unsigned parts = 0;
	bool strict = false; /* a wrong multiple of 2^32 would not only move the address */

	std::string groups(const SCEV *whole, const SCEV *rest);
	bool remainder(const SCEVAddExpr *expr, unsigned depth, Text &ret);
	Text sum(const SCEVAddExpr *expr, unsigned depth);
	Text product(const SCEVMulExpr *expr, unsigned depth);
	Text extremum(const SCEVMinMaxExpr *expr, unsigned depth);
	Text quotient(const Text &a, const Text &b);
	std::string size(const SCEV *expr);
	Text recurrence(const SCEVAddRecExpr *loop, unsigned depth);
	Text named(const Value *value, const std::string &text);
	Text leaf(Value *value, unsigned depth);
	Text operation(Instruction *inst, unsigned depth);
	Text arithmetic(BinaryOperator *inst, unsigned depth);
	Text shift(BinaryOperator *inst, unsigned depth);
	Text number(const SCEV *expr, bool is_signed, unsigned depth);
	Text operand(const SCEV *expr, bool is_signed, unsigned depth);
	Text value(Value *value, unsigned depth);

      public:
	Printer(const analysis &of, const std::vector<std::string> &names)
	    : in(of), arguments(names), evolution(of.evolution)
	{
	}
	Text text(const SCEV *expr, unsigned depth = 0);
	/* "" = it would be too long, and take too much time. */
	std::string whole(const SCEV *expr);
};
} // namespace

static std::string axis(const char *name, unsigned number)
{
	return std::string(name) + "." + (char)('x' + number);
}

/* In parentheses, if one of the characters is outside of the text's own ones. */
static std::string enclose(const std::string &text, StringRef characters)
{
	int depth = 0;

	for (char c : text) {
		depth += (c == '(') - (c == ')');
		if (!depth && characters.contains(c))
			return "(" + text + ")";
	}
	return text;
}

/* A factor in a product: sums, which have a space, need parentheses. */
static std::string factor(const std::string &text)
{
	return enclose(text, " ");
}

/* What is divided by: products need parentheses, too. */
static std::string divisor(const std::string &text)
{
	return enclose(text, " *");
}

/* Without parentheses around all of it. */
static std::string bare(const std::string &text)
{
	int depth = 0;

	for (size_t i = 0; i < text.size(); i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (!depth)
			return i && i + 1 == text.size() ? text.substr(1, i - 1) : text;
	}
	return text;
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
	std::string grid = text(divide->getLHS(), DEPTH_MAX).text, group = size(divide->getRHS());
	bool swapped = compare->getPredicate() == ICmpInst::ICMP_ULT;

	if (group.compare(0, 8, "blockDim") != 0 ||
	    grid != "gridDim" + group.substr(8) + "*" + group ||
	    (!swapped && compare->getPredicate() != ICmpInst::ICMP_UGT))
		return "";
	const SCEV *more = evolution.getSCEV(compare->getOperand(swapped));
	const SCEV *less = evolution.getSCEV(compare->getOperand(!swapped));
	const SCEV *product = evolution.getMulExpr(divide, divide->getRHS());

	return text(more, DEPTH_MAX).text == grid && text(less).text == text(product).text
		       ? "gridDim" + group.substr(8)
		       : "";
}

/*
 * The expression as a signed or unsigned number. What differs from the expression by a multiple of
 * 2 to the power of its width is the same number if it is in the number's range.
 */
Text Printer::number(const SCEV *expr, bool is_signed, unsigned depth)
{
	auto bits = (unsigned)evolution.getTypeSizeInBits(expr->getType());
	ConstantRange range =
		is_signed ? evolution.getSignedRange(expr) : evolution.getUnsignedRange(expr);
	double least = is_signed ? range.getSignedMin().roundToDouble(true)
				 : range.getUnsignedMin().roundToDouble(false);
	double most = is_signed ? range.getSignedMax().roundToDouble(true)
				: range.getUnsignedMax().roundToDouble(false);
	double modulus = std::ldexp(1, (int)bits);

	if (auto *constant = dyn_cast<SCEVConstant>(expr))
		return {toString(constant->getAPInt(), 10, is_signed), least, most, false};
	Text ret = text(expr, depth);
	bool likely = bits >= INDEX_BITS && (ret.open || !strict) && ret.high - ret.low < modulus;

	if (!likely && !ret.name &&
	    (ret.open || ret.low <= most - modulus || ret.high >= least + modulus)) {
		ret.text =
			!is_signed && bits < INDEX_BITS && ret.low >= 0
				? "(" + factor(ret.text) + " % " + std::to_string(1u << bits) + ")"
				: (is_signed ? "int" : "uint") + std::to_string(bits) + "(" +
					  bare(ret.text) + ")";
		ret.open = false;
		ret.low = least;
		ret.high = most;
	}
	if (ret.name && bits < INDEX_BITS)
		ret = {ret.text, least, most, false};
	ret.name = false;
	ret.low = is_signed ? ret.low : std::max(ret.low, 0.0);
	return ret;
}

/* An operand of an operation whose result depends on more than the same bits of its operands. */
Text Printer::operand(const SCEV *expr, bool is_signed, unsigned depth)
{
	bool before = strict;

	strict = true;
	Text ret = number(expr, is_signed, depth);
	strict = before;
	return ret;
}

static const SCEVUDivExpr *quotient_in(const SCEV *term)
{
	if (auto *product = dyn_cast<SCEVMulExpr>(term))
		for (const SCEV *part : product->operands())
			if (auto *divide = dyn_cast<SCEVUDivExpr>(part))
				return divide;
	return nullptr;
}

/* ScalarEvolution has x - y * (x / y) for unsigned remainders. */
bool Printer::remainder(const SCEVAddExpr *expr, unsigned depth, Text &ret)
{
	for (const SCEV *term : expr->operands()) {
		const SCEVUDivExpr *divide = quotient_in(term);

		if (!divide || evolution.getURemExpr(divide->getLHS(), divide->getRHS()) != expr)
			continue;
		Text a = operand(divide->getLHS(), false, depth + 1);
		Text b = operand(divide->getRHS(), false, depth + 1);
		ret = {"(" + factor(a.text) + " % " + divisor(b.text) + ")", 0, b.high - 1, b.open};
		return true;
	}
	return false;
}

/* A sum: the pointer first, the constant last. */
Text Printer::sum(const SCEVAddExpr *expr, unsigned depth)
{
	SmallVector<const SCEV *, 4> operands(expr->operands());
	std::string ret, constant;
	Text whole{"", 0, 0, false};

	if (remainder(expr, depth, whole))
		return whole;
	for (unsigned i = 0; i < operands.size(); i++)
		for (unsigned k = 0; k < operands.size() && operands[i]; k++) {
			std::string known =
				i != k && operands[k] ? groups(operands[i], operands[k]) : "";

			if (known.empty())
				continue;
			ret += (ret.empty() ? "" : " + ") + known;
			whole.open = true;
			whole.high += ORDINARY_MAX;
			operands[i] = operands[k] = nullptr;
		}
	for (unsigned pass = 0; pass < 2; pass++)
		for (const SCEV *operand : operands) {
			auto *number = dyn_cast_or_null<SCEVConstant>(operand);
			bool pointer = operand && operand->getType()->isPointerTy();

			if (!operand || pointer != (pass == 0))
				continue;
			Text term = text(operand, depth + 1);
			std::string part = term.text;
			bool negative = part[0] == '-';

			if (negative)
				part = part.substr(1);
			std::string &to = number ? constant : ret;
			to += (to.empty() && !number ? (negative ? "-" : "")
						     : (negative ? " - " : " + ")) +
			      part;
			whole.low += term.low;
			whole.high += term.high;
			whole.open |= term.open;
		}
	whole.text = ret + constant;
	return whole;
}

Text Printer::product(const SCEVMulExpr *expr, unsigned depth)
{
	auto *constant = dyn_cast<SCEVConstant>(expr->getOperand(0));
	Text ret{"", 1, 1, false};

	if (constant && constant->getAPInt().isAllOnes()) {
		SmallVector<const SCEV *, 4> rest(expr->operands().begin() + 1,
						  expr->operands().end());
		Text positive = text(evolution.getMulExpr(rest), depth + 1);
		return {"-" + factor(positive.text), -positive.high, -positive.low, positive.open};
	}
	for (const SCEV *operand : expr->operands()) {
		Text part = text(operand, depth + 1);
		auto ends = std::minmax({ret.low * part.low, ret.low * part.high,
					 ret.high * part.low, ret.high * part.high});

		ret = {ret.text + (ret.text.empty() ? "" : "*") + factor(part.text), ends.first,
		       ends.second, ret.open || part.open};
	}
	return ret;
}

Text Printer::extremum(const SCEVMinMaxExpr *expr, unsigned depth)
{
	bool is_signed = isa<SCEVSMaxExpr>(expr) || isa<SCEVSMinExpr>(expr);
	bool most = isa<SCEVUMaxExpr>(expr) || isa<SCEVSMaxExpr>(expr);
	Text ret;

	for (const SCEV *part : expr->operands()) {
		Text one = operand(part, is_signed, depth + 1);
		bool first = ret.text.empty();

		ret = {ret.text + (first ? most ? "max(" : "min(" : ", ") + one.text,
		       first ? one.low : std::min(ret.low, one.low),
		       first ? one.high : std::max(ret.high, one.high),
		       (!first && ret.open) || one.open};
	}
	ret.text += ")";
	return ret;
}

Text Printer::quotient(const Text &a, const Text &b)
{
	double most = std::max(std::fabs(a.low), std::fabs(a.high));
	bool negative = a.low < 0 || b.low < 0;

	return {"(" + factor(a.text) + " / " + divisor(b.text) + ")", negative ? -most : 0,
		negative ? most : std::floor(a.high / std::max(b.low, 1.0)), a.open || b.open};
}

/* The name of a workgroup or grid size; "" = it is neither. */
std::string Printer::size(const SCEV *expr)
{
	struct affine_stride launch;

	if (!launch_size(in, expr, launch))
		return "";
	return launch.offset < PACKET_GRID_SIZES
		       ? axis("blockDim", (launch.offset - PACKET_GROUP_SIZES) / 2)
		       : axis("gridDim", (launch.offset - PACKET_GRID_SIZES) / 4) + "*" +
				 axis("blockDim", (launch.offset - PACKET_GRID_SIZES) / 4);
}

/* A value, or the vector that it is an element of, by its name. */
Text Printer::named(const Value *value, const std::string &text)
{
	Text ret{text, -ORDINARY_MAX, ORDINARY_MAX, true, true};

	if (!value->getType()->isIntegerTy())
		return ret;
	ConstantRange range =
		evolution.getUnsignedRange(evolution.getSCEV(const_cast<Value *>(value)));
	double most = range.getUnsignedMax().roundToDouble(false);

	if (range.getBitWidth() >= INDEX_BITS && most > std::ldexp(1, INDEX_BITS - 2))
		return ret;
	return {text, range.getUnsignedMin().roundToDouble(false), most, false, true};
}

Text Printer::value(Value *value, unsigned depth)
{
	return evolution.isSCEVable(value->getType()) ? text(evolution.getSCEV(value), depth + 1)
						      : named(value, "(a computed value)");
}

/* Amounts of at least the width are undefined. */
Text Printer::shift(BinaryOperator *inst, unsigned depth)
{
	unsigned opcode = inst->getOpcode();
	const SCEV *shifted = evolution.getSCEV(inst->getOperand(0));
	Text by = operand(evolution.getSCEV(inst->getOperand(1)), false, depth + 1);
	Text ret = opcode == Instruction::Shl
			   ? text(shifted, depth + 1)
			   : operand(shifted, opcode == Instruction::AShr, depth + 1);
	double bits = inst->getType()->getIntegerBitWidth();
	double most =
		opcode == Instruction::Shl ? std::ldexp(1, (int)std::min(by.high, bits - 1)) : 1;

	return {"(" + factor(ret.text) + (opcode == Instruction::Shl ? " << " : " >> ") +
			factor(by.text) + ")",
		std::min(ret.low, 0.0) * most, std::max(ret.high, 0.0) * most, ret.open || by.open};
}

static const char *symbol_of(unsigned opcode)
{
	return opcode == Instruction::And ? " & " : opcode == Instruction::Or ? " | " : " ^ ";
}

Text Printer::arithmetic(BinaryOperator *inst, unsigned depth)
{
	unsigned opcode = inst->getOpcode();
	const SCEV *left = evolution.getSCEV(inst->getOperand(0));
	const SCEV *right = evolution.getSCEV(inst->getOperand(1));
	bool is_signed = opcode == Instruction::SDiv || opcode == Instruction::SRem;

	switch (opcode) {
	case Instruction::Shl:
	case Instruction::LShr:
	case Instruction::AShr:
		return shift(inst, depth);
	case Instruction::UDiv:
	case Instruction::SDiv:
		return quotient(operand(left, is_signed, depth + 1),
				operand(right, is_signed, depth + 1));
	case Instruction::URem:
	case Instruction::SRem: {
		Text a = operand(left, is_signed, depth + 1);
		Text b = operand(right, is_signed, depth + 1);
		double most = std::max(std::fabs(b.low), std::fabs(b.high)) - 1;

		return {"(" + factor(a.text) + " % " + divisor(b.text) + ")", a.low < 0 ? -most : 0,
			most, b.open};
	}
	case Instruction::And:
	case Instruction::Or:
	case Instruction::Xor: {
		Text a = text(left, depth + 1), b = text(right, depth + 1);
		std::string both = "(" + factor(a.text) + symbol_of(opcode) + factor(b.text) + ")";
		double bound = 1;

		for (const Text *mask : {&a, &b})
			if (opcode == Instruction::And && mask->low >= 0 && !mask->open)
				return {both, 0, mask->high, false};
		for (double end : {a.low, a.high, b.low, b.high})
			while (bound <= std::fabs(end))
				bound *= 2;
		return {both, a.low < 0 || b.low < 0 ? -bound : 0, bound - 1, a.open || b.open};
	}
	default:
		return named(inst, "(a computed value)");
	}
}

Text Printer::operation(Instruction *inst, unsigned depth)
{
	auto *binary = dyn_cast<BinaryOperator>(inst);

	if (binary && inst->getType()->isIntegerTy())
		return arithmetic(binary, depth);
	if (isa<FreezeInst>(inst))
		return value(inst->getOperand(0), depth);
	if (isa<CastInst>(inst))
		return named(inst, value(inst->getOperand(0), depth).text);
	if (std::string member = argument_member(in, inst); !member.empty())
		return named(inst, member);
	/* An element of a vector: of what the vector comes from. */
	if (auto *element = dyn_cast<ExtractElementInst>(inst))
		return named(inst, leaf(element->getVectorOperand(), depth + 1).text);
	if (auto *select = dyn_cast<SelectInst>(inst))
		return named(inst, "(choice of " + value(select->getTrueValue(), depth).text +
					   " and " + value(select->getFalseValue(), depth).text +
					   ")");
	if (is_slot(inst))
		return slot_value(inst) == inst ? named(inst, "(a variable)")
						: named(inst, value(slot_value(inst), depth).text);
	if (isa<LoadInst>(inst) || isa<AtomicRMWInst>(inst)) {
		const char *what = isa<LoadInst>(inst) ? "load" : "update";
		std::string place = place_of(inst, false);

		return named(inst, place.empty() ? "(a loaded value)"
						 : std::string("(") + what + " at " + place + ")");
	}
	return named(inst, isa<PHINode>(inst) ? "(a variable)" : "(a computed value)");
}

Text Printer::leaf(Value *value, unsigned depth)
{
	auto *argument = dyn_cast<Argument>(value);
	auto *inst = dyn_cast<Instruction>(value);

	if (item_axis(value) >= 0)
		return {axis("threadIdx", (unsigned)item_axis(value)), 0, ITEM_MAX, false};
	if (group_axis(value) >= 0)
		return {axis("blockIdx", (unsigned)group_axis(value))};
	if (groups_axis(in, value) >= 0)
		return {axis("gridDim", (unsigned)groups_axis(in, value))};
	if (argument) {
		unsigned number = argument->getArgNo();
		const std::string &name = arguments[number];

		if (!name.empty())
			return named(value, name);
		/* The positions of other functions' arguments are not those of the source. */
		return named(value,
			     in.kernel ? "argument " + std::to_string(number) : "(an argument)");
	}
	if (auto *global = dyn_cast<GlobalValue>(value)) {
		std::string name = demangle(global->getName().str());
		size_t scope = name.rfind("::");

		return {scope == std::string::npos ? name : name.substr(scope + 2)};
	}
	if (auto *cast = dyn_cast<ConstantExpr>(value))
		return leaf(cast->getOperand(0), depth);
	return inst && depth < DEPTH_MAX ? operation(inst, depth)
					 : named(value, "(a computed value)");
}

Text Printer::recurrence(const SCEVAddRecExpr *loop, unsigned depth)
{
	Text start = text(loop->getStart(), depth + 1);
	Text step = text(loop->getStepRecurrence(evolution), depth + 1);

	return {(start.text == "0" ? "" : start.text + " + ") +
			(step.text == "1" ? "" : factor(step.text) + "*") +
			iteration_of(loop->getLoop()),
		start.low + std::min(step.low, 0.0) * ORDINARY_MAX,
		start.high + std::max(step.high, 0.0) * ORDINARY_MAX};
}

Text Printer::text(const SCEV *expr, unsigned depth)
{
	bool many = ++parts > PARTS_MAX;
	std::string known = many ? "" : size(expr);

	if (!known.empty())
		return {known, 0, ORDINARY_MAX, true, true};
	if (many || depth > DEPTH_MAX)
		return {"...", -ORDINARY_MAX, ORDINARY_MAX, true, true};
	if (auto *constant = dyn_cast<SCEVConstant>(expr)) {
		double exact = constant->getAPInt().roundToDouble(true);

		return {toString(constant->getAPInt(), 10, true), exact, exact, false};
	}
	if (isa<SCEVZeroExtendExpr>(expr) || isa<SCEVSignExtendExpr>(expr))
		return number(cast<SCEVCastExpr>(expr)->getOperand(), isa<SCEVSignExtendExpr>(expr),
			      depth);
	if (auto *cast = dyn_cast<SCEVCastExpr>(expr)) {
		Text ret = text(cast->getOperand(), depth);

		ret.name = false;
		return ret;
	}
	if (auto *add = dyn_cast<SCEVAddExpr>(expr))
		return sum(add, depth);
	if (auto *mul = dyn_cast<SCEVMulExpr>(expr))
		return product(mul, depth);
	if (auto *divide = dyn_cast<SCEVUDivExpr>(expr))
		return quotient(operand(divide->getLHS(), false, depth + 1),
				operand(divide->getRHS(), false, depth + 1));
	if (auto *loop = dyn_cast<SCEVAddRecExpr>(expr))
		return recurrence(loop, depth);
	if (auto *ends = dyn_cast<SCEVMinMaxExpr>(expr))
		return extremum(ends, depth);
	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return leaf(unknown->getValue(), depth);
	return {"(a computed value)", -ORDINARY_MAX, ORDINARY_MAX, true, true};
}

std::string Printer::whole(const SCEV *expr)
{
	std::string ret = text(expr).text;

	return parts > PARTS_MAX ? "" : ret;
}

std::string address_text(const analysis &in, const std::vector<std::string> &arguments,
			 const SCEV *expr)
{
	return Printer(in, arguments).whole(expr);
}

/* SPDX-License-Identifier: MIT */
/*
 * Shorter clobber lists; see ir_edit.h. No exceptions, no RTTI.
 *
 * LLVM's AMDGPU back end looks up every clobbered register by name. It parses "{v7}" and
 * "{s[8:15]}", but compares any other name with those of all registers of all classes: 0.25 ms for
 * each "~{vcc}" and "~{scc}". For an output, the search ends at the first class that holds the
 * output's type; the classes of i1 come early and hold both names. So a clobbered vcc or scc
 * becomes an early-clobber output of type i1 that nothing reads, unless other blocks may read the
 * other results, and numbered registers become tuples of four or, of calls, one of 32.
 */
#include "llvm-plugin/analysis/ir_edit.h"

#include "llvm-plugin/base/llvm-compat.h"

#include <string>

#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

namespace
{
/* The constraints of one asm block, in the three parts in which LLVM wants them. */
struct constraint_lists {
	SmallVector<std::string, 32> outputs, inputs, clobbers;
	SmallVector<StringRef, 2> flags; /* clobbered: vcc, scc */
	SmallBitVector numbered[2] = {SmallBitVector(256), SmallBitVector(256)};
};
} // namespace

static const char files[] = {'v', 's'};

/* Is it a single numbered register, such as "~{v7}"? */
static bool add_numbered(StringRef clobber, constraint_lists &lists)
{
	unsigned number;

	if (!clobber.consume_front("~{") || !clobber.consume_back("}"))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		StringRef digits = clobber;

		if (digits.consume_front(StringRef(&files[i], 1)) &&
		    !digits.getAsInteger(10, number) && number < 256) {
			lists.numbered[i].set(number);
			return true;
		}
	}
	return false;
}

/* False if the asm block has operands that are not numbered like its results and arguments. */
static bool read_lists(const InlineAsm &code, constraint_lists &lists, bool unread)
{
	SmallVector<StringRef, 64> each;

	StringRef(code.getConstraintString()).split(each, ',', -1, false);
	for (StringRef text : each) {
		if (text.contains('*') || text.contains('|') || text.front() == '!')
			return false;
		if (text.front() == '=')
			lists.outputs.push_back(text.str());
		else if (text.front() != '~')
			lists.inputs.push_back(text.str());
		else if (unread && (text == "~{vcc}" || text == "~{scc}"))
			lists.flags.push_back(text.drop_front(1));
		else if (!add_numbered(text, lists))
			lists.clobbers.push_back(text.str());
	}
	return true;
}

/*
 * At the end of each basic block, LLVM's liveness analysis (LiveVariables) looks at every part of
 * the registers that the last asm block clobbers, in time that grows with the square of their
 * number. It skips reserved registers, among them every tuple with a reserved part, but register
 * allocation respects what the tuple overlaps. In kernels s32 is reserved, for the stack pointer of
 * calls. So one tuple with s32 takes the place of the scalar registers that calls clobber.
 */
enum { CALL_FIRST = 4, CALL_END = 32 };

static bool add_call_tuple(constraint_lists &lists, const Function &function)
{
	SmallBitVector &scalar = lists.numbered[1];

	if (!PROBE_CLOBBERS_RESERVED || function.getCallingConv() != CallingConv::AMDGPU_KERNEL)
		return false;
	for (unsigned i = CALL_FIRST; i < CALL_END; i++)
		if (!scalar.test(i))
			return false;
	scalar.reset(CALL_FIRST, CALL_END);
	lists.clobbers.push_back("~{s[4:35]}");
	return true;
}

/*
 * Append the numbered registers as aligned tuples of at most `most`. LLVM ignores a clobbered tuple
 * that has no register class: these sizes have one. Of a larger tuple than four registers, liveness
 * analysis would look at all its parts, which are tuples as well.
 */
static void add_tuples(constraint_lists &lists, unsigned most)
{
	for (unsigned i = 0; i < 2; i++) {
		const SmallBitVector &set = lists.numbered[i];

		for (int first = set.find_first(); first >= 0;) {
			unsigned begin = unsigned(first), end = begin, size = most;

			while (end < set.size() && set.test(end))
				end++;
			while (begin + size > end || begin % size)
				size /= 2;
			end = begin + size - 1;
			lists.clobbers.push_back(
				size == 1 ? std::string("~{") + files[i] + utostr(begin) + "}"
					  : std::string("~{") + files[i] + "[" + utostr(begin) +
						    ":" + utostr(end) + "]}");
			first = set.find_next(int(end));
		}
	}
}

/* The text with the numbers of inputs, those from `first`, raised by `by`. */
static std::string renumber(StringRef text, unsigned first, unsigned by)
{
	std::string result;

	while (!text.empty()) {
		size_t digits;
		unsigned number;

		if (text.consume_front("$$")) {
			result += "$$";
			continue;
		}
		result += text.front();
		bool operand = text.front() == '$';
		text = text.drop_front();
		if (!operand)
			continue;
		if (text.consume_front("{"))
			result += '{';
		digits = text.find_if_not(isDigit);
		if (!text.substr(0, digits).getAsInteger(10, number)) {
			result += utostr(number >= first ? number + by : number);
			text = text.substr(digits);
		}
	}
	return result;
}

static FunctionType *result_type(const CallInst &call, unsigned flags)
{
	Type *old = call.getType(), *i1 = Type::getInt1Ty(call.getContext());
	SmallVector<Type *, 8> fields;

	if (auto *all = dyn_cast<StructType>(old))
		fields.append(all->element_begin(), all->element_end());
	else if (!old->isVoidTy())
		fields.push_back(old);
	fields.append(flags, i1);
	return FunctionType::get(fields.size() == 1 ? fields[0]
						    : StructType::get(call.getContext(), fields),
				 call.getFunctionType()->params(), false);
}

/*
 * Of a struct that another block uses, the back end would keep every field. So a result that is
 * read is extracted at once, and an empty asm block, which is convergent, keeps LLVM from sinking
 * the extraction. Not in loops, where this could cost a copy.
 */
static bool can_extract(const CallInst &call, StringRef constraints)
{
	StringRef output = constraints.ltrim("=&{");
	bool vector = output.take_front(1) == "v" && output.take_front(3) != "vcc";

	return call.getParent()->isEntryBlock() && (vector || output.take_front(1) == "s") &&
	       (call.getType()->isIntegerTy(32) || call.getType()->isIntegerTy(64));
}

static Value *extract(CallInst &call, StringRef constraint)
{
	IRBuilder<> builder(call.getNextNode());
	Value *value = builder.CreateExtractValue(&call, 0);
	Type *type = value->getType();
	std::string same = std::string("=") + constraint.ltrim("=&{").front() + ",0";
	CallInst *pinned = builder.CreateCall(
		InlineAsm::get(FunctionType::get(type, type, false), "", same, false), value);

	pinned->addFnAttr(Attribute::Convergent);
	return pinned;
}

static void shorten(CallInst &old, const InlineAsm &code)
{
	bool unread = old.use_empty();
	constraint_lists lists;
	SmallVector<std::string, 32> all;

	if (!read_lists(code, lists, unread || can_extract(old, code.getConstraintString())))
		return;
	/* With few other registers, their parts take less time as registers of their own. */
	add_tuples(lists, add_call_tuple(lists, *old.getFunction()) ? 1 : 4);
	all = lists.outputs;
	for (StringRef flag : lists.flags)
		all.push_back(("=&" + flag).str());
	all.append(lists.inputs);
	all.append(lists.clobbers);
	unsigned flags = lists.flags.size();
	FunctionType *type = flags ? result_type(old, flags) : old.getFunctionType();
	auto *shorter = InlineAsm::get(
		type, renumber(code.getAsmString(), lists.outputs.size(), flags), join(all, ","),
		code.hasSideEffects(), code.isAlignStack(), code.getDialect(), code.canThrow());
	auto *call =
		CallInst::Create(type, shorter, SmallVector<Value *, 16>(old.args()), "", &old);

	call->setAttributes(old.getAttributes());
	call->setDebugLoc(old.getDebugLoc());
	call->takeName(&old);
	if (!unread)
		old.replaceAllUsesWith(flags ? extract(*call, lists.outputs[0]) : call);
	old.eraseFromParent();
}

void ir_shorten_clobbers(LLVMValueRef value)
{
	for (Instruction &inst : make_early_inc_range(instructions(unwrap<Function>(value)))) {
		auto *call = dyn_cast<CallInst>(&inst);

		if (call && call->isInlineAsm())
			shorten(*call, *cast<InlineAsm>(call->getCalledOperand()));
	}
}

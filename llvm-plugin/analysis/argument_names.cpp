/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/argument_names.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

/* Is the location the whole variable's value, but for its width? */
static bool is_value(const DIExpression *expression)
{
	return std::all_of(expression->expr_op_begin(), expression->expr_op_end(), [](auto op) {
		return op.getOp() == dwarf::DW_OP_LLVM_convert ||
		       op.getOp() == dwarf::DW_OP_stack_value;
	});
}

namespace
{
class Names
{
	DenseSet<const DILocalVariable *> seen;

      public:
	std::vector<std::string> ret;

	template <typename Location> void add(const Location &location, bool is_memory);
};
} // namespace

/*
 * A parameter's first location is its argument; later ones are what was assigned to it, perhaps
 * another argument. `is_memory`: the location is the variable's address.
 */
template <typename Location> void Names::add(const Location &location, bool is_memory)
{
	const DILocalVariable *variable = location.getVariable();

	if (!(variable->isParameter() || is_memory) || location.getDebugLoc().getInlinedAt() ||
	    !seen.insert(variable).second || location.getNumVariableLocationOps() != 1 ||
	    !is_value(location.getExpression()))
		return;
	const Value *value = location.getVariableLocationOp(0);
	auto *argument = dyn_cast_or_null<Argument>(value ? value->stripPointerCasts() : nullptr);

	if (argument && ret[argument->getArgNo()].empty())
		ret[argument->getArgNo()] = variable->getName().str();
}

/* As the front end called the value. "x.0.val" was loaded from x, "x.coerce1" is a part of it. */
static std::string value_name(const Argument &argument)
{
	StringRef name = argument.getName();

	name.consume_back(".coerce");
	return name.contains('.') ? "" : name.str();
}

/*
 * The variables of a kernel's arguments, by their numbers from 1 on. No optimisation changes the
 * parameters of a kernel, and each is one argument.
 */
static std::vector<const DILocalVariable *> kernel_parameters(const analysis &in)
{
	const DISubprogram *subprogram = in.function.getSubprogram();
	const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
	std::vector<const DILocalVariable *> ret;

	/* The first element is the type that is returned. */
	if (!in.kernel || !type || type->getTypeArray().size() != in.original->arg_size() + 1)
		return ret;
	for (const DINode *node : subprogram->getRetainedNodes()) {
		auto *variable = dyn_cast<DILocalVariable>(node);

		if (variable && variable->getArg() &&
		    variable->getArg() <= in.original->arg_size())
			ret.push_back(variable);
	}
	return ret;
}

static const DIType *without_qualifiers(const DIType *type)
{
	auto *derived = dyn_cast_or_null<DIDerivedType>(type);

	if (!derived || (derived->getTag() != dwarf::DW_TAG_typedef &&
			 derived->getTag() != dwarf::DW_TAG_const_type))
		return type;
	return without_qualifiers(derived->getBaseType());
}

/* ".size.x" of what begins at a bit of a type; false = unknown, such as an element of an array. */
static bool member_at(const DIType *of, uint64_t bit, std::string &ret)
{
	auto *type = dyn_cast_or_null<DICompositeType>(without_qualifiers(of));

	if (!type)
		return !bit;
	if (type->getTag() != dwarf::DW_TAG_structure_type &&
	    type->getTag() != dwarf::DW_TAG_class_type)
		return false;
	for (const DINode *node : type->getElements()) {
		auto *member = dyn_cast<DIDerivedType>(node);
		uint64_t first = member ? member->getOffsetInBits() : 0;
		bool base = member && member->getTag() == dwarf::DW_TAG_inheritance;

		if (!member || member->isStaticMember() || bit < first ||
		    (!base && member->getTag() != dwarf::DW_TAG_member))
			continue;
		uint64_t size = base ? member->getBaseType()->getSizeInBits() : member->getSizeInBits();
		if (bit >= first + size)
			continue;
		if (!base)
			ret += "." + member->getName().str();
		return member_at(member->getBaseType(), bit - first, ret);
	}
	return false;
}

std::string argument_member(const analysis &in, const Value *value)
{
	int64_t offset = 0;
	auto *argument = dyn_cast_or_null<Argument>(loaded_from(in, value, offset));

	if (!argument || offset < 0 || !argument->hasByRefAttr())
		return "";
	for (const DILocalVariable *variable : kernel_parameters(in)) {
		std::string name = variable->getName().str();

		if (variable->getArg() == argument->getArgNo() + 1)
			return member_at(variable->getType(), 8 * (uint64_t)offset, name) ? name : "";
	}
	return "";
}

std::vector<std::string> argument_names(const analysis &in)
{
	Names names;

	names.ret.resize(in.function.arg_size());
	for (const Instruction &inst : in.function.getEntryBlock()) {
		for (const PROBE_DEBUG_RECORD &record : PROBE_DEBUG_RECORDS(inst))
			names.add(record, PROBE_RECORD_DECLARES(record));
		if (auto *location = dyn_cast<DbgVariableIntrinsic>(&inst))
			names.add(*location, isa<DbgDeclareInst>(location));
	}
	for (const DILocalVariable *variable : kernel_parameters(in))
		if (std::string &name = names.ret[variable->getArg() - 1]; name.empty())
			name = variable->getName().str();
	for (const Argument &argument : in.function.args())
		if (names.ret[argument.getArgNo()].empty())
			names.ret[argument.getArgNo()] = value_name(argument);
	return names.ret;
}

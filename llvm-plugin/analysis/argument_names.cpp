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

/* No optimisation changes the parameters of a kernel, and each is one argument. */
static void add_by_position(const analysis &in, const DISubprogram *subprogram,
			    std::vector<std::string> &ret)
{
	const DISubroutineType *type = subprogram->getType();

	/* The first element is the type that is returned. */
	if (!in.kernel || !type || type->getTypeArray().size() != in.original->arg_size() + 1)
		return;
	for (const DINode *node : subprogram->getRetainedNodes()) {
		auto *variable = dyn_cast<DILocalVariable>(node);
		unsigned number = variable ? variable->getArg() : 0;

		if (number && number <= ret.size() && ret[number - 1].empty())
			ret[number - 1] = variable->getName().str();
	}
}

std::vector<std::string> argument_names(const analysis &in)
{
	const DISubprogram *subprogram = in.function.getSubprogram();
	Names names;

	names.ret.resize(in.function.arg_size());
	for (const Instruction &inst : in.function.getEntryBlock()) {
		for (const PROBE_DEBUG_RECORD &record : PROBE_DEBUG_RECORDS(inst))
			names.add(record, PROBE_RECORD_DECLARES(record));
		if (auto *location = dyn_cast<DbgVariableIntrinsic>(&inst))
			names.add(*location, isa<DbgDeclareInst>(location));
	}
	if (subprogram)
		add_by_position(in, subprogram, names.ret);
	for (const Argument &argument : in.function.args())
		if (names.ret[argument.getArgNo()].empty())
			names.ret[argument.getArgNo()] = value_name(argument);
	return names.ret;
}

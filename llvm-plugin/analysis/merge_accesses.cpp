/* SPDX-License-Identifier: MIT */
/*
 * Gives accesses the width that they will have in machine code, so that each is counted as one
 * instruction (ir_edit.h). Two passes of the back end merge accesses. LoadStoreVectorizer runs here
 * unchanged, after the one that makes neighbours seen. SILoadStoreOptimizer works on machine code
 * and also merges accesses of different widths, such as the 8 and 4 bytes of a float3; it is
 * repeated here on IR. Instruction selection divides vectors of more than 16 bytes, and those of 3
 * or 6, possibly into several widths; the latter are divided here. It also loads more than such a
 * vector where the alignment allows it.
 */
#include "llvm-plugin/analysis/ir_edit.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

#include "llvm-plugin/analysis/access_lines.h"
#include "llvm-plugin/analysis/affine_walk.h"
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/function_analyses.h"
#include "llvm-plugin/analysis/machine_addresses.h"
#include "llvm-plugin/analysis/narrow_loads.h"
#include "llvm-plugin/analysis/repeated_accesses.h"
#include "llvm-plugin/analysis/separate_offsets.h"
#include "llvm-plugin/base/access_removed.h"

using namespace llvm;

enum {
	WIDEST = 16, /* bytes of a global or flat instruction */
	/* Limits of instructions between two accesses, and of accesses, so that time is linear. */
	DISTANCE = 4000,
	BETWEEN = 200,
};

namespace
{
struct Piece {
	Instruction *inst;
	int64_t offset;
	unsigned bytes;
};

class Merger
{
	Function &function;
	const DataLayout &layout;
	ScalarEvolution &evolution;
	AAResults &alias;
	PROBE_DIVERGENCE_INFO divergence;
	const MachineAddresses &addresses;

	bool is_piece(Instruction &inst, unsigned &bytes) const;
	bool may_move(Instruction *first, Instruction *second);
	Value *place(IRBuilder<> &builder, Instruction *at, const Piece &low, const Piece &high);
	Instruction *merge_loads(Instruction *at, const Piece &low, const Piece &high);
	Instruction *merge_stores(Instruction *at, const Piece &low, const Piece &high);
	bool merge(Piece &low, const Piece &high);
	void merge_list(SmallVectorImpl<Piece> &pieces);

      public:
	Merger(Function &of, FunctionAnalysisManager &manager, const MachineAddresses &by)
	    : function(of), layout(of.getParent()->getDataLayout()),
	      evolution(manager.getResult<ScalarEvolutionAnalysis>(of)),
	      alias(manager.getResult<AAManager>(of)),
	      divergence(PROBE_DIVERGENCE_ANALYSIS().run(of, manager)), addresses(by)
	{
	}
	void run();
};
} // namespace

/* Accesses of whole dwords that SILoadStoreOptimizer considers. Flat ones may be divided. */
static bool is_candidate(Instruction &inst, const DataLayout &layout, unsigned &bytes)
{
	auto *load = dyn_cast<LoadInst>(&inst);
	auto *store = dyn_cast<StoreInst>(&inst);

	if ((!(load && load->isSimple()) && !(store && store->isSimple())) ||
	    inst.getMetadata(ACCESS_REMOVED))
		return false;
	Type *type = getLoadStoreType(&inst);
	unsigned space = getLoadStoreAddressSpace(&inst);

	if (space > 1 || (type->isVectorTy() && type->isPtrOrPtrVectorTy()) ||
	    type->isAggregateType())
		return false;
	uint64_t bits = layout.getTypeSizeInBits(type);

	bytes = (unsigned)(bits / 8);
	return bits && bits % 32 == 0 && bytes < WIDEST &&
	       layout.getTypeStoreSizeInBits(type) == bits &&
	       (space == PROBE_SPACE_GLOBAL || getLoadStoreAlignment(&inst) >= 4);
}

/* Uniform loads may become scalar, and the back end merges these in another way. */
bool Merger::is_piece(Instruction &inst, unsigned &bytes) const
{
	return is_candidate(inst, layout, bytes) &&
	       (isa<StoreInst>(inst) ||
		PROBE_IS_DIVERGENT(divergence, getLoadStorePointerOperand(&inst)));
}

/* Loads are merged at the first one, stores at the second one. */
bool Merger::may_move(Instruction *first, Instruction *second)
{
	bool store = isa<StoreInst>(first);
	MemoryLocation moved = MemoryLocation::get(store ? first : second);
	unsigned count = 0, accesses = 0;

	for (Instruction *inst = first->getNextNode(); inst != second; inst = inst->getNextNode()) {
		if (count++ == DISTANCE)
			return false;
		if (!inst->mayReadOrWriteMemory())
			continue;
		if (accesses++ == BETWEEN)
			return false;
		ModRefInfo info = alias.getModRefInfo(inst, moved);

		if (isModSet(info) || (store && isRefSet(info)))
			return false;
	}
	return true;
}

/* The lower address, before `at`. */
Value *Merger::place(IRBuilder<> &builder, Instruction *at, const Piece &low, const Piece &high)
{
	Value *pointer = getLoadStorePointerOperand(low.inst);
	auto *inst = dyn_cast<Instruction>(pointer);

	if (!inst || inst->getParent() != at->getParent() || inst->comesBefore(at))
		return pointer;
	return builder.CreateGEP(builder.getInt8Ty(), getLoadStorePointerOperand(high.inst),
				 builder.getInt64((uint64_t)(low.offset - high.offset)));
}

static Value *take(IRBuilder<> &builder, Value *whole, unsigned first, unsigned count, Type *type)
{
	SmallVector<int, 4> lanes;

	for (unsigned i = 0; i < count; i++)
		lanes.push_back((int)(first + i));
	Value *part = count == 1 ? builder.CreateExtractElement(whole, first)
				 : builder.CreateShuffleVector(whole, lanes);
	/* Of a pointer as well. */
	return builder.CreateBitOrPointerCast(
		part->getType()->isVectorTy() && type->isPointerTy()
			? builder.CreateBitCast(part, builder.getInt64Ty())
			: part,
		type);
}

Instruction *Merger::merge_loads(Instruction *at, const Piece &low, const Piece &high)
{
	IRBuilder<> builder(at);
	unsigned first = low.bytes / 4, rest = high.bytes / 4;
	auto *type = FixedVectorType::get(builder.getInt32Ty(), first + rest);
	LoadInst *load = builder.CreateAlignedLoad(type, place(builder, at, low, high),
						   getLoadStoreAlignment(low.inst));

	low.inst->replaceAllUsesWith(take(builder, load, 0, first, low.inst->getType()));
	high.inst->replaceAllUsesWith(take(builder, load, first, rest, high.inst->getType()));
	return load;
}

static void put(IRBuilder<> &builder, Value *&whole, unsigned first, unsigned count, Value *part)
{
	Type *dword = builder.getInt32Ty();

	if (part->getType()->isPointerTy())
		part = builder.CreatePtrToInt(part, builder.getIntNTy(count * 32));
	part = builder.CreateBitCast(part, count == 1 ? dword
						      : (Type *)FixedVectorType::get(dword, count));
	for (unsigned i = 0; i < count; i++)
		whole = builder.CreateInsertElement(
			whole, count == 1 ? part : builder.CreateExtractElement(part, i),
			first + i);
}

Instruction *Merger::merge_stores(Instruction *at, const Piece &low, const Piece &high)
{
	IRBuilder<> builder(at);
	unsigned first = low.bytes / 4, rest = high.bytes / 4;
	Value *whole = PoisonValue::get(FixedVectorType::get(builder.getInt32Ty(), first + rest));

	put(builder, whole, 0, first, cast<StoreInst>(low.inst)->getValueOperand());
	put(builder, whole, first, rest, cast<StoreInst>(high.inst)->getValueOperand());
	return builder.CreateAlignedStore(whole, place(builder, at, low, high),
					  getLoadStoreAlignment(low.inst));
}

bool Merger::merge(Piece &low, const Piece &high)
{
	bool before = low.inst->comesBefore(high.inst);
	Instruction *first = before ? low.inst : high.inst;
	Instruction *second = before ? high.inst : low.inst, *merged;

	if (low.offset + low.bytes != high.offset || low.bytes + high.bytes > WIDEST ||
	    (low.offset < 0 && high.offset >= 0) ||
	    getLoadStoreAddressSpace(low.inst) != getLoadStoreAddressSpace(high.inst) ||
	    !may_move(first, second))
		return false;
	merged = isa<LoadInst>(first) ? merge_loads(first, low, high)
				      : merge_stores(second, low, high);
	merged->setDebugLoc(low.inst->getDebugLoc() ? low.inst->getDebugLoc()
						    : high.inst->getDebugLoc());
	first->eraseFromParent();
	second->eraseFromParent();
	low = {merged, low.offset, low.bytes + high.bytes};
	return true;
}

/* In the back end's order: neighbours by address, again until nothing changes. */
void Merger::merge_list(SmallVectorImpl<Piece> &pieces)
{
	bool changed = pieces.size() > 1;

	llvm::stable_sort(pieces,
			  [](const Piece &a, const Piece &b) { return a.offset < b.offset; });
	while (changed) {
		changed = false;
		for (size_t i = 0; i + 1 < pieces.size(); i++)
			if (merge(pieces[i], pieces[i + 1])) {
				pieces.erase(pieces.begin() + (ptrdiff_t)i + 1);
				changed = true;
			}
	}
}

void Merger::run()
{
	for (BasicBlock &block : function) {
		MapVector<std::pair<decltype(MachineAddress::base), unsigned>,
			  SmallVector<Piece, 4>>
			lists;

		for (Instruction &inst : block) {
			unsigned bytes;

			if (!is_piece(inst, bytes))
				continue;
			MachineAddress address = addresses.of(&inst, evolution);

			lists[{address.base, inst.getOpcode()}].push_back(
				{&inst, address.constant, bytes});
		}
		for (auto &list : lists)
			merge_list(list.second);
	}
}

/* How instruction selection makes instructions of a vector's access. */
struct Division {
	unsigned bytes = 0; /* of the first one; the last one has the rest; 0 = it does not */
	bool wider = false; /* it is the only one, and has more bytes than the vector */
};

/*
 * A load of 3 or 6 bytes with the alignment of a wider load becomes that one. Not here if it may be
 * of a variable: alias analysis takes an access that is larger than a variable to be of another
 * one.
 */
static bool is_widened(const Instruction &inst, uint64_t bytes, uint64_t element, uint64_t align)
{
	auto *load = dyn_cast<LoadInst>(&inst);

	return load && load->getPointerAddressSpace() == PROBE_SPACE_GLOBAL &&
	       align >= (element == 1 ? 4 : 8) && (bytes == 3 || bytes == 6) &&
	       !isa<GlobalVariable>(getUnderlyingObject(load->getPointerOperand(), 0));
}

/*
 * Is the access divided into instructions of different widths, such as 24 bytes into 16 and 8, or 3
 * into 2 and 1? With a lower alignment the back end uses other widths, see access_site_unit().
 */
static Division division_of(Instruction &inst, const DataLayout &layout)
{
	static const unsigned least[] = {4, 1, UINT_MAX, WIDEST}; /* flat, global, GDS, LDS */
	auto *load = dyn_cast<LoadInst>(&inst);
	auto *store = dyn_cast<StoreInst>(&inst);

	if (!(load && load->isSimple()) && !(store && store->isSimple()))
		return {};
	auto *type = dyn_cast<FixedVectorType>(getLoadStoreType(&inst));
	unsigned space = getLoadStoreAddressSpace(&inst);
	uint64_t align = getLoadStoreAlignment(&inst).value();

	if (!type || space > 3 || space == 2)
		return {};
	uint64_t element = layout.getTypeSizeInBits(type->getElementType()) / 8;
	uint64_t bytes = layout.getTypeSizeInBits(type) / 8;

	if (!element || element * type->getNumElements() != bytes ||
	    layout.getTypeStoreSize(type) != bytes)
		return {};
	if (bytes > WIDEST && bytes % WIDEST && bytes % 4 == 0 && WIDEST % element == 0 &&
	    align >= least[space])
		return {WIDEST, false};
	if (is_widened(inst, bytes, element, align))
		return {(unsigned)PowerOf2Ceil(bytes), true};
	if ((bytes == 3 || bytes == 6) && (space || align >= (bytes == 3 ? 2 : 4)) &&
	    (store || align < (element == 1 ? 4 : 8)))
		return {(unsigned)PowerOf2Ceil(bytes) / 2, false};
	return {};
}

/* Divides an access; returns its parts, of `count` elements each, the last one of fewer. */
static SmallVector<Instruction *, 4> divide(Instruction *inst, unsigned count, uint64_t element,
					    const AccessLines &lines)
{
	IRBuilder<> builder(inst);
	auto *whole = cast<FixedVectorType>(getLoadStoreType(inst));
	SmallVector<Instruction *, 4> parts;

	for (unsigned first = 0; first < whole->getNumElements(); first += count) {
		unsigned elements = std::min(count, whole->getNumElements() - first);
		Type *scalar = whole->getElementType();
		Type *type =
			elements == 1 ? scalar : (Type *)FixedVectorType::get(scalar, elements);
		Value *pointer = getLoadStorePointerOperand(inst);
		Align align = commonAlignment(getLoadStoreAlignment(inst), first * element);

		if (first)
			pointer = builder.CreateInBoundsGEP(builder.getInt8Ty(), pointer,
							    builder.getInt64(first * element));
		if (auto *store = dyn_cast<StoreInst>(inst))
			parts.push_back(builder.CreateAlignedStore(
				take(builder, store->getValueOperand(), first, elements, type),
				pointer, align));
		else
			parts.push_back(builder.CreateAlignedLoad(type, pointer, align));
		parts.back()->copyMetadata(
			*inst, {LLVMContext::MD_nontemporal, LLVMContext::MD_invariant_load,
				LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
		parts.back()->setDebugLoc(lines.of(inst, first));
	}
	return parts;
}

static Value *element_of(IRBuilder<> &builder, ArrayRef<Instruction *> parts, unsigned count,
			 unsigned index)
{
	Instruction *part = parts[index / count];

	return part->getType()->isVectorTy() ? builder.CreateExtractElement(part, index % count)
					     : part;
}

/* Its elements usually have a use each. */
static void replace_uses(LoadInst *load, ArrayRef<Instruction *> parts, unsigned count)
{
	auto *type = cast<FixedVectorType>(load->getType());

	for (User *user : make_early_inc_range(load->users())) {
		auto *extract = dyn_cast<ExtractElementInst>(user);
		auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;

		if (!index || index->getValue().uge(type->getNumElements()))
			continue;
		IRBuilder<> builder(extract);

		extract->replaceAllUsesWith(
			element_of(builder, parts, count, (unsigned)index->getZExtValue()));
		extract->eraseFromParent();
	}
	if (load->use_empty())
		return;
	IRBuilder<> builder(load);
	Value *whole = PoisonValue::get(type);

	for (unsigned i = 0; i < type->getNumElements(); i++)
		whole = builder.CreateInsertElement(whole, element_of(builder, parts, count, i), i);
	load->replaceAllUsesWith(whole);
}

/* Loads `count` elements instead of fewer. */
static LoadInst *widen(LoadInst *load, unsigned count)
{
	IRBuilder<> builder(load);
	auto *type = FixedVectorType::get(cast<FixedVectorType>(load->getType())->getElementType(),
					  count);
	LoadInst *wide =
		builder.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());

	wide->copyMetadata(*load, {LLVMContext::MD_nontemporal, LLVMContext::MD_invariant_load});
	return wide;
}

static void divide_as(Instruction *inst, const Division &division, uint64_t element,
		      const AccessLines &lines)
{
	auto count = (unsigned)(division.bytes / element);
	auto *load = dyn_cast<LoadInst>(inst);
	SmallVector<Instruction *, 4> parts;

	if (division.wider)
		parts.push_back(widen(load, count));
	else
		parts = divide(inst, count, element, lines);
	if (load)
		replace_uses(load, parts, count);
	inst->eraseFromParent();
}

static bool divide_uneven(Function &function, const AccessLines &lines)
{
	const DataLayout &layout = function.getParent()->getDataLayout();
	SmallVector<std::pair<Instruction *, Division>, 8> found;

	for (BasicBlock &block : function)
		for (Instruction &inst : block) {
			Division division = division_of(inst, layout);

			if (division.bytes)
				found.push_back({&inst, division});
		}
	for (auto &one : found) {
		auto *type = cast<FixedVectorType>(getLoadStoreType(one.first));

		divide_as(one.first, one.second,
			  layout.getTypeSizeInBits(type->getElementType()) / 8, lines);
	}
	return !found.empty();
}

/* Is there a block with two accesses that might be merged? */
static bool has_candidates(Function &function)
{
	const DataLayout &layout = function.getParent()->getDataLayout();

	for (BasicBlock &block : function) {
		unsigned count[2] = {0, 0}, bytes;

		for (Instruction &inst : block)
			if (is_candidate(inst, layout, bytes) && ++count[isa<StoreInst>(inst)] > 1)
				return true;
	}
	return false;
}

/* What the back end does on IR, from -O2 on. */
static void prepare_on_ir(Function &function, FunctionAnalysisManager &manager, unsigned level,
			  bool remove)
{
	/* Addresses of an unrolled loop become one plus constants, which shows neighbours. */
	separate_offsets(function, manager);
	if (remove && level > 2)
		manager.invalidate(function, GVNPass().run(function, manager));
	else if (remove)
		remove_repeated_accesses(function, manager, RemovedBy::EarlyCSE);
}

void ir_merge_accesses(LLVMValueRef value, void *analyses, unsigned level, bool remove)
{
	auto *function = unwrap<Function>(value);
	FunctionAnalysisManager &manager = function_analyses(*function->getParent(), analyses);

	manager.invalidate(*function, InferAddressSpacesPass().run(*function, manager));
	AccessLines lines(*function);

	if (level > 1)
		prepare_on_ir(*function, manager, level, remove);
	MachineAddresses addresses(*function, manager, level);

	addresses.hold(!remove);

	if (level > 1)
		manager.invalidate(*function, LoadStoreVectorizerPass().run(*function, manager));
	addresses.release();
	lines.restore(*function);
	/* GVN leaves less to instruction selection than is found here. */
	if (remove && level < 3)
		remove_repeated_accesses(*function, manager, RemovedBy::Selection);
	if (narrow_loads(*function))
		manager.invalidate(*function, PreservedAnalyses::none());
	if (has_candidates(*function)) {
		manager.invalidate(*function, PreservedAnalyses::none());
		Merger(*function, manager, addresses).run();
		manager.invalidate(*function, PreservedAnalyses::none());
	}
	if (divide_uneven(*function, lines))
		manager.invalidate(*function, PreservedAnalyses::none());
}

//===- ReplicaEqualUses.cpp - Uses by ops, regions and functions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

#include "ReplicaEqualNumbers.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

bool replica_equal::isSeparate(Operation *op) {
  return op->getNumRegions() > 0 &&
         (isa<FunctionOpInterface>(op) || op->hasTrait<OpTrait::SymbolTable>());
}

bool replica_equal::isHandle(Value value) {
  return isa<pop::RefType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The access of `accesses` by the same operand or result, or a new one.
static Access &getAccess(SmallVectorImpl<Access> &accesses,
                         std::optional<unsigned> operand,
                         std::optional<unsigned> result) {
  for (Access &access : accesses)
    if (access.operand == operand && access.result == result && !access.state)
      return access;
  Access &access = accesses.emplace_back();
  access.operand = operand;
  access.result = result;
  return access;
}

/// The region that `ref` shows; nothing if it may be any.
std::optional<MemoryRegionRef> EquationBuilder::getMemoryRegion(Value ref) {
  auto [it, isNew] = memoryRegionsOf.try_emplace(ref);
  if (isNew) {
    const RefOrigin &origin = origins.get(ref);
    if (origin.isKnown())
      it->second = memoryRegions.getMemoryRegion(origin);
  }
  return it->second;
}

void EquationBuilder::addMemoryAccesses(Operation *op,
                                        SmallVectorImpl<Access> &accesses) {
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    Access &any = getAccess(accesses, std::nullopt, std::nullopt);
    any.reads = any.writes = true;
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  bool isInPlace = isa<pop::InPlaceOpInterface>(op);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    bool writes = isa<MemoryEffects::Write>(effect.getEffect());
    if (!reads && !writes)
      continue;
    Value value = effect.getValue();
    // Named resources of an op with rules are its states, which it tells.
    if (!value && isa<ReplicaEqualOpInterface>(op) &&
        effect.getResource() != SideEffects::DefaultResource::get())
      continue;
    std::optional<unsigned> operand, result;
    if (OpOperand *use = effect.getEffectValue<OpOperand *>())
      operand = use->getOperandNumber();
    else if (auto made = effect.getEffectValue<OpResult>())
      result = made.getResultNumber();
    Access &access = getAccess(accesses, operand, result);
    access.reads |= reads;
    access.writes |= writes;
    access.isTotal |=
        writes && (isInPlace || result || effect.getEffectOnFullRegion());
    if (value && isHandle(value))
      if (std::optional<MemoryRegionRef> known = getMemoryRegion(value))
        access.memoryRegion = known;
  }
}

SmallVector<Access> EquationBuilder::findAccesses(Operation *op) {
  SmallVector<Access> accesses;
  addMemoryAccesses(op, accesses);
  auto rule = dyn_cast<ReplicaEqualOpInterface>(op);
  if (!rule)
    return accesses;
  for (auto [i, use] : llvm::enumerate(rule.getReplicaStateUses())) {
    Access &access = accesses.emplace_back();
    std::optional<NumberRange> parts;
    if (use.partOperand)
      parts = getNumberRange(op->getOperand(*use.partOperand));
    ReplicaState state = use.state;
    if (parts && parts->loops.empty())
      state.part = parts->numbers.offset;
    access.memoryRegion = memoryRegions.getMemoryRegion(
        state, parts ? std::optional(parts->numbers) : std::nullopt);
    access.loop = parts ? parts->getOutermostLoop() : nullptr;
    access.reads = use.reads;
    access.writes = use.writes;
    access.isTotal = access.memoryRegion->isExact;
    access.state = i;
  }
  return accesses;
}

/// What `op`, the next one that is built, accesses.
ArrayRef<Access> EquationBuilder::takeAccesses(Operation *op) {
  size_t begin = numTaken;
  while (numTaken < allAccesses.size() && allAccesses[numTaken].op == op)
    ++numTaken;
  return ArrayRef(allAccesses).slice(begin, numTaken - begin);
}

//===----------------------------------------------------------------------===//
// Regions and functions
//===----------------------------------------------------------------------===//

void EquationBuilder::addUse(MemoryRegion memoryRegion, bool isAccessed,
                             bool isWritten, Uses &uses) const {
  Value root =
      memoryRegions.getKey(memoryRegions.getMemoryLocationOf(memoryRegion))
          .getRoot();
  if (!root || isa<BlockArgument>(root)) {
    uses.touched.insert(memoryRegion);
    if (isAccessed)
      uses.accessed.insert(memoryRegion);
  }
  if (isWritten)
    uses.written.insert(memoryRegion);
}

void EquationBuilder::collectCall(CallOpInterface call, Uses &uses) {
  FunctionOpInterface callee = calls.getCallee(call);
  auto known = callee ? functions.find(callee) : functions.end();
  // A call that leads back here, or to nowhere.
  if (known == functions.end() || callee.isExternal()) {
    hasUnknown = true;
    hasIndirectCalls |= isa<Value>(call.getCallableForCallee());
    return;
  }
  for (auto [result, argument] :
       llvm::zip_equal(call->getResults(), known->second.passedOn))
    if (argument)
      sources.addCopy(result, call.getArgOperands()[argument.getArgNumber()]);
  const Uses &inside = known->second.uses;
  for (MemoryRegion memoryRegion : inside.touched) {
    bool isAccessed = inside.accessed.contains(memoryRegion);
    bool isWritten = inside.written.contains(memoryRegion);
    auto argument = dyn_cast_if_present<BlockArgument>(
        memoryRegions.getKey(memoryRegions.getMemoryLocationOf(memoryRegion))
            .getRoot());
    if (!argument) {
      addUse(memoryRegion, isAccessed, isWritten, uses);
      continue;
    }
    const RefOrigin &operand =
        origins.get(call.getArgOperands()[argument.getArgNumber()]);
    if (!operand.isKnown()) {
      hasUnknown = true;
      continue;
    }
    // Regions that are found here are regions of the same location in turn.
    addUse(memoryRegions.getMemoryRegionThrough(operand, argument, memoryRegion)
               .memoryRegion,
           isAccessed, isWritten, uses);
  }
}

void EquationBuilder::collectAccesses(Operation *op, Uses &uses) {
  SmallVector<Access> accesses = findAccesses(op);
  for (Access &access : accesses) {
    access.op = op;
    allAccesses.push_back(access);
    if (access.memoryRegion)
      addUse(access.memoryRegion->memoryRegion, /*isAccessed=*/true,
             access.writes, uses);
    else
      hasUnknown = true;
    if (access.writes && access.loop &&
        isExecutedEachIteration(op, access.loop))
      replacedBy[access.loop].insert(access.memoryRegion->memoryRegion);
  }
  for (Value result : op->getResults())
    if (isHandle(result))
      if (std::optional<MemoryRegionRef> known = getMemoryRegion(result))
        addUse(known->memoryRegion, /*isAccessed=*/false, /*isWritten=*/false,
               uses);
}

void EquationBuilder::collect(Region &region, Uses &uses) {
  for (Block &block : region) {
    numValues += block.getNumArguments();
    ++numBlocks;
  }
  for (Operation &op : region.getOps()) {
    if (isSeparate(&op))
      continue;
    numValues += op.getNumResults();
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      collectCall(call, uses);
      continue;
    }
    collectAccesses(&op, uses);
    if (op.getNumRegions() == 0) {
      if (semantics->folds(&op))
        sources.addFold(&op);
      if (auto select = dyn_cast<SelectLikeOpInterface>(op))
        sources.addSelect(select);
      continue;
    }
    Uses inner;
    for (Region &nested : op.getRegions())
      collect(nested, inner);
    uses.add(inner);
    RegionsOf &regions = addRegions(&op, inner);
    if (auto branches = dyn_cast<RegionBranchOpInterface>(op)) {
      regions.flow = getRegionFlow(
          branches, [&](Value value) { return sources.getConstant(value); });
      sources.addBranches(branches, regions.flow);
    }
  }
}

RegionsOf &EquationBuilder::addRegions(Operation *op, Uses &inner) {
  regionsOf[op] = allRegions.size();
  return allRegions.emplace_back(RegionsOf{inner.written.takeVector(), {}});
}

/// Finds the results that are the same argument wherever a function returns.
SmallVector<BlockArgument, 1>
EquationBuilder::findPassedOn(FunctionOpInterface function) {
  Region &body = function.getFunctionBody();
  SmallVector<Value> single(function.getNumResults());
  SmallVector<bool> isKnown(function.getNumResults(), true);
  for (Block &block : body) {
    if (block.empty() || block.back().getNumSuccessors() > 0)
      continue;
    for (auto [value, source, known] :
         llvm::zip(block.back().getOperands(), single, isKnown)) {
      Value own = sources.getSource(value);
      known &= !source || source == own;
      source = own;
    }
  }
  SmallVector<BlockArgument, 1> passedOn;
  for (auto [source, known] : llvm::zip_equal(single, isKnown)) {
    auto argument = dyn_cast_if_present<BlockArgument>(source);
    bool isOwn = known && argument && argument.getOwner() == &body.front();
    passedOn.push_back(isOwn ? argument : BlockArgument());
  }
  return passedOn;
}

void EquationBuilder::collect(FunctionOpInterface function) {
  Uses uses;
  for (BlockArgument argument : function.getArguments())
    if (isHandle(argument))
      addUse(memoryRegions.getWhole(memoryRegions.getMemoryLocation(argument)),
             /*isAccessed=*/false, /*isWritten=*/false, uses);
  collect(function.getFunctionBody(), uses);
  FunctionNodes &nodes = functions[function];
  nodes.passedOn = findPassedOn(function);
  for (MemoryRegion memoryRegion : uses.touched)
    addUse(memoryRegion, uses.accessed.contains(memoryRegion),
           uses.written.contains(memoryRegion), nodes.uses);
  nodes.usesSymbols =
      llvm::any_of(nodes.uses.touched, [&](MemoryRegion memoryRegion) {
        MemoryLocationId location =
            memoryRegions.getMemoryLocationOf(memoryRegion);
        return !memoryRegions.getKey(location).getRoot();
      });
  addRegions(function, uses);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// Splits ranges that may overlap where one of them begins or ends.
static AtomRanges cut(ArrayRef<AtomRange> ranges) {
  if (ranges.size() == 1)
    return AtomRanges(ranges);
  SmallVector<std::pair<unsigned, int>> borders;
  for (const AtomRange &range : ranges) {
    borders.emplace_back(range.begin, 1);
    borders.emplace_back(range.end, -1);
  }
  llvm::sort(borders);
  AtomRanges segments;
  int depth = 0;
  for (size_t i = 0; i < borders.size();) {
    unsigned at = borders[i].first;
    for (; i < borders.size() && borders[i].first == at; ++i)
      depth += borders[i].second;
    if (depth > 0)
      segments.push_back({at, borders[i].first});
  }
  return segments;
}

SmallVector<Segments, 0>
EquationBuilder::getSegments(ArrayRef<MemoryRegion> regions) const {
  llvm::SmallMapVector<MemoryLocationId, AtomRanges, 4> ranges;
  for (MemoryRegion memoryRegion : regions)
    llvm::append_range(ranges[memoryRegions.getMemoryLocationOf(memoryRegion)],
                       memoryRegions.getAtoms(memoryRegion));
  SmallVector<Segments, 0> segments;
  segments.reserve(ranges.size());
  for (auto &[memoryLocation, own] : ranges)
    segments.push_back({memoryLocation, cut(own)});
  return segments;
}

SmallVector<Segments, 0>
EquationBuilder::getWrittenSegments(Operation *op) const {
  auto regions = regionsOf.find(op);
  if (regions == regionsOf.end())
    return {};
  return getSegments(allRegions[regions->second].written);
}

//===- ReplicaEqualUses.cpp - What ops, regions and functions use ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

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
    if (value && isHandle(value) && origins.get(value).isKnown())
      access.memoryRegion = memoryRegions.getMemoryRegion(origins.get(value));
  }
}

void EquationBuilder::getAccesses(Operation *op,
                                  SmallVectorImpl<Access> &accesses) {
  addMemoryAccesses(op, accesses);
  auto rule = dyn_cast<ReplicaEqualOpInterface>(op);
  if (!rule)
    return;
  for (auto [i, use] : llvm::enumerate(rule.getReplicaStateUses())) {
    Access &access = accesses.emplace_back();
    access.memoryRegion = memoryRegions.getMemoryRegion(use.state);
    access.reads = use.reads;
    access.writes = use.writes;
    access.isTotal = access.memoryRegion->isExact;
    access.state = i;
  }
}

//===----------------------------------------------------------------------===//
// Regions and functions
//===----------------------------------------------------------------------===//

/// Whether the callee has two ways to the same elements and may modify them,
/// even if it reads them by one way only.
bool EquationBuilder::meetsTwice(CallOpInterface call,
                                 FunctionOpInterface callee,
                                 const Uses &inside) {
  struct Operand {
    MemoryRegion memoryRegion;
    bool isWritten;
  };
  llvm::SmallDenseMap<MemoryLocationId, SmallVector<Operand, 1>, 4> passed;
  for (auto [operand, argument] :
       llvm::zip_equal(call.getArgOperands(), callee.getArguments())) {
    if (!isHandle(operand) || !origins.get(operand).isKnown())
      continue;
    Operand own{
        memoryRegions.getMemoryRegion(origins.get(operand)).memoryRegion,
        inside.written.contains(memoryRegions.getMemoryLocation(argument))};
    MemoryLocationId memoryLocation =
        memoryRegions.getMemoryLocationOf(own.memoryRegion);
    if (inside.touched.contains(memoryLocation) &&
        (own.isWritten || inside.written.contains(memoryLocation)))
      return true;
    for (const Operand &other : passed[memoryLocation])
      if ((own.isWritten || other.isWritten) &&
          memoryRegions.getCover(own.memoryRegion, other.memoryRegion) !=
              Cover::None)
        return true;
    passed[memoryLocation].push_back(own);
  }
  return false;
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
  const Uses &inside = known->second.uses;
  hasUnknown |= meetsTwice(call, callee, inside);
  auto add = [&](MemoryLocationId memoryLocation, bool isWritten) {
    uses.touched.insert(memoryLocation);
    if (isWritten)
      uses.written.insert(memoryLocation);
  };
  for (MemoryLocationId memoryLocation : inside.touched) {
    bool isWritten = inside.written.contains(memoryLocation);
    auto argument = dyn_cast_if_present<BlockArgument>(
        memoryRegions.getKey(memoryLocation).getRoot());
    if (!argument) {
      add(memoryLocation, isWritten);
      continue;
    }
    const RefOrigin &operand =
        origins.get(call.getArgOperands()[argument.getArgNumber()]);
    if (!operand.isKnown()) {
      hasUnknown = true;
      continue;
    }
    // Cells that are found here are cells of the same place in turn.
    SmallVector<MemoryRegion> inner(
        memoryRegions.getMemoryRegions(memoryLocation));
    for (MemoryRegion memoryRegion : inner)
      add(memoryRegions.getMemoryLocationOf(
              memoryRegions
                  .getMemoryRegionThrough(operand, argument, memoryRegion)
                  .memoryRegion),
          isWritten);
  }
}

void EquationBuilder::collect(Region &region, Uses &uses) {
  SmallVector<Access> accesses;
  for (Operation &op : region.getOps()) {
    if (isa<FunctionOpInterface>(op) || op.hasTrait<OpTrait::SymbolTable>())
      continue;
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      collectCall(call, uses);
      continue;
    }
    accesses.clear();
    getAccesses(&op, accesses);
    for (const Access &access : accesses) {
      if (!access.memoryRegion) {
        hasUnknown = true;
        continue;
      }
      MemoryLocationId memoryLocation =
          memoryRegions.getMemoryLocationOf(access.memoryRegion->memoryRegion);
      uses.touched.insert(memoryLocation);
      if (access.writes)
        uses.written.insert(memoryLocation);
    }
    for (Value result : op.getResults())
      if (isHandle(result) && origins.get(result).isKnown())
        uses.touched.insert(memoryRegions.getMemoryLocationOf(
            memoryRegions.getMemoryRegion(origins.get(result)).memoryRegion));
    if (op.getNumRegions() == 0)
      continue;
    Uses inner;
    for (Region &nested : op.getRegions())
      collect(nested, inner);
    uses.add(inner);
    usesOf[&op] = std::move(inner);
  }
}

void EquationBuilder::collect(FunctionOpInterface function) {
  Uses uses;
  for (BlockArgument argument : function.getArguments())
    if (isHandle(argument))
      uses.touched.insert(memoryRegions.getMemoryLocation(argument));
  collect(function.getFunctionBody(), uses);
  FunctionNodes &nodes = functions[function];
  auto isSeen = [&](MemoryLocationId memoryLocation) {
    Value root = memoryRegions.getKey(memoryLocation).getRoot();
    return !root || isa<BlockArgument>(root);
  };
  for (MemoryLocationId memoryLocation : uses.touched)
    if (isSeen(memoryLocation))
      nodes.uses.touched.insert(memoryLocation);
  for (MemoryLocationId memoryLocation : uses.written)
    if (isSeen(memoryLocation))
      nodes.uses.written.insert(memoryLocation);
  usesOf[function] = std::move(uses);
}

SmallVector<MemoryRegion>
EquationBuilder::getWrittenMemoryRegions(Operation *op) const {
  SmallVector<MemoryRegion> written;
  auto uses = usesOf.find(op);
  if (uses != usesOf.end())
    for (MemoryLocationId memoryLocation : uses->second.written)
      llvm::append_range(written,
                         memoryRegions.getMemoryRegions(memoryLocation));
  return written;
}

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
      access.cell = cells.getCell(origins.get(value));
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
    access.cell = cells.getCell(use.state);
    access.reads = use.reads;
    access.writes = use.writes;
    access.isTotal = access.cell->isExact;
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
    Cell cell;
    bool isWritten;
  };
  llvm::SmallDenseMap<PlaceId, SmallVector<Operand, 1>, 4> passed;
  for (auto [operand, argument] :
       llvm::zip_equal(call.getArgOperands(), callee.getArguments())) {
    if (!isHandle(operand) || !origins.get(operand).isKnown())
      continue;
    Operand own{cells.getCell(origins.get(operand)).cell,
                inside.written.contains(cells.getPlace(argument))};
    PlaceId place = cells.getPlaceOf(own.cell);
    if (inside.touched.contains(place) &&
        (own.isWritten || inside.written.contains(place)))
      return true;
    for (const Operand &other : passed[place])
      if ((own.isWritten || other.isWritten) &&
          cells.getCover(own.cell, other.cell) != Cover::None)
        return true;
    passed[place].push_back(own);
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
  auto add = [&](PlaceId place, bool isWritten) {
    uses.touched.insert(place);
    if (isWritten)
      uses.written.insert(place);
  };
  for (PlaceId place : inside.touched) {
    bool isWritten = inside.written.contains(place);
    auto argument =
        dyn_cast_if_present<BlockArgument>(cells.getKey(place).getRoot());
    if (!argument) {
      add(place, isWritten);
      continue;
    }
    const RefOrigin &operand =
        origins.get(call.getArgOperands()[argument.getArgNumber()]);
    if (!operand.isKnown()) {
      hasUnknown = true;
      continue;
    }
    // Cells that are found here are cells of the same place in turn.
    SmallVector<Cell> inner(cells.getCells(place));
    for (Cell cell : inner)
      add(cells.getPlaceOf(cells.getCellThrough(operand, argument, cell).cell),
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
      if (!access.cell) {
        hasUnknown = true;
        continue;
      }
      PlaceId place = cells.getPlaceOf(access.cell->cell);
      uses.touched.insert(place);
      if (access.writes)
        uses.written.insert(place);
    }
    for (Value result : op.getResults())
      if (isHandle(result) && origins.get(result).isKnown())
        uses.touched.insert(
            cells.getPlaceOf(cells.getCell(origins.get(result)).cell));
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
      uses.touched.insert(cells.getPlace(argument));
  collect(function.getFunctionBody(), uses);
  FunctionNodes &nodes = functions[function];
  auto isSeen = [&](PlaceId place) {
    Value root = cells.getKey(place).getRoot();
    return !root || isa<BlockArgument>(root);
  };
  for (PlaceId place : uses.touched)
    if (isSeen(place))
      nodes.uses.touched.insert(place);
  for (PlaceId place : uses.written)
    if (isSeen(place))
      nodes.uses.written.insert(place);
  usesOf[function] = std::move(uses);
}

SmallVector<Cell> EquationBuilder::getWrittenCells(Operation *op) const {
  SmallVector<Cell> written;
  auto uses = usesOf.find(op);
  if (uses != usesOf.end())
    for (PlaceId place : uses->second.written)
      llvm::append_range(written, cells.getCells(place));
  return written;
}

//===- TileMemoryProblem.cpp - Memory problem of a program ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryProblemReader.h"

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileMemory/StepMemoryInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

const TileCounts &ProblemReader::getElements(TileMappingAttr mapping) {
  auto [it, isNew] = elementsOfTileMapping.try_emplace(mapping);
  if (isNew)
    it->second = getElementsPerTile(mapping, numTiles);
  return it->second;
}

unsigned ProblemReader::getLayout(MemRefType type) {
  TileMappingAttr mapping = getTileMapping(type);
  int64_t bytes = getStoredBytes(type.getElementType());
  auto [it, isNew] =
      layouts.try_emplace({mapping, bytes}, problem.layouts.size());
  if (isNew)
    problem.layouts.push_back(
        transform(getElements(mapping),
                  [&](int64_t count) { return (Count(count) * bytes).get(); }));
  return it->second;
}

unsigned ProblemReader::getStorage(StorageOp op) {
  auto [it, isNew] = numberOfVar.try_emplace(op, problem.variables.size());
  if (!isNew)
    return it->second;
  MemoryVariable variable;
  variable.layout = getLayout(cast<MemRefType>(op.getType()));
  variable.align = target.memory_align_bytes;
  variable.op = op;
  problem.variables.push_back(variable);
  return it->second;
}

void ProblemReader::addVariable(VarOp op) {
  if (op.getStorageAttr()) {
    auto storage =
        symbols.lookupNearestSymbolFrom<StorageOp>(op, op.getStorageAttr());
    // Symbols are verified only below a symbol table.
    if (storage)
      numberOfVar[op] = getStorage(storage);
    return;
  }
  MemoryVariable variable;
  variable.layout = getLayout(op.getResult().getType());
  variable.begin = getStep();
  variable.end = -1;
  variable.alwaysLive = static_cast<bool>(op.getInitAttr());
  variable.align = target.memory_align_bytes;
  variable.op = op;
  numberOfVar[op] = problem.variables.size();
  problem.variables.push_back(variable);
}

MemoryVariable *ProblemReader::findVariable(Value value) {
  auto number = numberOfVar.find(getVariable(value));
  return number == numberOfVar.end() ? nullptr
                                     : &problem.variables[number->second];
}

/// States are kept between runs, and the storage is there whether it is used
/// or not.
void ProblemReader::readStates() {
  auto module = entry->getParentOfType<ModuleOp>();
  if (!module)
    return;
  auto keep = [&](auto state) {
    if (auto storage = symbols.lookupNearestSymbolFrom<StorageOp>(
            state, state.getLocationAttr()))
      problem.variables[getStorage(storage)].alwaysLive = true;
  };
  for (Operation &op : *module.getBody())
    llvm::TypeSwitch<Operation *>(&op).Case<StateOp, RngStateOp>(keep);
}

/// Returns the numbers of the variables that moves of `op` write as a whole,
/// and that no move of `op` reads.
llvm::SmallDenseSet<unsigned>
ProblemReader::getOverwritten(ExchangeOp op) const {
  llvm::SmallDenseSet<unsigned> overwritten;
  for (auto move : op.getBody().getOps<MoveOp>()) {
    auto number = numberOfVar.find(move.getTarget().getDefiningOp());
    if (number != numberOfVar.end())
      overwritten.insert(number->second);
  }
  for (auto move : op.getBody().getOps<MoveOp>()) {
    auto number = numberOfVar.find(getVariable(move.getSource()));
    if (number != numberOfVar.end())
      overwritten.erase(number->second);
  }
  return overwritten;
}

void ProblemReader::use(Operation *op, int64_t step) {
  llvm::SmallDenseSet<unsigned> overwritten;
  if (auto exchange = dyn_cast<ExchangeOp>(op);
      exchange && isAlwaysExecuted(op))
    overwritten = getOverwritten(exchange);
  auto useOperands = [&](Operation *user) {
    for (Value operand : user->getOperands()) {
      auto number = numberOfVar.find(getVariable(operand));
      if (number != numberOfVar.end() &&
          isa<StorageOp>(problem.variables[number->second].op))
        liveRanges.use(number->second, step,
                       overwritten.contains(number->second));
    }
  };
  // What is in a loop or branch are steps of their own.
  if (isa<RegionBranchOpInterface>(op))
    useOperands(op);
  else
    op->walk(useOperands);
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

void ProblemReader::addVertexCode(CodeletOp codelet,
                                  const TileCounts &vertices) {
  auto [it, isNew] =
      codelets.try_emplace(codelet, CodeletUse{TileCounts(numTiles), {}});
  it->second.vertices.add(vertices);
  it->second.functions.insert(function);
}

void ProblemReader::addExchangeCode(ExchangeOp op) {
  // What moves follows from the types and from which sources are the same.
  std::vector<std::pair<const void *, size_t>> key;
  llvm::SmallDenseMap<Operation *, size_t, 4> sources;
  for (auto move : op.getBody().getOps<MoveOp>()) {
    Operation *source = getVariable(move.getSource());
    size_t number = sources.try_emplace(source, sources.size()).first->second;
    key.emplace_back(move.getSource().getType().getAsOpaquePointer(), number);
    key.emplace_back(move.getTarget().getType().getAsOpaquePointer(), 0);
  }
  auto [it, isNew] = codeOfMoves.try_emplace(std::move(key));
  if (isNew)
    it->second = getExchangeCode(
        target, getExchangeTraffic(target, getExchangeMoves(op)));
  addCodeOf(op, MemoryCategory::ExchangeCode, it->second);
}

void ProblemReader::addCodeOf(Operation *op, MemoryCategory category,
                              const TileCounts &bytes) {
  getCode(category).add(bytes);
  notePart(op, category, bytes.get(tile));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ProblemReader::addControlStep(Operation *op) {
  getCode(MemoryCategory::ControlCode).add(0, numTiles, target.sync_code_bytes);
  notePart(op, MemoryCategory::ControlCode, target.sync_code_bytes);
  addStep(op);
}

LogicalResult ProblemReader::readOp(Operation &op) {
  if (auto model = dyn_cast<StepMemoryOpInterface>(op))
    return model.addToMemoryProblem(*this);
  if (isa<StepOpInterface>(op) || op.hasTrait<InProgram>())
    return op.emitOpError("has unknown memory needs: the op does not implement "
                          "StepMemoryOpInterface");
  // What is not lowered yet may move code, or hold ops that are lowered.
  if (isa<CodeLoadOpInterface>(op)) {
    setLoadsCode();
    addControlStep(&op);
    return success();
  }
  return isa<RegionBranchOpInterface>(op) ? readLoop(&op) : success();
}

LogicalResult ProblemReader::readRegions(Operation *op) {
  for (Region &region : op->getRegions())
    if (!region.empty() && failed(readBlock(region.front())))
      return failure();
  return success();
}

LogicalResult ProblemReader::readLoop(Operation *op) {
  liveRanges.beginLoop(getStep());
  if (failed(readRegions(op)))
    return failure();
  addControlStep(op);
  liveRanges.endLoop(getStep() - 1);
  return success();
}

LogicalResult ProblemReader::readBlock(Block &block) {
  unsigned firstVariable = problem.variables.size();
  for (Operation &op : block)
    if (failed(readOp(op)))
      return failure();
  for (MemoryVariable &variable :
       MutableArrayRef(problem.variables).drop_front(firstVariable))
    if (variable.end < 0)
      variable.end = getStep();
  return success();
}

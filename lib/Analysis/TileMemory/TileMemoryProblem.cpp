//===- TileMemoryProblem.cpp - What a program needs of memory ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryProblemReader.h"

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

const TileCounts &ProblemReader::getElements(MapAttr map) {
  auto [it, isNew] = elementsOfMap.try_emplace(map);
  if (isNew)
    it->second = getElementsPerTile(map, numTiles);
  return it->second;
}

unsigned ProblemReader::getLayout(MemRefType type) {
  MapAttr map = getMap(type);
  int64_t bytes = getStoredBytes(type.getElementType());
  auto [it, isNew] = layouts.try_emplace({map, bytes}, problem.layouts.size());
  if (isNew)
    problem.layouts.push_back(transform(getElements(map), [&](int64_t count) {
      return (Count(count) * bytes).get();
    }));
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

void ProblemReader::readVar(VarOp op) {
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

/// The storage of states is there whether it is used or not.
void ProblemReader::readStates() {
  auto module = entry->getParentOfType<ModuleOp>();
  if (!module)
    return;
  for (auto state : module.getOps<StateOp>())
    if (auto storage = symbols.lookupNearestSymbolFrom<StorageOp>(
            state, state.getLocationAttr()))
      problem.variables[getStorage(storage)].alwaysLive = true;
}

void ProblemReader::use(Operation *op, int64_t step) {
  auto useOperands = [&](Operation *user) {
    for (Value operand : user->getOperands()) {
      auto number = numberOfVar.find(getVariable(operand));
      if (number != numberOfVar.end() &&
          isa<StorageOp>(problem.variables[number->second].op))
        lives.use(number->second, step);
    }
  };
  // What is in a loop or branch are steps of their own.
  if (isa<RegionBranchOpInterface>(op))
    useOperands(op);
  else
    op->walk(useOperands);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

LogicalResult ProblemReader::readVertices(VerticesOp op, TileCounts &vertices) {
  auto codelet =
      symbols.lookupNearestSymbolFrom<CodeletOp>(op, op.getCodeletAttr());
  // Symbols are verified only below a symbol table.
  if (!codelet)
    return op.emitOpError()
           << "expects " << op.getCodeletAttr() << " to be an 'ipu.codelet'";
  SmallVector<const TileCounts *> outputs;
  for (unsigned i = op.getInputs().size(), e = op.getBuffers().size(); i < e;
       ++i)
    outputs.push_back(&getElements(op.getAccessMap(i)));
  TileCounts here =
      TileCounts::combine(outputs, [](ArrayRef<int64_t> elements) {
        return llvm::is_contained(elements, 0) ? 0 : 1;
      });
  vertices.add(here);
  auto [it, isNew] =
      codelets.try_emplace(codelet, CodeletUse{TileCounts(numTiles), function});
  it->second.vertices.add(here);
  if (it->second.function != function)
    it->second.function = nullptr;
  int64_t state = (Count(target.vertex_bytes) +
                   Count(target.vertex_edge_bytes) * op->getNumOperands())
                      .get();
  get(MemoryCategory::VertexState).add(transform(here, [&](int64_t count) {
    return (Count(count) * state).get();
  }));
  if (!usesMatrixUnit(codelet.getCost()))
    return success();
  for (Value operand : op.getBuffers()) {
    auto number = numberOfVar.find(getVariable(operand));
    if (number == numberOfVar.end())
      continue;
    MemoryVariable &variable = problem.variables[number->second];
    variable.align = target.amp_align_bytes;
    variable.gapPermille = target.element_gap_permille;
  }
  return success();
}

LogicalResult ProblemReader::readComputeSet(ComputeSetOp op) {
  TileCounts vertices(numTiles);
  for (auto inner : op.getBody().getOps<VerticesOp>())
    if (failed(readVertices(inner, vertices)))
      return failure();
  getCode(MemoryCategory::ControlCode)
      .add(transform(vertices, [&](int64_t count) {
        return count > 0 ? target.compute_set_code_bytes : 0;
      }));
  addStep(op);
  return success();
}

void ProblemReader::readExchange(ExchangeOp op) {
  addStep(op);
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
  getCode(MemoryCategory::ExchangeCode).add(it->second);
}

/// Each replica sends to, and receives from, each other one of its group.
void ProblemReader::readCollective(CollectiveOp op) {
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      op.getGroupsAttr(), target.replicas, [&] { return op.emitOpError(); });
  int64_t others = succeeded(groups) ? groups->getGroupSize() - 1 : 0;
  int64_t bytes = (Count(target.exchange_control_code_bytes) +
                   (Count(target.exchange_send_code_bytes) +
                    target.exchange_receive_code_bytes) *
                       others)
                      .get();
  for (Value value : {Value(op.getSource()), Value(op.getTarget())})
    getCode(MemoryCategory::ExchangeCode)
        .add(transform(
            getElements(getMap(cast<MemRefType>(value.getType()))),
            [&](int64_t elements) { return elements > 0 ? bytes : 0; }));
}

void ProblemReader::readHostCopy(Value value) {
  auto type = cast<MemRefType>(value.getType());
  int64_t elementBytes = getStoredBytes(type.getElementType());
  get(MemoryCategory::HostExchange)
      .add(transform(getElements(getMap(type)), [&](int64_t elements) {
        Count packets = (Count(elements) * elementBytes).divideCeil(1024);
        return elements == 0 ? 0
                             : (Count(target.host_copy_bytes) +
                                packets * target.host_packet_bytes)
                                   .get();
      }));
}

LogicalResult ProblemReader::addControlStep(Operation *op) {
  getCode(MemoryCategory::ControlCode).add(0, numTiles, target.sync_code_bytes);
  addStep(op);
  return success();
}

LogicalResult ProblemReader::readRegions(RegionBranchOpInterface op) {
  bool isLoop = !isa<IfOp>(op.getOperation());
  if (isLoop)
    lives.beginLoop(getStep());
  for (Region &region : op->getRegions())
    if (!region.empty() && failed(readBlock(region.front())))
      return failure();
  if (failed(addControlStep(op)))
    return failure();
  if (isLoop)
    lives.endLoop(getStep() - 1);
  return success();
}

LogicalResult ProblemReader::readOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](VarOp var) { return readVar(var), success(); })
      .Case([&](WriteUndefOp undef) {
        auto number = numberOfVar.find(getVariable(undef.getVariable()));
        if (number != numberOfVar.end())
          problem.variables[number->second].end = getStep();
        return success();
      })
      .Case([&](ComputeSetOp set) { return readComputeSet(set); })
      .Case([&](ExchangeOp exchange) {
        return readExchange(exchange), success();
      })
      .Case<HostLoadOp, HostStoreOp>([&](auto copy) {
        readHostCopy(copy.getVariable());
        return addControlStep(copy);
      })
      .Case([&](RemoteExchangeOp exchange) {
        for (auto load : exchange.getBody().getOps<RemoteLoadOp>())
          readHostCopy(load.getVariable());
        for (auto store : exchange.getBody().getOps<RemoteStoreOp>())
          readHostCopy(store.getVariable());
        return addControlStep(exchange);
      })
      .Case([&](CollectiveOp collective) {
        readCollective(collective);
        return addControlStep(collective);
      })
      .Case([&](CallOp call) { return readCall(call); })
      .Case<CodeLoadOpInterface>([&](auto load) {
        loadsCode = true;
        return addControlStep(load);
      })
      .Case<SyncOp, ReplicaIndexOp>(
          [&](auto step) { return addControlStep(step); })
      .Case<RegionBranchOpInterface>([&](auto op) { return readRegions(op); })
      .Case([&](ExpectOp check) {
        // By the host, behind the step before it.
        use(check, std::max<int64_t>(getStep() - 1, 0));
        return success();
      })
      .Default([](Operation *) { return success(); });
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

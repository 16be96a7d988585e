//===- TileMemoryProblem.cpp - What a program needs of memory ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"
#include "ipu-mlir/Analysis/Exchange.h"
#include "ipu-mlir/Analysis/TileMemory.h"

#include "ipu-mlir/Analysis/Count.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace mlir::ipu;

/// `combine` of the numbers of each tile.
static TileCounts transform(const TileCounts &counts,
                            function_ref<int64_t(int64_t)> combine) {
  return TileCounts::combine(
      {&counts}, [&](ArrayRef<int64_t> values) { return combine(values[0]); });
}

static bool usesMatrixUnit(CodeletCostAttr cost) {
  return (cost.getKind() == CostKind::Matmul ||
          cost.getKind() == CostKind::Conv) &&
         cost.getPer() == 0;
}

static int64_t getCodeBytes(const TargetModel &target, CodeletOp codelet) {
  CodeletCostAttr cost = codelet.getCost();
  if (usesMatrixUnit(cost))
    return target.codelet_amp_bytes;
  if (cost.getKind() == CostKind::Reduce)
    return target.codelet_reduce_bytes;
  if (cost.getKind() == CostKind::Gather)
    return target.codelet_gather_bytes;
  bool isFlat = llvm::all_of(codelet.getArgumentTypes(), [](Type type) {
    return cast<MemRefType>(type).getRank() <= 1;
  });
  return isFlat ? target.codelet_1d_bytes : target.codelet_2d_bytes;
}

namespace {
class ProblemReader {
public:
  ProblemReader(func::FuncOp function)
      : target(getTargetModel(function)),
        numTiles(target.getTilesPerReplica()) {
    problem.numTiles = numTiles;
    problem.tileMemory = target.tile_memory;
    problem.codeMemory = std::min(target.code_memory, target.tile_memory);
    for (TileCounts &part : problem.fixed)
      part = TileCounts(numTiles);
    addOnAllTiles(MemoryCategory::Stack,
                  (Count(target.stack_bytes) + target.runtime_bytes).get());
  }

  FailureOr<MemoryProblem> read(func::FuncOp function);

private:
  LogicalResult readBlock(Block &block);
  LogicalResult readComputeSet(ComputeSetOp op);
  LogicalResult readVertices(VerticesOp op, TileCounts &vertices);
  void readExchange(ExchangeOp op);
  void readVar(VarOp op);
  void readHostCopy(Value variable);

  void addOnAllTiles(MemoryCategory category, int64_t bytes) {
    get(category).add(0, numTiles, bytes);
  }
  TileCounts &get(MemoryCategory category) {
    return problem.fixed[static_cast<unsigned>(category)];
  }
  int64_t getStep() const { return problem.steps.size(); }
  const TileCounts &getElements(MapAttr map);
  unsigned getLayout(MemRefType type);

  TargetModel target;
  int64_t numTiles;
  MemoryProblem problem;
  SymbolTableCollection symbols;
  llvm::DenseMap<Operation *, unsigned> numberOfVar;
  llvm::DenseMap<MapAttr, TileCounts> elementsOfMap;
  /// Of exchanges, by their moves' types and numbers of sources.
  std::map<std::vector<std::pair<const void *, size_t>>, TileCounts>
      codeOfMoves;
  llvm::DenseMap<std::pair<MapAttr, int64_t>, unsigned> layouts;
  /// For each codelet, its vertices on each tile.
  llvm::MapVector<Operation *, TileCounts> verticesOfCodelet;
};
} // namespace

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

void ProblemReader::readVar(VarOp op) {
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
  for (unsigned i = op.getInputs().size(); i < op->getNumOperands(); ++i)
    outputs.push_back(&getElements(op.getAccessMap(i)));
  TileCounts here =
      TileCounts::combine(outputs, [](ArrayRef<int64_t> elements) {
        return llvm::is_contained(elements, 0) ? 0 : 1;
      });
  vertices.add(here);
  auto [it, isNew] = verticesOfCodelet.try_emplace(codelet, numTiles);
  it->second.add(here);
  int64_t state = (Count(target.vertex_bytes) +
                   Count(target.vertex_edge_bytes) * op->getNumOperands())
                      .get();
  get(MemoryCategory::VertexState).add(transform(here, [&](int64_t count) {
    return (Count(count) * state).get();
  }));
  if (!usesMatrixUnit(codelet.getCost()))
    return success();
  for (Value operand : op->getOperands()) {
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
  get(MemoryCategory::ControlCode).add(transform(vertices, [&](int64_t count) {
    return count > 0 ? target.compute_set_code_bytes : 0;
  }));
  problem.steps.push_back(op);
  return success();
}

void ProblemReader::readExchange(ExchangeOp op) {
  problem.steps.push_back(op);
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
  get(MemoryCategory::ExchangeCode).add(it->second);
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

LogicalResult ProblemReader::readBlock(Block &block) {
  unsigned firstVariable = problem.variables.size();
  auto addControlStep = [&](Operation *op) {
    addOnAllTiles(MemoryCategory::ControlCode, target.sync_code_bytes);
    problem.steps.push_back(op);
    return success();
  };
  for (Operation &op : block) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
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
            .Case([&](SyncOp sync) { return addControlStep(sync); })
            .Case([&](RepeatOp repeat) {
              if (failed(readBlock(repeat.getBody().front())))
                return failure();
              return addControlStep(repeat);
            })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  for (MemoryVariable &variable :
       MutableArrayRef(problem.variables).drop_front(firstVariable))
    if (variable.end < 0)
      variable.end = getStep();
  return success();
}

FailureOr<MemoryProblem> ProblemReader::read(func::FuncOp function) {
  if (!function.getBody().empty() &&
      failed(readBlock(function.getBody().front())))
    return failure();
  // A program without steps holds its variables all the same.
  problem.numSteps = std::max<int64_t>(getStep(), 1);
  for (MemoryVariable &variable : problem.variables) {
    if (variable.alwaysLive)
      std::tie(variable.begin, variable.end) =
          std::make_pair(int64_t(0), problem.numSteps);
  }
  for (auto &[codelet, vertices] : verticesOfCodelet) {
    int64_t bytes = getCodeBytes(target, cast<CodeletOp>(codelet));
    get(MemoryCategory::VertexCode).add(transform(vertices, [&](int64_t count) {
      return count > 0 ? bytes : 0;
    }));
  }
  return std::move(problem);
}

FailureOr<MemoryProblem> mlir::ipu::readMemoryProblem(func::FuncOp function) {
  return ProblemReader(function).read(function);
}

//===- CostModel.cpp - Cycles, bytes and operations of steps ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CostModel.h"

#include "Count.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

int64_t mlir::ipu::getStoredBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Codelets
//===----------------------------------------------------------------------===//

namespace {
struct CostRow {
  StringRef name;
  int64_t supervisor, worker;
  // f32, f16, integer
  int64_t cycles[3], per[3];
};
} // namespace

static const CostRow *findCostRow(StringRef name) {
  static const CostRow rows[] = {
#define IPU_CODELET_COST(name, supervisor, worker, c32, p32, c16, p16, ci, pi, \
                         confidence)                                           \
  {#name, supervisor, worker, {c32, c16, ci}, {p32, p16, pi}},
#include "ipu-mlir/Analysis/CodeletCosts.def"
  };
  const auto *it =
      llvm::find_if(rows, [&](const CostRow &row) { return row.name == name; });
  return it == std::end(rows) ? nullptr : it;
}

static CostKind getKind(CodeletCostKind kind) {
  switch (kind) {
  case CodeletCostKind::Vector:
    return CostKind::Vector;
  case CodeletCostKind::Matmul:
    return CostKind::Matmul;
  case CodeletCostKind::Conv:
    return CostKind::Conv;
  case CodeletCostKind::Reduce:
    return CostKind::Reduce;
  }
  llvm_unreachable("covered switch");
}

CodeletCostAttr mlir::ipu::getCodeletCost(const CodeletCost &cost,
                                          Type elementType,
                                          bool scalarOperand) {
  const CostRow *row = findCostRow(cost.name);
  if (!row)
    return nullptr;
  // Types that the machine lacks (f64, bf16) cost what f32 costs.
  unsigned column = elementType.isF16()           ? 1
                    : isa<FloatType>(elementType) ? 0
                                                  : 2;
  int64_t worker = row->worker, cycles = row->cycles[column];
  CostKind kind = getKind(cost.kind);
  if (kind == CostKind::Vector && cycles == 0)
    return nullptr;
  if (kind == CostKind::Reduce && !elementType.isF32())
    worker += 5;
  // A scalar operand stays in a register: one load less for each vector.
  if (scalarOperand && column != 2 &&
      llvm::is_contained({"add", "sub", "mul"}, cost.name)) {
    worker = 20;
    cycles -= 1;
  }
  return CodeletCostAttr::get(elementType.getContext(), kind, row->supervisor,
                              worker, cycles, row->per[column], cost.combined);
}

/// Rows, depth and columns of the products that a matmul or conv vertex sums.
namespace {
struct ContractionSizes {
  Count groups, rows, depth, columns, passes;
  Count getMultiplyAdds() const {
    return groups * rows * depth * columns * passes;
  }
};
} // namespace

static ContractionSizes getContraction(CostKind kind,
                                       ArrayRef<VertexOperand> inputs,
                                       ArrayRef<VertexOperand> outputs) {
  ArrayRef<int64_t> out = outputs[0].sizes, right = inputs[1].sizes;
  if (kind == CostKind::Matmul) // [b, m, n]; [b, k, n]
    return {out[0], out[1], right[1], out[2], 1};
  // [n, g, o, spatial...]; weights [g, o, i, kernel...]
  return {out[1], out[0] * computeProduct(out.drop_front(3)), right[2], out[2],
          computeProduct(right.drop_front(3))};
}

/// Cycles of a worker for `rows` rows through one block of weights (PopLibs'
/// estimator of the n x 1 convolution vertex).
static Count getAmpWorkerCycles(Count rows, bool isF16) {
  int64_t n = rows.get();
  if (n == 0)
    return 0;
  if (isF16)
    return n == 1 ? 31 : n == 2 ? 40 : 37 + 4 * (n - 3);
  return n == 1 ? 47 : n == 2 ? 46 : 46 + 8 * (n - 3);
}

static Count getAmpCycles(const TargetModel &target,
                          const ContractionSizes &sizes, Type elementType) {
  bool isF16 = elementType.isF16();
  Count depthBlock = isF16 ? target.amp_k : target.amp_k_f32;
  Count columnBlock = target.amp_n, workers = target.workers;
  Count inBlocks = sizes.depth.divideCeil(depthBlock);
  Count outBlocks = sizes.columns.divideCeil(columnBlock);
  Count blockBytes = columnBlock * depthBlock * (isF16 ? 2 : 4);
  Count loadWeights = blockBytes.divideCeil(target.vector_bytes);
  Count work =
      workers * getAmpWorkerCycles(sizes.rows.divideCeil(workers), isF16);
  Count pass = Count(6) + loadWeights + work;
  Count outBlock = Count(19) + sizes.passes * pass;
  Count inBlock = Count(15) + outBlocks * outBlock;
  return Count(50) + sizes.groups * (Count(12) + inBlocks * inBlock);
}

static Count getCycles(const TargetModel &target, CodeletCostAttr cost,
                       ArrayRef<VertexOperand> inputs,
                       ArrayRef<VertexOperand> outputs) {
  Count elements = computeProduct(outputs[0].sizes);
  if (elements.get() == 0)
    return 0;
  Count workers = target.workers, worker = cost.getWorker();
  auto vectorCycles = [&](Count n) {
    Count steps = n.divideCeil(workers).divideCeil(cost.getPer());
    return cost.getSupervisor() + workers * (worker + cost.getCycles() * steps);
  };
  switch (cost.getKind()) {
  case CostKind::Vector:
    return vectorCycles(elements);
  case CostKind::Reduce: {
    Type type = inputs.empty() ? outputs[0].elementType : inputs[0].elementType;
    int64_t lanes =
        std::max<int64_t>(target.vector_bytes / getStoredBytes(type), 1);
    Count share = elements.divideCeil(workers);
    return cost.getSupervisor() +
           workers * (worker + Count(12) * share +
                      (share * cost.getCombined()).divideCeil(lanes));
  }
  case CostKind::Matmul:
  case CostKind::Conv: {
    ContractionSizes sizes = getContraction(cost.getKind(), inputs, outputs);
    return cost.getPer() ? vectorCycles(sizes.getMultiplyAdds())
                         : getAmpCycles(target, sizes, inputs[0].elementType);
  }
  }
  llvm_unreachable("covered switch");
}

int64_t mlir::ipu::getVertexCycles(const TargetModel &target,
                                   CodeletCostAttr cost,
                                   ArrayRef<VertexOperand> inputs,
                                   ArrayRef<VertexOperand> outputs) {
  return getCycles(target, cost, inputs, outputs).get();
}

int64_t mlir::ipu::getVertexFlops(CodeletCostAttr cost,
                                  ArrayRef<VertexOperand> inputs,
                                  ArrayRef<VertexOperand> outputs) {
  if (!isa<FloatType>(outputs[0].elementType))
    return 0;
  Count elements = computeProduct(outputs[0].sizes);
  switch (cost.getKind()) {
  case CostKind::Vector:
    return elements.get();
  case CostKind::Reduce:
    return (elements * std::max<int64_t>(cost.getCombined() - 1, 0)).get();
  case CostKind::Matmul:
  case CostKind::Conv: {
    ContractionSizes sizes = getContraction(cost.getKind(), inputs, outputs);
    return (Count(2) * sizes.getMultiplyAdds()).get();
  }
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Sums per-tile cycles up to a step's cost; `fixed` is added to each IPU that
/// has a busy tile.
StepCostAttr mlir::ipu::makeStepCost(MLIRContext *context,
                                     const TargetModel &target,
                                     ArrayRef<int64_t> tileCycles,
                                     ArrayRef<int64_t> ipuFloor, int64_t fixed,
                                     int64_t flops, int64_t bytes) {
  SmallVector<int64_t> cycles(target.ipus, 0);
  Count total;
  int64_t slowest = 0;
  for (auto [tile, tileCycle] : llvm::enumerate(tileCycles)) {
    int64_t &ipu = cycles[tile / target.tiles];
    ipu = std::max(ipu, tileCycle);
    total += tileCycle;
    if (tileCycle > tileCycles[slowest])
      slowest = tile;
  }
  for (auto [index, ipu] : llvm::enumerate(cycles)) {
    if (!ipuFloor.empty())
      ipu = std::max(ipu, ipuFloor[index]);
    if (ipu > 0)
      ipu = (Count(ipu) + fixed).get();
  }
  return StepCostAttr::get(context, cycles, total.get(), slowest,
                           Count(flops).get(), Count(bytes).get());
}

StepCostAttr mlir::ipu::getComputeCost(const TargetModel &target,
                                       ComputeSetOp op) {
  SmallVector<int64_t> tileCycles(target.getTilesPerReplica(), 0);
  Count flops;
  for (auto vertices : op.getBody().getOps<VerticesOp>()) {
    auto codelet = SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
        vertices, vertices.getCodeletAttr());
    MapAttr grid = vertices.getAccessMap(0);
    for (int64_t i = 0, e = grid.getNumTiles(); i < e; ++i) {
      SmallVector<Box> boxes;
      SmallVector<VertexOperand> operands;
      boxes.reserve(vertices.getNumOperands());
      for (auto [index, operand] : llvm::enumerate(vertices.getOperands())) {
        boxes.push_back(vertices.getAccessMap(index).getBox(i));
        operands.push_back(
            {boxes.back().sizes, getElementTypeOrSelf(operand.getType())});
      }
      auto inputs = ArrayRef(operands).take_front(vertices.getInputs().size());
      auto outputs = ArrayRef(operands).drop_front(inputs.size());
      int64_t &tile = tileCycles[grid.getFirst() + i];
      tile = (Count(tile) +
              getVertexCycles(target, codelet.getCost(), inputs, outputs))
                 .get();
      flops += getVertexFlops(codelet.getCost(), inputs, outputs);
    }
  }
  return makeStepCost(op.getContext(), target, tileCycles, {},
                      target.compute_set_cycles, flops.get(), 0);
}

/// A step that takes every tile the same time.
static StepCostAttr getUniformCost(const TargetModel &target, Operation *op,
                                   Count cycles) {
  Count total = cycles * target.getTilesPerReplica();
  return StepCostAttr::get(op->getContext(),
                           SmallVector<int64_t>(target.ipus, cycles.get()),
                           total.get(), 0, 0, 0);
}

StepCostAttr mlir::ipu::getSyncCost(const TargetModel &target, SyncOp op) {
  return getUniformCost(target, op,
                        op.getKind() == SyncKind::Internal
                            ? target.sync_internal_cycles
                            : target.sync_ipus_cycles);
}

StepCostAttr mlir::ipu::getRepeatCost(const TargetModel &target, RepeatOp op) {
  return getUniformCost(target, op, target.repeat_cycles);
}

StepCostAttr mlir::ipu::getHostCopyCost(const TargetModel &target,
                                        Value variable) {
  auto type = cast<MemRefType>(variable.getType());
  MapAttr map = getMap(type);
  int64_t elementBytes = getStoredBytes(type.getElementType());
  SmallVector<int64_t> tileCycles(target.getTilesPerReplica(), 0);
  SmallVector<int64_t> ipuBytes(target.ipus, 0);
  for (int64_t i = 0, e = map.getNumTiles(); i < e; ++i) {
    int64_t bytes = map.getBox(i).getNumElements() * elementBytes;
    int64_t tile = map.getFirst() + i;
    tileCycles[tile] = llvm::divideCeil(bytes, target.exchange_bytes_per_cycle);
    ipuBytes[tile / target.tiles] += bytes;
  }
  SmallVector<int64_t> ipuFloor = llvm::map_to_vector(ipuBytes, [&](int64_t b) {
    return target.getTransferCycles(b, target.host_bytes_per_second);
  });
  return makeStepCost(variable.getContext(), target, tileCycles, ipuFloor,
                      target.getLatencyCycles(target.host_latency_ns), 0,
                      type.getNumElements() * elementBytes);
}

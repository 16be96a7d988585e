//===- VertexCost.cpp - Cycles and operations of one vertex -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VertexCost.h"

#include "ContractionCost.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Table
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
#include "ipu-mlir/Analysis/Cost/CodeletCosts.def"
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
  case CodeletCostKind::ReduceColumns:
    return CostKind::ReduceColumns;
  case CodeletCostKind::Gather:
    return CostKind::Gather;
  case CodeletCostKind::Scatter:
    return CostKind::Scatter;
  case CodeletCostKind::ScatterBuckets:
    return CostKind::ScatterBuckets;
  case CodeletCostKind::BucketIndices:
    return CostKind::BucketIndices;
  case CodeletCostKind::SelectAndScatter:
    return CostKind::SelectAndScatter;
  case CodeletCostKind::Sort:
    return CostKind::Sort;
  case CodeletCostKind::ReduceBlocks:
    return CostKind::ReduceBlocks;
  case CodeletCostKind::DynamicSlice:
    return CostKind::DynamicSlice;
  case CodeletCostKind::DynamicUpdate:
    return CostKind::DynamicUpdate;
  }
  llvm_unreachable("covered switch");
}

namespace {
/// The cycles for `per` elements of i1, i8 and i16.
struct NarrowCostRow {
  StringRef name;
  int64_t cycles[3], per[3];
};
} // namespace

/// Returns the row of an op that computes several narrow integers at a time, or
/// null if the machine has no such instructions.
static const NarrowCostRow *findNarrowCostRow(StringRef name) {
  static const NarrowCostRow rows[] = {
#define IPU_NARROW_INTEGER_COST(name, c1, p1, c8, p8, c16, p16)                \
  {#name, {c1, c8, c16}, {p1, p8, p16}},
#include "ipu-mlir/Analysis/Cost/CodeletCosts.def"
  };
  const auto *it = llvm::find_if(
      rows, [&](const NarrowCostRow &row) { return row.name == name; });
  return it == std::end(rows) ? nullptr : it;
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
  int64_t per = row->per[column];
  CostKind kind = getKind(cost.kind);
  if (kind == CostKind::Vector && cycles == 0)
    return nullptr;
  const NarrowCostRow *narrow = findNarrowCostRow(cost.name);
  if (narrow && column == 2 && getStoredBytes(elementType) <= 2) {
    unsigned width = elementType.isInteger(1)           ? 0
                     : getStoredBytes(elementType) == 1 ? 1
                                                        : 2;
    cycles = narrow->cycles[width], per = narrow->per[width];
  }
  if (kind == CostKind::Reduce && !elementType.isF32())
    worker += 5;
  // PopLibs' vertex of several inputs combines 16 bytes of outputs at a time.
  if (kind == CostKind::ReduceColumns || kind == CostKind::ReduceBlocks)
    worker = 32, per = std::max<int64_t>(16 / getStoredBytes(elementType), 1);
  // What a gather moves are bytes, whatever they mean.
  bool movesBytes =
      kind == CostKind::Gather || kind == CostKind::DynamicSlice ||
      kind == CostKind::DynamicUpdate || cost.name == "scatter_replace";
  if (movesBytes && getStoredBytes(elementType) == 1)
    cycles = 3, per = 4;
  if (movesBytes && getStoredBytes(elementType) > 4)
    per = 1;
  // Each operand after the second one is loaded, in the cycle of an addition of
  // floats.
  if (kind == CostKind::Vector && cost.combined > 2)
    cycles += (cost.combined - 2) * (column == 2 ? 2 : 1);
  // A scalar operand stays in a register: one load less for each vector.
  if (scalarOperand && column != 2 &&
      llvm::is_contained({"add", "sub", "mul"}, cost.name)) {
    worker = 20;
    cycles -= 1;
  }
  return CodeletCostAttr::get(elementType.getContext(), kind, row->supervisor,
                              worker, cycles, per, cost.combined, cost.stride);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

/// Whether the vertex uses one of the methods for products of floats.
static bool usesMethod(CodeletCostAttr cost) {
  return (cost.getKind() == CostKind::Matmul ||
          cost.getKind() == CostKind::Conv) &&
         cost.getPer() == 0;
}

namespace {
/// How the workers of a vertex that none of these methods is for share it: a
/// worker with n of `units` takes fixed + each * ceil(n / grain) of its cycles.
struct WorkerSplit {
  Count units, grain = 1, fixed, each;

  /// Cycles of the worker that has most units.
  Count getCycles(int64_t workers) const {
    return fixed + each * units.divideCeil(workers).divideCeil(grain);
  }
};
} // namespace

/// How many of a scatter's updates are for the rows of the output, if they are
/// spread evenly over all rows.
static Count getNumUpdates(CodeletCostAttr cost, ArrayRef<VertexOperand> inputs,
                           ArrayRef<VertexOperand> outputs) {
  Count updates = cost.getKind() == CostKind::Scatter
                      ? computeProduct(inputs[1].sizes)
                      : computeProduct(ArrayRef(inputs[2].sizes).drop_back());
  return (updates * outputs[0].sizes[1])
      .divideCeil(std::max<int64_t>(cost.getCombined(), 1));
}

/// The number of elements of `type` that one load or store moves.
static int64_t getLanes(const TargetModel &target, Type type) {
  return std::max<int64_t>(target.vector_bytes / getStoredBytes(type), 1);
}

/// A scatter in two steps. First, workers divide the indices or lists, and list
/// the updates of the rows of each worker. Then each worker combines its rows
/// with these updates, in ascending order.
static WorkerSplit getScatterSplit(const TargetModel &target,
                                   CodeletCostAttr cost,
                                   ArrayRef<VertexOperand> inputs,
                                   ArrayRef<VertexOperand> outputs) {
  // PopLibs skips an index in 5 cycles, and finds the rows of an update in 9.
  constexpr int64_t kVisitCycles = 5, kAppendCycles = 8, kRowCycles = 9;
  constexpr int64_t kListCycles = 10;
  bool hasLists = cost.getKind() == CostKind::ScatterBuckets;
  Count visited = hasLists
                      ? computeProduct(ArrayRef(inputs[1].sizes).drop_back())
                      : computeProduct(inputs[1].sizes);
  Count columns = outputs[0].sizes[2];
  Count perUpdate =
      Count(kAppendCycles + kRowCycles + (hasLists ? kVisitCycles : 0)) +
      Count(cost.getCycles()) * columns.divideCeil(cost.getPer());
  Count fixed =
      Count(cost.getWorker()) +
      visited.divideCeil(target.workers) *
          (hasLists ? kListCycles : kVisitCycles) +
      getNumUpdates(cost, inputs, outputs).divideCeil(target.workers) *
          perUpdate;
  // The output begins as a copy of the first input.
  return {computeProduct(outputs[0].sizes),
          getLanes(target, outputs[0].elementType), fixed, /*each=*/2};
}

/// A reduction of rows of `elements` outputs by elementwise vertices for two
/// rows each, one after the other.
static WorkerSplit getRowByRow(const TargetModel &target, Count elements,
                               int64_t numRows) {
  static const CostRow &add = *findCostRow("add");
  int64_t times = std::max<int64_t>(numRows - 1, 1);
  Count supervisor = Count(times) * add.supervisor +
                     Count(times - 1) * target.compute_set_cycles;
  return {elements, add.per[0],
          Count(times) * add.worker + supervisor.divideCeil(target.workers),
          Count(times) * add.cycles[0]};
}

/// Returns the sizes of the region that a vertex moves. Of an update, a vertex
/// has only the positions that are in its part of the output.
static SmallVector<int64_t> getMovedSizes(CodeletCostAttr cost,
                                          ArrayRef<VertexOperand> inputs,
                                          ArrayRef<VertexOperand> outputs) {
  if (cost.getKind() == CostKind::DynamicSlice)
    return llvm::to_vector(outputs[0].sizes);
  SmallVector<int64_t> sizes;
  for (auto [update, whole] : llvm::zip(inputs[1].sizes, outputs[0].sizes))
    sizes.push_back(std::min(update, whole));
  return sizes;
}

/// A region whose rows the workers divide or, if this takes less time, each of
/// whose rows they divide.
static WorkerSplit getRegionSplit(const TargetModel &target,
                                  CodeletCostAttr cost,
                                  ArrayRef<VertexOperand> inputs,
                                  ArrayRef<VertexOperand> outputs) {
  // PopLibs finds a row in 19 cycles, as for a gather.
  constexpr int64_t kRowCycles = 19;
  SmallVector<int64_t> sizes = getMovedSizes(cost, inputs, outputs);
  Count rows = computeProduct(ArrayRef(sizes).drop_back());
  Count columns = sizes.back(), fixed = cost.getWorker();
  // The rest of the output is a copy of the first input.
  if (cost.getKind() == CostKind::DynamicUpdate && cost.getCombined() > 0)
    fixed =
        fixed +
        Count(2) * Count(computeProduct(outputs[0].sizes))
                       .divideCeil(target.workers)
                       .divideCeil(getLanes(target, outputs[0].elementType));
  WorkerSplit ofRows{rows, 1, fixed,
                     Count(kRowCycles) + Count(cost.getCycles()) *
                                             columns.divideCeil(cost.getPer())};
  WorkerSplit ofColumns{columns, cost.getPer(), fixed + rows * kRowCycles,
                        rows * cost.getCycles()};
  return ofColumns.getCycles(target.workers) < ofRows.getCycles(target.workers)
             ? ofColumns
             : ofRows;
}

static WorkerSplit getWorkerSplit(const TargetModel &target,
                                  CodeletCostAttr cost,
                                  ArrayRef<VertexOperand> inputs,
                                  ArrayRef<VertexOperand> outputs) {
  Count elements = computeProduct(outputs[0].sizes), fixed = cost.getWorker();
  switch (cost.getKind()) {
  case CostKind::Vector:
    return {elements, cost.getPer(), fixed, cost.getCycles()};
  case CostKind::Reduce: {
    Type type = inputs.empty() ? outputs[0].elementType : inputs[0].elementType;
    return {elements, 1, fixed,
            Count(12) +
                Count(cost.getCombined()).divideCeil(getLanes(target, type))};
  }
  case CostKind::ReduceBlocks:
  case CostKind::ReduceColumns: {
    WorkerSplit atOnce{elements, cost.getPer(), fixed,
                       Count(3) * cost.getCombined() + Count(7)};
    // Rows of blocks are not contiguous, so no elementwise vertex adds them.
    if (!cost.hasRowPointers() || inputs.empty() ||
        !inputs[0].elementType.isF32())
      return atOnce;
    WorkerSplit rowByRow = getRowByRow(target, elements, cost.getCombined());
    return rowByRow.getCycles(target.workers) < atOnce.getCycles(target.workers)
               ? rowByRow
               : atOnce;
  }
  case CostKind::Gather: {
    // There is a row for each index or, if a table has several blocks, for each
    // index and block.
    Count rows = std::max<int64_t>(
        {computeProduct(inputs[1].sizes),
         computeProduct(ArrayRef(outputs[0].sizes).drop_back()), 1});
    return {rows, 1, fixed,
            Count(19) +
                Count(cost.getCycles()) *
                    elements.divideCeil(rows.get()).divideCeil(cost.getPer())};
  }
  case CostKind::Scatter:
  case CostKind::ScatterBuckets:
    return getScatterSplit(target, cost, inputs, outputs);
  case CostKind::DynamicSlice:
  case CostKind::DynamicUpdate:
    return getRegionSplit(target, cost, inputs, outputs);
  case CostKind::BucketIndices: {
    Count fill = elements.divideCeil(target.workers).divideCeil(cost.getPer());
    return {Count(outputs[0].sizes[0]) * outputs[0].sizes[1], 1, fixed + fill,
            Count(cost.getCycles()) * cost.getCombined()};
  }
  case CostKind::SelectAndScatter:
    fixed =
        fixed + elements.divideCeil(target.workers).divideCeil(cost.getPer());
    return {computeProduct(inputs[1].sizes), 1, fixed,
            Count(20) + Count(cost.getCycles()) * cost.getCombined()};
  case CostKind::Sort: {
    int64_t size = std::max<int64_t>(cost.getCombined(), 1);
    // A step of a heap also swaps the elements of each further input.
    constexpr int64_t kSwapCycles = 8;
    Count perStep = Count(kSwapCycles) * (inputs.size() - 1) + cost.getCycles();
    return {elements.divideCeil(size), 1, fixed,
            perStep * size * llvm::Log2_64_Ceil(size)};
  }
  case CostKind::Matmul:
  case CostKind::Conv: {
    Contraction contraction(cost, inputs, outputs);
    Count multiplyAdds = contraction.getMultiplyAddsPerOutput();
    return {elements, 1, fixed,
            Count(cost.getCycles()) * multiplyAdds.divideCeil(cost.getPer())};
  }
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Vertices
//===----------------------------------------------------------------------===//

/// Whether there is a vertex where the output has these sizes.
static bool hasVertex(ArrayRef<VertexOperand> outputs) {
  return !outputs.empty() && !llvm::is_contained(outputs[0].sizes, 0);
}

VertexTasks mlir::ipu::getVertexTasks(const TargetModel &target,
                                      CodeletCostAttr cost,
                                      ArrayRef<VertexOperand> inputs,
                                      ArrayRef<VertexOperand> outputs) {
  assert(hasVertex(outputs) && "expects a vertex");
  if (usesMethod(cost))
    return {getContractionCost(target, {cost, inputs, outputs}).cycles, {}};
  WorkerSplit split = getWorkerSplit(target, cost, inputs, outputs);
  int64_t grains = split.units.divideCeil(split.grain).get();
  int64_t most = llvm::divideCeil(grains, target.workers);
  int64_t withLess = most * target.workers - grains;
  VertexTasks result{cost.getSupervisor(), {}};
  auto add = [&](int64_t workers, int64_t share) {
    if (workers > 0)
      result.tasks.push_back({workers, Count(target.workers) *
                                           (split.fixed + split.each * share)});
  };
  add(target.workers - withLess, most);
  add(withLess, most - 1);
  return result;
}

int64_t mlir::ipu::getVertexCycles(const TargetModel &target,
                                   CodeletCostAttr cost,
                                   ArrayRef<VertexOperand> inputs,
                                   ArrayRef<VertexOperand> outputs) {
  if (!hasVertex(outputs))
    return 0;
  if (usesMethod(cost))
    return getContractionCost(target, {cost, inputs, outputs}).cycles.get();
  WorkerSplit split = getWorkerSplit(target, cost, inputs, outputs);
  return (Count(cost.getSupervisor()) +
          Count(target.workers) * split.getCycles(target.workers))
      .get();
}

std::optional<ContractionMethod>
mlir::ipu::getContractionMethod(const TargetModel &target, CodeletCostAttr cost,
                                ArrayRef<VertexOperand> inputs,
                                ArrayRef<VertexOperand> outputs) {
  if (!hasVertex(outputs) || !usesMethod(cost))
    return std::nullopt;
  return getContractionCost(target, {cost, inputs, outputs}).method;
}

int64_t mlir::ipu::getVertexFlops(CodeletCostAttr cost,
                                  ArrayRef<VertexOperand> inputs,
                                  ArrayRef<VertexOperand> outputs) {
  if (!hasVertex(outputs) || !isa<FloatType>(outputs[0].elementType))
    return 0;
  Count elements = computeProduct(outputs[0].sizes);
  switch (cost.getKind()) {
  case CostKind::Vector:
    return (elements * std::max<int64_t>(cost.getCombined() - 1, 1)).get();
  case CostKind::Reduce:
  case CostKind::ReduceBlocks:
  case CostKind::ReduceColumns:
    return (elements * std::max<int64_t>(cost.getCombined() - 1, 0)).get();
  case CostKind::Gather:
  case CostKind::BucketIndices:
  case CostKind::Sort:
  case CostKind::DynamicSlice:
  case CostKind::DynamicUpdate:
    return 0;
  case CostKind::Scatter:
  case CostKind::ScatterBuckets:
    return (getNumUpdates(cost, inputs, outputs) * outputs[0].sizes[2]).get();
  case CostKind::SelectAndScatter:
    return (Count(computeProduct(inputs[1].sizes)) * cost.getCombined()).get();
  case CostKind::Matmul:
  case CostKind::Conv: {
    Contraction contraction(cost, inputs, outputs);
    return (elements * 2 * contraction.getMultiplyAddsPerOutput()).get();
  }
  }
  llvm_unreachable("covered switch");
}

bool mlir::ipu::isNativeFloat8(const TargetModel &target, Type type) {
  return target.amp_k_f8 > 0 &&
         isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}

FlopUnit mlir::ipu::getFlopUnit(const TargetModel &target, CodeletCostAttr cost,
                                ArrayRef<VertexOperand> inputs,
                                ArrayRef<VertexOperand> outputs) {
  if (usesMethod(cost)) {
    Type type = inputs[0].elementType;
    return isNativeFloat8(target, type) ? FlopUnit::MatrixF8
           : type.isF16()               ? FlopUnit::MatrixF16
                                        : FlopUnit::MatrixF32;
  }
  return !outputs.empty() && outputs[0].elementType.isF16()
             ? FlopUnit::VectorF16
             : FlopUnit::VectorF32;
}

//===- ContractionCost.cpp - Cycles of matmuls and convolutions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of PopLibs' methods has one function with the method's formula of
// docs/device-model.md. The planner's search relies on two rules about the
// sizes of regions, groups, columns and the field. Cycles never decrease if a
// size grows, and a method that supports a size supports all smaller ones. So
// the cost of the cheapest method never decreases for a larger region.
//
//===----------------------------------------------------------------------===//

#include "ContractionCost.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <optional>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Contraction::Contraction(CodeletCostAttr cost, ArrayRef<VertexOperand> inputs,
                         ArrayRef<VertexOperand> outputs)
    : inputType(inputs[0].elementType), outputType(outputs[0].elementType),
      isConv(cost.getKind() == CostKind::Conv),
      startsFromZero(inputs.size() == 2), stride(cost.getStride()) {
  for (int64_t size : inputs[0].sizes)
    inputElements = inputElements * size;
  ArrayRef<int64_t> out = outputs[0].sizes, right = inputs[1].sizes;
  // Blocks of equal size have a dimension of their own. Otherwise, the rows of
  // one block are those of the mean one, rounded up.
  int64_t numBlockDims = cost.getCombined();
  auto getBlockDepth = [&](int64_t depth) {
    hasEqualBlocks = false;
    return Count(depth).divideCeil(std::max<int64_t>(out[numBlockDims - 1], 1));
  };
  if (!isConv) {
    // [block, b, m, n]; [b, block, k, n] or [b, k, n]
    groups = computeProduct(out.drop_back(2));
    width = out[out.size() - 2];
    depth = right[right.size() - 2];
    if (numBlockDims > 0 && right.size() < 4)
      depth = getBlockDepth(right[right.size() - 2]);
    columns = out.back();
    return;
  }
  // [g, o, i, kernel...], [g, o, block, i, (block, kernel)...], or
  // [g, o, i, (block, kernel)...]
  size_t kernelDim = 3, kernelStep = 1;
  depth = right[2];
  if (numBlockDims > 0) {
    bool isEqual = static_cast<int64_t>(right.size()) >= 2 * numBlockDims + 2;
    depth = isEqual ? Count(right[3]) : getBlockDepth(right[2]);
    kernelDim = isEqual ? 5 : 4;
    kernelStep = 2;
  }
  // [blocks..., n, g, o, spatial...]
  blocks = computeProduct(out.take_front(numBlockDims));
  out = out.drop_front(numBlockDims);
  rows = out[0];
  groups = out[1];
  columns = out[2];
  if (ArrayRef<int64_t> spatial = out.drop_front(3); !spatial.empty()) {
    rows = rows * computeProduct(spatial.drop_back());
    width = spatial.back();
  }
  SmallVector<int64_t> kernel;
  for (size_t i = kernelDim; i < right.size(); i += kernelStep)
    kernel.push_back(right[i]);
  if (!kernel.empty())
    kernelWidth = kernel.pop_back_val();
  if (!kernel.empty())
    kernelRows = kernel.pop_back_val();
  kernelPlanes = computeProduct(kernel);
}

/// Types but f16 cost what f32 costs.
static bool isF16(const Contraction &c) { return c.inputType.isF16(); }

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

namespace {
/// A worker's cycles for a stretch of n positions in one row of the field:
/// `start + each * max(n, least)`.
struct RowCycles {
  Count start, each, least;
};
} // namespace

/// Cycles of the busiest worker, where the workers share the field: they have
/// equally many consecutive positions, or whole rows and equal parts of rows.
static Count getFieldCycles(const TargetModel &target, const Contraction &c,
                            RowCycles row) {
  auto getCycles = [&](Count stretches, Count positions) {
    return row.start * stretches +
           row.each * std::max(positions, row.least * stretches);
  };
  // Positions begin anywhere in a row, and so touch a row more than they fill.
  Count positions = (c.rows * c.width).divideCeil(target.workers);
  Count touched = Count(positions.get() - 1).divideCeil(c.width) + 1;
  Count consecutive = getCycles(std::min(touched, c.rows), positions);
  Count rows = c.rows.divideCeil(target.workers);
  Count parts = std::max<int64_t>(target.workers / c.rows.get(), 1);
  return std::min(consecutive,
                  getCycles(rows, rows * c.width.divideCeil(parts)));
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

namespace {
/// How the matrix unit multiplies one type: channels of a block, bytes of an
/// element, and what a worker takes for one position, for a few, and for n,
/// `fixed + each * n`. More positions never take less.
struct AmpFormat {
  int64_t depth, bytes;
  Count one, few, fixed, each;
};
} // namespace

static AmpFormat getAmpFormat(const TargetModel &target, const Contraction &c) {
  if (isNativeFloat8(target, c.inputType))
    return {target.amp_k_f8, 1, 35, 40, 32, 4};
  if (isF16(c))
    return {target.amp_k, 2, 31, 40, 25, 4};
  return {target.amp_k_f32, 4, 47, 47, 22, 8};
}

/// Cycles of the supervisor to load one of `numBlocks` blocks of weights, which
/// are padded to the size of the unit. A load that is wider than a vector needs
/// weights that are aligned to its size, in interleaved memory. This is the
/// memory that cannot hold code. More blocks never take less: if the weights do
/// not fit, all loads are narrow.
static Count getAmpLoadCycles(const TargetModel &target,
                              const AmpFormat &format, Count numBlocks) {
  Count bytes = Count(format.depth) * target.amp_n * format.bytes;
  bool isAligned = target.amp_align_bytes % target.weight_load_bytes == 0;
  int64_t interleaved = target.tile_memory - target.code_memory;
  bool isWide = isAligned && !(Count(interleaved) < bytes * numBlocks);
  return bytes.divideCeil(
      isWide ? target.weight_load_bytes
             : std::min(target.weight_load_bytes, target.vector_bytes));
}

/// Cycles of the W workers for all positions and one block of weights.
static Count getAmpBlockCycles(const TargetModel &target, const Contraction &c,
                               const AmpFormat &format, Count retained) {
  Count positions = (c.rows * c.width).divideCeil(target.workers);
  Count worker =
      positions.get() == 1
          ? format.one
          : std::max(format.few, format.fixed + format.each * positions);
  return Count(target.workers) * (worker.get() - retained.get());
}

/// The n x 1 vertex that takes `height` rows of the kernel at once, each with
/// as small a part of a block's channels, and `more` to load a block. The
/// supervisor goes through groups, blocks of depth, blocks of columns and
/// kernel positions, loads a block of weights and has the workers multiply all
/// positions with it. A last block that is narrower is padded with zeros.
static Count getAmpNx1Cycles(const TargetModel &target, const Contraction &c,
                             int64_t height = 1, int64_t more = 0) {
  AmpFormat format = getAmpFormat(target, c);
  Count inBlocks = c.depth.divideCeil(format.depth / height);
  Count outBlocks = c.columns.divideCeil(target.amp_n);
  Count positions =
      c.kernelPlanes * c.kernelRows.divideCeil(height) * c.kernelWidth;
  Count numBlocks = c.blocks * c.groups * inBlocks * outBlocks * positions;
  Count load = getAmpLoadCycles(target, format, numBlocks) + more;
  Count work = getAmpBlockCycles(target, c, format, /*retained=*/0);
  Count outBlock = Count(19) + positions * (Count(6) + load + work);
  Count inBlock = Count(15) + outBlocks * outBlock;
  return Count(50) + c.blocks * c.groups * (Count(12) + inBlocks * inBlock);
}

/// The 1 x 1 vertex, whose workers keep state between blocks. Its first block
/// of depth overwrites the output.
static Count getAmp1x1Cycles(const TargetModel &target, const Contraction &c) {
  AmpFormat format = getAmpFormat(target, c);
  Count inBlocks = c.depth.divideCeil(format.depth);
  Count outBlocks = c.columns.divideCeil(target.amp_n);
  Count groups = c.blocks * c.groups;
  Count block =
      getAmpLoadCycles(target, format, groups * inBlocks * outBlocks) +
      getAmpBlockCycles(target, c, format, /*retained=*/7);
  Count first = Count(11) + outBlocks * (Count(18 + 7) + block);
  Count other = Count(15) + outBlocks * (Count(19 + 6) + block);
  Count group = Count(12) + first + Count(inBlocks.get() - 1) * other;
  Count state = Count(4) + inBlocks * groups * 3;
  return Count(50) + groups * group + Count(target.workers) * state;
}

/// The matrix unit. Of few channels it takes several rows of the kernel.
static Count getAmpCycles(const TargetModel &target, const Contraction &c) {
  if (c.getKernelSize().get() == 1 && c.stride == 1 && c.depth.get() > 0)
    return getAmp1x1Cycles(target, c);
  Count best = getAmpNx1Cycles(target, c);
  if (c.kernelRows.get() == 1)
    return best;
  int64_t depth = getAmpFormat(target, c).depth;
  for (auto [height, more] : {std::pair(2, 31), std::pair(4, 45)})
    if (depth % height == 0)
      best = std::min(best, getAmpNx1Cycles(target, c, height, more));
  return best;
}

/// The matrix unit with several groups of few channels as one, whose weights
/// are those of the groups along a diagonal and zeros elsewhere. Both operands
/// are rearranged on the tile.
static std::optional<Count> getCombinedAmpCycles(const TargetModel &target,
                                                 const Contraction &c) {
  int64_t channels = c.depth.get(), most = isF16(c) ? 2 : 1;
  if (!c.isConv || channels < 1 || channels > most ||
      isNativeFloat8(target, c.inputType))
    return std::nullopt;
  AmpFormat format = getAmpFormat(target, c);
  std::optional<Count> best;
  for (int64_t groups = 8 / format.bytes / channels;
       groups * channels <= format.depth; groups *= 2) {
    Contraction one = c;
    one.groups = c.groups.divideCeil(groups);
    one.depth = c.depth * groups;
    one.columns = c.columns * groups;
    Count weights =
        one.blocks * one.groups * one.depth * one.columns * one.getKernelSize();
    Count rearranged = (c.inputElements + weights) * 5;
    Count cycles = rearranged.divideCeil(4) + getAmpCycles(target, one);
    if (!best || cycles < *best)
      best = cycles;
  }
  return best;
}

/// The matrix unit as a multiplier of 4 channels by 4 channels at 4 positions
/// of a row of the kernel: one group of 4 channels, 2 of 2 or 4 of 1, which may
/// be zeros.
static std::optional<Count> getSlicCycles(const TargetModel &target,
                                          const Contraction &c) {
  if (!c.isConv || !isF16(c) || c.stride < 1 || c.stride > 2)
    return std::nullopt;
  RowCycles row = c.stride == 1 ? RowCycles{20, 1, 5} : RowCycles{19, 2, 3};
  // All 16 columns of the unit in one pass.
  Count passes = Count(16).divideCeil(target.amp_n);
  Count worker = Count(17) + passes * getFieldCycles(target, c, row);
  Count kernel = c.kernelPlanes * c.kernelRows * c.kernelWidth.divideCeil(4);
  std::optional<Count> best;
  for (int64_t channels : {1, 2, 4}) {
    if (Count(channels) < std::max(c.depth, c.columns))
      continue;
    // Weights of fewer channels are arranged first.
    Count load = channels == 4 ? 34 : 109;
    Count group = Count(12) +
                  kernel * (load + Count(20) + Count(target.workers) * worker);
    Count cycles =
        Count(50) + c.blocks * c.groups.divideCeil(4 / channels) * group;
    if (!best || cycles < *best)
      best = cycles;
  }
  return best;
}

/// Four groups of one channel at a time. Each worker adds what it multiplies to
/// partial sums of its own, which are added up at the end, as the vertex of a
/// reduction over several inputs does.
static std::optional<Count> getVmacCycles(const TargetModel &target,
                                          const Contraction &c) {
  if (!c.isConv || !isF16(c) || Count(1) < c.depth || Count(1) < c.columns)
    return std::nullopt;
  Count workers = target.workers, positions = c.rows * c.width;
  Count kernelRows =
      (positions * c.kernelPlanes * c.kernelRows).divideCeil(workers);
  Count multiply = Count(16) + kernelRows * (Count(13) + c.kernelWidth * 2);
  Count merge =
      Count(32) + positions.divideCeil(workers) * (workers * 3 + Count(7));
  Count group = Count(23) + workers * (multiply + merge);
  return Count(65) + c.blocks * c.groups.divideCeil(4) * group;
}

/// The workers' arithmetic, a column at a time.
static std::optional<Count> getHmacCycles(const TargetModel &target,
                                          const Contraction &c) {
  if (isNativeFloat8(target, c.inputType))
    return std::nullopt;
  Count loads = (c.depth * (isF16(c) ? 2 : 4)).divideCeil(target.vector_bytes);
  Count field = getFieldCycles(target, c, {19, Count(13) + loads, 0});
  Count worker = Count(16) + c.getKernelSize() * (Count(10) + field);
  Count column = Count(10) + Count(target.workers) * worker;
  return Count(isF16(c) ? 65 : 58) +
         c.blocks * c.groups * (Count(23 + 15) + c.columns * column);
}

/// A column of the field times a row of weights: the time is that of stores.
static std::optional<Count> getOuterProductCycles(const TargetModel &target,
                                                  const Contraction &c) {
  if (Count(1) < c.depth || Count(1) < c.rows || Count(1) < c.getKernelSize() ||
      c.stride != 1 || !c.startsFromZero || isNativeFloat8(target, c.inputType))
    return std::nullopt;
  bool isF16 = c.outputType.isF16();
  // Fewer columns than a loop unrolled for them has are padded.
  int64_t unrolled = isF16 ? 12 : 6, each = isF16 ? 4 : 2;
  Count more = std::max<int64_t>(c.columns.get() - unrolled, 0);
  Count row = Count(6) + more.divideCeil(each);
  Count group =
      Count(isF16 ? 10 : 11) + c.width.divideCeil(target.workers) * row;
  return Count(target.workers) * (Count(25) + c.blocks * c.groups * group);
}

StringRef mlir::ipu::stringifyContractionMethod(ContractionMethod method) {
  switch (method) {
  case ContractionMethod::Amp:
    return "amp";
  case ContractionMethod::CombinedAmp:
    return "combined_amp";
  case ContractionMethod::Slic:
    return "slic";
  case ContractionMethod::Vmac:
    return "vmac";
  case ContractionMethod::Hmac:
    return "hmac";
  case ContractionMethod::OuterProduct:
    return "outer_product";
  }
  llvm_unreachable("covered switch");
}

ContractionCost mlir::ipu::getContractionCost(const TargetModel &target,
                                              const Contraction &contraction) {
  ContractionCost best = {ContractionMethod::Amp,
                          getAmpCycles(target, contraction)};
  auto consider = [&](ContractionMethod method, std::optional<Count> cycles) {
    if (cycles && *cycles < best.cycles)
      best = {method, *cycles};
  };
  consider(ContractionMethod::Hmac, getHmacCycles(target, contraction));
  if (!contraction.hasEqualBlocks)
    return best;
  consider(ContractionMethod::CombinedAmp,
           getCombinedAmpCycles(target, contraction));
  consider(ContractionMethod::Slic, getSlicCycles(target, contraction));
  consider(ContractionMethod::Vmac, getVmacCycles(target, contraction));
  consider(ContractionMethod::OuterProduct,
           getOuterProductCycles(target, contraction));
  return best;
}

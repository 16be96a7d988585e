//===- ReaderSources.cpp - Tile mappings that readers prefer ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of candidates for the operand of a step. The candidates follow those
// of the step's result, so that the operand already is where the step reads it.
//
//===----------------------------------------------------------------------===//

#include "Sources.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// The number of candidates beyond the usual limit with which a tensor has
/// copies on the tiles that read it.
static constexpr unsigned kMaxMovedCandidates = 2;
/// The greatest number of candidates of a constant that gets late copies.
static constexpr unsigned kMaxBeforeLateCopies = 2;

/// Returns a tile mapping of the operand's tensor with which the operand has
/// the tile mapping `mapping`, or null. The order in which tiles store a result
/// is that of the op that computes it. A leaf can have the order of the
/// operand, because the host stores it.
static TileMappingAttr getTileMappingOfTensor(TileMappingAttr mapping,
                                              const ModelOperand &operand,
                                              const ModelTensor &tensor) {
  int64_t numElements = tensor.getNumElements();
  if (tensor.isLeaf() && !operand.isWhole) {
    TileMappingAttr ordered = getTileMappingOfBuffer(
        withExplicitLayout(mapping), operand.view, numElements);
    if (ordered && isHeldAs(ordered, operand.view, mapping))
      return ordered;
  }
  return getTileMappingOfBuffer(mapping, operand.view, numElements);
}

namespace {
class ReaderMapping : public CandidateSource {
public:
  ReaderMapping() : CandidateSource("reader") {}

  bool handles(const ModelStep &step,
               const CandidateLists & /*lists*/) const override {
    return step.kind == ModelStep::Kind::Compute ||
           step.kind == ModelStep::Kind::Move;
  }

  void followResult(const Neighbour &neighbour, const CandidateLists &lists,
                    SmallVectorImpl<Proposal> &proposals) const override {
    const PlanModel &model = lists.getModel();
    const ModelOperand &operand = neighbour.operand;
    const ModelTensor &tensor = model.getTensor(operand.tensor);
    Proposal proposal;
    TileMappingAttr mapping, access;
    if (neighbour.step.kind == ModelStep::Kind::Move) {
      mapping = getRescaledTileMapping(
          neighbour.mapping, model.getTensor(neighbour.step.tensor).shape,
          operand.view.sizes);
    } else if (neighbour.candidate->problem) {
      access = neighbour.candidate->inputs[operand.index];
      mapping = getSpreadTileMapping(access, tensor.elementBytes);
    }
    if (!mapping)
      return;
    proposal.mapping = getTileMappingOfTensor(mapping, operand, tensor);
    proposal.isReadInPlace = proposal.mapping && access &&
                             isHeldAs(proposal.mapping, operand.view, access);
    proposals.push_back(proposal);
  }
};

class ReaderCopies : public CandidateSource {
public:
  explicit ReaderCopies(bool isLate)
      : CandidateSource("copies"), isLate(isLate) {}

  bool handles(const ModelStep &step,
               const CandidateLists &lists) const override {
    return step.kind == ModelStep::Kind::Compute &&
           !(isLate && lists.requiresLayouts(step.tensor));
  }

  void followResult(const Neighbour &neighbour, const CandidateLists &lists,
                    SmallVectorImpl<Proposal> &proposals) const override;

private:
  bool isLate;
};
} // namespace

void ReaderCopies::followResult(const Neighbour &neighbour,
                                const CandidateLists &lists,
                                SmallVectorImpl<Proposal> &proposals) const {
  const ModelOperand &operand = neighbour.operand;
  const ModelTensor &tensor = lists.getModel().getTensor(operand.tensor);
  if (!neighbour.candidate->problem || !(operand.isWhole || tensor.isLeaf()))
    return;
  bool isCopiedConstant =
      tensor.mayHaveCopies && tensor.isConstant() && tensor.numReaders == 1;
  bool isCopiedVariable = tensor.mayHaveCopies && !tensor.isConstant();
  // If an operand is moved only for these ops, it can be moved to the tiles
  // that read it.
  bool isWanted = isCopiedConstant ||
                  (!isLate && (isCopiedVariable || tensor.isMovedForOneUse));
  TileMappingAttr access = neighbour.candidate->inputs[operand.index];
  if (!isWanted || !access.covers())
    return;
  unsigned limit = lists.getMaxCandidates();
  limit = isLate ? std::min(limit, kMaxBeforeLateCopies + 1)
                 : limit + kMaxMovedCandidates;
  // Copies of a constant are free, so this reader needs no other candidate.
  if (TileMappingAttr mapping = getTileMappingOfTensor(access, operand, tensor))
    proposals.push_back({mapping, limit, /*suffices=*/isCopiedConstant});
}

namespace {
class TargetMapping : public CandidateSource {
public:
  TargetMapping() : CandidateSource("copy-target") {}

  bool handles(const ModelStep &step,
               const CandidateLists & /*lists*/) const override {
    return step.kind == ModelStep::Kind::Copy ||
           step.kind == ModelStep::Kind::Reorder;
  }

  void followResult(const Neighbour &neighbour, const CandidateLists &lists,
                    SmallVectorImpl<Proposal> &proposals) const override {
    TileMappingAttr mapping = getTileMapping(neighbour, lists);
    const ModelTensor &tensor =
        lists.getModel().getTensor(neighbour.operand.tensor);
    if (mapping && (tensor.mayHaveCopies || mapping.coversOnce()))
      proposals.push_back({mapping});
  }

private:
  /// Returns the tile mapping with which the operand need not leave its tiles,
  /// or null if there is none.
  static TileMappingAttr getTileMapping(const Neighbour &neighbour,
                                        const CandidateLists &lists) {
    const ModelStep &step = neighbour.step;
    const ModelOperand &operand = neighbour.operand;
    const ModelTensor &tensor = lists.getModel().getTensor(operand.tensor);
    if (step.kind == ModelStep::Kind::Reorder)
      return getTileMappingOfTensor(neighbour.mapping, operand, tensor);
    // The slices of a tensor are copied to the variable one after the other.
    if (!operand.to && !operand.isWhole)
      return getTileMappingOfSlices(neighbour.mapping, operand.view,
                                    tensor.getNumElements());
    // A tensor can be computed on the tiles of the variable, and a tensor that
    // exists before the program can be there.
    return step.canForward || (step.copiesVariable() && tensor.isLeaf())
               ? neighbour.mapping
               : nullptr;
  }
};

class Slabs : public CandidateSource {
public:
  Slabs() : CandidateSource("slabs") {}

  void visitTensor(unsigned number, CandidateLists &lists) const override {
    const PlanModel &model = lists.getModel();
    const ModelTensor &tensor = model.getTensor(number);
    // If other candidates have layouts, slabs would be removed.
    if (llvm::any_of(lists[number], std::mem_fn(&Candidate::hasLayout)))
      return;
    for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
      if (size < 2)
        continue;
      int64_t block =
          llvm::divideCeil(size, tensor.space.getNumTiles(model.getTarget()));
      int64_t parts = llvm::divideCeil(size, block);
      SmallVector<TileMappingBlock> blocks(tensor.shape.size());
      blocks[dim] = {0, block, block};
      lists.propose(number,
                    {TileMappingAttr::get(model.getContext(), tensor.shape,
                                          {parts}, blocks)},
                    getName());
    }
  }
};

class Squares : public CandidateSource {
public:
  Squares() : CandidateSource("squares") {}

  void visitTensor(unsigned number, CandidateLists &lists) const override {
    const PlanModel &model = lists.getModel();
    ArrayRef<int64_t> shape = model.getTensor(number).shape;
    // If other candidates have layouts, squares would be removed.
    if (shape.size() < 2 ||
        llvm::any_of(lists[number], std::mem_fn(&Candidate::hasLayout)))
      return;
    size_t dim = llvm::max_element(shape.drop_back()) - shape.begin();
    int64_t tiles =
        model.getTensor(number).space.getNumTiles(model.getTarget());
    if (std::optional<Blocks> blocks =
            findBlocks(shape[dim], shape.back(), tiles))
      lists.propose(number,
                    {getMapping(model.getContext(), shape, dim, *blocks)},
                    getName());
  }

private:
  /// The sizes of blocks of rows and columns.
  struct Blocks {
    int64_t rows, columns;
  };
  /// The receivers of an exchange transpose squares of at most this size.
  static constexpr int64_t kSquare = 16;

  /// Returns the smallest blocks of whole squares that at most `tiles` tiles
  /// can have, one each. Of equally large blocks, returns the one that has most
  /// rows. Returns std::nullopt if rows or columns need not be divided.
  static std::optional<Blocks> findBlocks(int64_t rows, int64_t columns,
                                          int64_t tiles) {
    std::optional<Blocks> best;
    for (int64_t parts = 2, e = std::min(rows / kSquare, tiles / 2); parts <= e;
         ++parts) {
      int64_t blockRows = llvm::alignTo(llvm::divideCeil(rows, parts), kSquare);
      int64_t room = tiles / llvm::divideCeil(rows, blockRows);
      int64_t blockColumns =
          llvm::alignTo(llvm::divideCeil(columns, room), kSquare);
      if (blockColumns < columns &&
          (!best || blockRows * blockColumns < best->rows * best->columns))
        best = {blockRows, blockColumns};
    }
    return best;
  }

  static TileMappingAttr getMapping(MLIRContext *context,
                                    ArrayRef<int64_t> shape, size_t dim,
                                    const Blocks &sizes) {
    SmallVector<TileMappingBlock> blocks(shape.size());
    blocks[dim] = {0, sizes.rows, sizes.rows};
    blocks.back() = {1, sizes.columns, sizes.columns};
    auto getParts = [](int64_t size, int64_t block) -> int64_t {
      return llvm::divideCeil(size, block);
    };
    return TileMappingAttr::get(context, shape,
                                {getParts(shape[dim], sizes.rows),
                                 getParts(shape.back(), sizes.columns)},
                                blocks);
  }
};
} // namespace

SourcePtr mlir::ipu::createReaderMapping() {
  return std::make_shared<ReaderMapping>();
}
SourcePtr mlir::ipu::createReaderCopies(bool isLate) {
  return std::make_shared<ReaderCopies>(isLate);
}
SourcePtr mlir::ipu::createTargetMapping() {
  return std::make_shared<TargetMapping>();
}
SourcePtr mlir::ipu::createSlabs() { return std::make_shared<Slabs>(); }
SourcePtr mlir::ipu::createSquares() { return std::make_shared<Squares>(); }

//===- OperandSources.cpp - Tile mappings that follow operands --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of candidates for the result of a step. The candidates follow those
// of the step's operands, so that these operands stay on their tiles.
//
//===----------------------------------------------------------------------===//

#include "Sources.h"

#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class OperandMapping : public CandidateSource {
public:
  OperandMapping() : CandidateSource("operand") {}

  bool handles(const ModelStep &step,
               const CandidateLists & /*lists*/) const override {
    return step.kind == ModelStep::Kind::Compute ||
           step.kind == ModelStep::Kind::Reorder ||
           step.kind == ModelStep::Kind::Move;
  }
  void followOperand(const Neighbour &neighbour, const CandidateLists &lists,
                     SmallVectorImpl<Proposal> &proposals) const override;

private:
  static TileMappingAttr followVertices(const Neighbour &neighbour,
                                        const CandidateLists &lists);
};
} // namespace

/// Returns `mapping` if a copied tensor may have it: only variables that calls
/// pass may have an element on several tiles. Otherwise returns null.
static TileMappingAttr getIfAllowed(const ModelTensor &tensor,
                                    TileMappingAttr mapping) {
  return mapping && (tensor.mayHaveCopies || mapping.coversOnce()) ? mapping
                                                                   : nullptr;
}

/// Returns whether `problem` has loops for the domain `domain` of an operand,
/// and computes `numElements` elements.
static bool isDomainOfOperand(const PartitionProblem *problem, unsigned operand,
                              ArrayRef<int64_t> domain, int64_t numElements) {
  return problem && domain == ArrayRef(problem->form.inputs[operand].domain) &&
         ShapedType::getNumElements(problem->form.results.front().domain) ==
             numElements;
}

/// Returns the tile mapping of the result if the vertices of the step's ops are
/// on the tiles that hold the operand.
TileMappingAttr OperandMapping::followVertices(const Neighbour &neighbour,
                                               const CandidateLists &lists) {
  const PlanModel &model = lists.getModel();
  const ModelOperand &operand = neighbour.operand;
  const ModelTensor &tensor = model.getTensor(neighbour.step.tensor);
  TileMappingAttr mapping = neighbour.mapping;
  if (!operand.isWhole)
    mapping = getTileMappingOfView(mapping, operand.view);
  if (!mapping || model.getTensor(operand.tensor).isConstant())
    return nullptr;
  // The loops are over the domain of the operand's mapping if it also is a
  // domain of the result, or if the op supports it as a domain of the operand.
  ArrayRef<int64_t> domain = mapping.getDomain();
  const PartitionProblem *problem = tensor.getProblem(domain);
  if (mapping.getNumElements() != tensor.getNumElements() &&
      !isDomainOfOperand(problem, operand.index, domain,
                         tensor.getNumElements()))
    problem = tensor.getProblem(
        getRowMajorTileMapping(model.getContext(), model.getTarget(),
                               tensor.space, tensor.getNumElements(),
                               tensor.elementType)
            .getDomain());
  if (!problem)
    return nullptr;
  const TileForm &form = problem->form;
  const TileAccess &access = form.inputs[operand.index];
  TileMappingAttr own = mapping.refactor(access.domain);
  if (!own)
    return nullptr;
  std::optional<LoopBlocks> blocks = getPartition(form, access, own);
  if (!blocks)
    // If no partition has the operand's tile mapping, for example because of
    // windows with a stride, a tile mapping with as many parts of each
    // dimension is similar.
    return lists.requiresLayouts(neighbour.step.tensor)
               ? nullptr
               : getRescaledTileMapping(own, operand.view.sizes, tensor.shape);
  const TileAccess &result = form.results.front();
  TileMappingAttr follower = getAccessTileMapping(
      model.getContext(), form, *blocks, result, mapping.getFirst());
  // The layout also fits if sizes of dimensions differ, as for windows.
  if (!result.layout && !access.layout &&
      result.domain.size() == access.domain.size())
    follower = follower.withFittedLayout(own.getLayout());
  return follower;
}

void OperandMapping::followOperand(const Neighbour &neighbour,
                                   const CandidateLists &lists,
                                   SmallVectorImpl<Proposal> &proposals) const {
  const ModelOperand &operand = neighbour.operand;
  const ModelTensor &tensor = lists.getModel().getTensor(neighbour.step.tensor);
  switch (neighbour.step.kind) {
  case ModelStep::Kind::Compute:
    proposals.push_back({followVertices(neighbour, lists)});
    return;
  case ModelStep::Kind::Reorder:
    // The copy of a view stays on the tiles of the view.
    proposals.push_back({getIfAllowed(
        tensor, getTileMappingOfView(neighbour.mapping, operand.view))});
    return;
  case ModelStep::Kind::Move:
    if (operand.isWhole)
      proposals.push_back({getRescaledTileMapping(
          neighbour.mapping, operand.view.sizes, tensor.shape)});
    return;
  default:
    return;
  }
}

namespace {
class CopiedMapping : public CandidateSource {
public:
  CopiedMapping() : CandidateSource("copied") {}

  bool handles(const ModelStep &step,
               const CandidateLists &lists) const override {
    if (step.copiesVariable())
      return lists[step.tensor].size() == 1;
    return step.kind == ModelStep::Kind::Copy && step.operands.front().to;
  }

  void followOperand(const Neighbour &neighbour, const CandidateLists &lists,
                     SmallVectorImpl<Proposal> &proposals) const override {
    const ModelTensor &tensor =
        lists.getModel().getTensor(neighbour.step.tensor);
    TileMappingAttr mapping = neighbour.mapping;
    if (neighbour.operand.to)
      mapping = getTileMappingOfSlices(mapping, *neighbour.operand.to,
                                       tensor.getNumElements());
    proposals.push_back({getIfAllowed(tensor, mapping)});
  }
};

class SeparatedDims : public CandidateSource {
public:
  SeparatedDims() : CandidateSource("separated") {}

  bool handles(const ModelStep &step,
               const CandidateLists &lists) const override {
    return step.kind == ModelStep::Kind::Move && lists[step.tensor].size() == 1;
  }

  void followOperand(const Neighbour &neighbour, const CandidateLists &lists,
                     SmallVectorImpl<Proposal> &proposals) const override {
    const ModelOperand &operand = neighbour.operand;
    if (!operand.isWhole)
      return;
    if (TileMappingAttr separated =
            getSeparatedTileMapping(neighbour.mapping, operand.view.sizes))
      proposals.push_back({getRescaledTileMapping(
          separated, operand.view.sizes,
          lists.getModel().getTensor(neighbour.step.tensor).shape)});
  }
};
} // namespace

SourcePtr mlir::ipu::createOperandMapping() {
  return std::make_shared<OperandMapping>();
}
SourcePtr mlir::ipu::createCopiedMapping() {
  return std::make_shared<CopiedMapping>();
}
SourcePtr mlir::ipu::createSeparatedDims() {
  return std::make_shared<SeparatedDims>();
}

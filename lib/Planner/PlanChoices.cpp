//===- PlanChoices.cpp - Tile mappings to choose from -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tensor gets a few tile mappings to choose from. Some ops have plans of
// their own. Other ops can follow the tile mappings of their operands. Then
// preferences are propagated backwards: the tile mapping that a plan prefers
// for an operand becomes a choice for the producer of the operand.
//
//===----------------------------------------------------------------------===//

#include "ProgramGraph.h"

#include "ipu-mlir/Support/Actions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu {
/// The search for partitions of one op.
class PlanOpAction : public StepAction<PlanOpAction> {
public:
  using StepAction::StepAction;
  static constexpr StringLiteral tag = "ipu-plan-op";
  static constexpr StringLiteral text = "find partitions of";
};
} // namespace mlir::ipu

/// The greatest number of choices of a tensor, without and with nested tile
/// mappings.
static constexpr unsigned kMaxChoices = 6, kMaxNestedChoices = 10;
/// The number of further choices with which a tensor that is moved for one op
/// is on the tiles that read it.
static constexpr unsigned kMaxMovedChoices = 2;
/// The greatest number of elements of a tensor that keeps a choice without a
/// layout as its first choice, although it has other choices.
static constexpr int64_t kMaxInOrder = 1 << 18;
/// The greatest number of elements of a tensor that keeps its generic choice
/// although it has choices with layouts.
static constexpr int64_t kMaxGeneric = 1 << 16;
/// The greatest number of plans of an op: in general, for an op whose operands
/// have layouts, and of nested plans.
static constexpr unsigned kMaxOwnPlans = 3, kMaxPlansWithLayouts = 2,
                          kMaxNestedPlans = 2;
static constexpr unsigned kMaxPropagated = 6;

int64_t ProgramGraph::getBytes(const TileMappingChoice &choice) const {
  return getTilePlan(target, *choice.problem, choice.blocks).bytes;
}

/// Returns whether a choice that takes `bytes` of a tile is within the share of
/// the tensor's op.
bool ProgramGraph::fits(const PlanTensor &tensor, int64_t bytes) const {
  return bytes <= std::max(tensor.leastBytes,
                           getMemoryLimit(target, getOptions(tensor.op)));
}

bool ProgramGraph::fits(const PlanTensor &tensor,
                        const TileMappingChoice &choice) const {
  return !choice.problem || fits(tensor, getBytes(choice));
}

ShareNeed ProgramGraph::getShareNeed(ArrayRef<unsigned> choices) const {
  ShareNeed need;
  PlanOptions fewest;
  fewest.memoryPerMille = 0;
  for (auto [tensor, index] : llvm::zip_equal(tensors, choices)) {
    const TileMappingChoice &choice = tensor.choices[index];
    if (tensor.isFixed || !choice.problem)
      continue;
    int64_t bytes = getBytes(choice);
    // Bytes that even the smallest plan of the op needs do not depend on the
    // share.
    if (bytes <= tensor.leastBytes ||
        bytes <= cache.getPlans(choice.problem, fewest).front().bytes)
      continue;
    if (bytes > getMemoryLimit(target, getOptions(tensor.op)))
      ++need.numOver;
    if (!tensor.op || !getAvailableMemory(tensor.op))
      need.bytes = std::max(need.bytes, bytes);
  }
  return need;
}

/// Adds `mapping` to the choices of a tensor if it is new, possible and within
/// the share of memory. There may be `numMore` choices more than usual. Returns
/// whether it was added.
bool ProgramGraph::addChoice(unsigned index, TileMappingAttr mapping,
                             unsigned numMore) {
  PlanTensor &tensor = tensors[index];
  if (tensor.isFixed || !mapping ||
      tensor.choices.size() >=
          (kinds.isNested ? kMaxNestedChoices : kMaxChoices) + numMore)
    return false;
  if (llvm::any_of(tensor.choices, [&](const TileMappingChoice &choice) {
        return choice.mapping.isEquivalentTo(mapping);
      }))
    return false;
  std::optional<TileMappingChoice> choice = getChoice(index, mapping);
  if (!choice)
    return false;
  // A tensor that is only stored must not fill the tiles of an op that reads a
  // part of it at a time.
  int64_t bytes = mapping.getMaxElements() *
                  getStoredBytes(tensor.getType().getElementType());
  if (!choice->problem && bytes > target.tile_memory / 2)
    return false;
  if (!fits(tensor, *choice))
    return false;
  tensor.choices.push_back(std::move(*choice));
  return true;
}

/// Adds `mapping` to the choices of a tensor that is copied. Of these tensors,
/// only variables that calls pass may have an element on several tiles.
void ProgramGraph::addCopied(unsigned index, TileMappingAttr mapping) {
  if (mapping && (tensors[index].mayHaveCopies || mapping.coversOnce()))
    addChoice(index, mapping);
}

unsigned ProgramGraph::getOrAddChoice(unsigned index, TileMappingAttr mapping) {
  PlanTensor &tensor = tensors[index];
  if (tensor.isFixed)
    return 0;
  auto *it = llvm::find_if(tensor.choices, [&](const TileMappingChoice &other) {
    return other.mapping == mapping;
  });
  if (it == tensor.choices.end()) {
    std::optional<TileMappingChoice> choice = getChoice(index, mapping);
    assert(choice && "expects a mapping that the tensor may have");
    tensor.choices.push_back(std::move(*choice));
    it = &tensor.choices.back();
  }
  return it - tensor.choices.begin();
}

void ProgramGraph::keepOnly(ArrayRef<unsigned> choices) {
  for (auto [tensor, choice] : llvm::zip_equal(tensors, choices)) {
    std::swap(tensor.choices.front(), tensor.choices[choice]);
    tensor.choices.truncate(1);
  }
}

void ProgramGraph::addLastTiles() {
  // On several IPUs, other tiles could be on other IPUs.
  if (target.ipus > 1)
    return;
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    TileMappingAttr mapping = tensor.choices.front().mapping;
    // Pairs of tiles stay pairs.
    int64_t first =
        (target.getComputeTilesPerReplica() - mapping.getNumTiles()) / 2 * 2;
    if (tensor.isFixed || mapping.isNested() || first <= mapping.getFirst())
      continue;
    std::optional<TileMappingChoice> last = getChoice(
        index,
        TileMappingAttr::get(context, mapping.getDomain(), mapping.getGrid(),
                             mapping.getBlocks(), first, mapping.getLayout()));
    if (last)
      tensor.choices.push_back(std::move(*last));
  }
}

/// Keeps the generic choice of an op that requires layouts if it is `mapping`,
/// one of the op's own plans, and uses most tiles: operands that follow a plan
/// on few tiles may fill these tiles. Otherwise addChoices() removes it.
void ProgramGraph::keepIfGeneric(PlanTensor &tensor, TileMappingAttr mapping) {
  if (tensor.isPlanned ||
      mapping.getNumTiles() < target.getComputeTilesPerReplica() / 2 ||
      !tensor.choices.front().mapping.isEquivalentTo(mapping))
    return;
  std::rotate(tensor.choices.begin(), tensor.choices.begin() + 1,
              tensor.choices.end());
  tensor.isPlanned = true;
}

/// Adds the plans that are best for the op of a tensor alone: the best plans of
/// all and, for each operand, the best plan in which no two tiles read the same
/// part of the operand.
void ProgramGraph::addOwnPlans(unsigned index) {
  auto op = dyn_cast_or_null<CodeletOpInterface>(tensors[index].op);
  if (!op || tensors[index].isFixed)
    return;
  // If an operand is stored in another order, the loops are the dimensions of
  // the result.
  TileMappingAttr linear = getDefaultTileMapping(tensors[index].value);
  bool inOrder = llvm::all_of(op->getOperands(), [&](Value operand) {
    std::optional<PlanOperand> from = getOperand(operand);
    return !from || from->isWhole;
  });
  const PartitionProblem *problem = cache.getProblem(
      op, inOrder ? linear.getDomain() : tensors[index].getType().getShape());
  const TileForm &form = problem->form;
  bool isElementwise = op.getCodeletCost().kind == CodeletCostKind::Vector;
  bool isFirst = true;
  auto add = [&](ArrayRef<TilePlan> plans) {
    for (const TilePlan &plan : plans) {
      // If no plan fits, getPlans() returns the plan with the fewest bytes.
      if (!fits(tensors[index], plan.bytes))
        tensors[index].leastBytes = plan.bytes;
      TileMappingAttr mapping = getAccessTileMapping(context, form, plan.blocks,
                                                     form.results.front());
      addChoice(index, mapping);
      if (!isElementwise)
        keepIfGeneric(tensors[index], mapping);
      PartialValues values = tensors[index].partialValues;
      if (values.numCombined == 0 || !std::exchange(isFirst, false))
        continue;
      if (auto shared = getSharedPartition(context, form, plan.blocks, values))
        addChoice(index, getAccessTileMapping(context, form, *shared,
                                              form.results.front()));
    }
  };
  PlanOptions own = getOptions(op);
  // An elementwise op can run on any tiles, so that one plan is sufficient.
  own.maxPlans = isElementwise || kinds.isNested ? 1
                 : hasLayouts(tensors[index])    ? kMaxPlansWithLayouts
                                                 : kMaxOwnPlans;
  add(cache.getPlans(problem, own));
  if (isElementwise)
    return;
  if (kinds.isNested) {
    own.maxPlans = kMaxNestedPlans;
    add(cache.getNestedPlans(problem, own));
    return;
  }
  own.maxPlans = 1;
  for (const TileAccess &access : form.inputs) {
    own.unsplitLoops = 0;
    for (unsigned loop = 0; loop < form.loops.size() && loop < 64; ++loop)
      if (form.loops[loop] > 1 &&
          llvm::none_of(access.dims, [&](const DimAccess &dim) {
            return dim.loop == static_cast<int64_t>(loop);
          }))
        own.unsplitLoops |= uint64_t(1) << loop;
    if (own.unsplitLoops)
      add(cache.getPlans(problem, own));
  }
}

/// Returns whether the step copies a whole tensor to a whole variable.
static bool copiesVariable(const PlanStep &step) {
  return step.kind == PlanStep::Kind::Copy && step.op && !step.to &&
         step.operands.front().isWhole;
}

/// Adds choices to the result of a step that follow the choices of its
/// operands.
void ProgramGraph::addForward(const PlanStep &step) {
  if (tensors[step.tensor].isFixed)
    return;
  if (step.kind == PlanStep::Kind::Compute) {
    auto op = cast<CodeletOpInterface>(step.op);
    TileMappingAttr linear = getDefaultTileMapping(tensors[step.tensor].value);
    const PartitionProblem *rows =
        cache.getProblem(op, tensors[step.tensor].getType().getShape());
    for (const PlanOperand &operand : step.operands) {
      const PlanTensor &from = tensors[operand.tensor];
      if (from.isConstant())
        continue;
      // The choices are copied, because an operand may be the result tensor.
      SmallVector<TileMappingAttr> mappings = llvm::map_to_vector(
          from.choices,
          [](const TileMappingChoice &choice) { return choice.mapping; });
      for (TileMappingAttr mapping : mappings) {
        if (!operand.isWhole)
          mapping = getTileMappingOfView(mapping, operand.view);
        if (!mapping)
          continue;
        if (TileMappingAttr shared = getSharedTileMapping(
                mapping, getPartialValues(*rows, operand.index)))
          addChoice(step.tensor, shared);
        // The loops are over the domain of the operand's mapping if it also is
        // a domain of the result.
        ArrayRef<int64_t> domain =
            mapping.getNumElements() == linear.getNumElements()
                ? mapping.getDomain()
                : linear.getDomain();
        const PartitionProblem *problem = cache.getProblem(op, domain);
        const TileForm &form = problem->form;
        const TileAccess &access = form.inputs[operand.index];
        TileMappingAttr own = mapping.refactor(access.domain);
        if (!own)
          continue;
        std::optional<LoopBlocks> blocks = getPartition(form, access, own);
        if (!blocks) {
          // If no partition has the operand's tile mapping, for example because
          // of windows with a stride, a tile mapping with as many parts of each
          // dimension is similar.
          if (!hasLayouts(tensors[step.tensor]))
            addChoice(step.tensor,
                      getRescaledTileMapping(
                          own, operand.view.sizes,
                          tensors[step.tensor].getType().getShape()));
          continue;
        }
        const TileAccess &result = form.results.front();
        TileMappingAttr follower = getAccessTileMapping(
            context, form, *blocks, result, mapping.getFirst());
        // The layout also fits if sizes of dimensions differ, as for windows.
        if (!result.layout && !access.layout &&
            result.domain.size() == access.domain.size())
          follower = follower.withFittedLayout(own.getLayout());
        addChoice(step.tensor, follower);
      }
    }
    return;
  }
  if (copiesVariable(step) && tensors[step.tensor].choices.size() == 1) {
    // If no other choice was added to the variable, it stays on the tiles that
    // compute the tensor.
    for (const TileMappingChoice &choice :
         tensors[step.operands.front().tensor].choices)
      addCopied(step.tensor, choice.mapping);
    return;
  }
  if (step.to) {
    // Parts that are computed one after the other stay on the tiles that
    // compute them.
    for (const TileMappingChoice &choice :
         tensors[step.operands.front().tensor].choices)
      addCopied(step.tensor,
                getTileMappingOfSlices(
                    choice.mapping, *step.to,
                    tensors[step.tensor].getType().getNumElements()));
    return;
  }
  if (step.kind == PlanStep::Kind::Copy && !step.op) {
    // The copy of a view stays on the tiles of the view.
    const PlanOperand &operand = step.operands.front();
    for (const TileMappingChoice &choice : tensors[operand.tensor].choices)
      addCopied(step.tensor,
                getTileMappingOfView(choice.mapping, operand.view));
    return;
  }
  if (step.kind != PlanStep::Kind::Move)
    return;
  ArrayRef<int64_t> shape = tensors[step.tensor].getType().getShape();
  for (const PlanOperand &operand : step.operands)
    for (const TileMappingChoice &choice : tensors[operand.tensor].choices)
      if (operand.isWhole)
        addChoice(step.tensor, getRescaledTileMapping(
                                   choice.mapping, operand.view.sizes, shape));
}

/// Adds choices to a moved tensor that follow the choices of its operands in
/// part: dimensions that these choices merge are split again. For example, rows
/// and columns are merged in the result of a convolution 1 x 1, but a pad
/// between rows separates them.
void ProgramGraph::addSeparated(const PlanStep &step) {
  ArrayRef<int64_t> shape = tensors[step.tensor].getType().getShape();
  for (const PlanOperand &operand : step.operands)
    for (const TileMappingChoice &choice : tensors[operand.tensor].choices)
      if (TileMappingAttr separated =
              operand.isWhole
                  ? getSeparatedTileMapping(choice.mapping, operand.view.sizes)
                  : nullptr)
        addChoice(step.tensor,
                  getRescaledTileMapping(separated, operand.view.sizes, shape));
}

/// Returns whether a choice has a layout.
static bool hasLayout(const TileMappingChoice &choice) {
  return static_cast<bool>(choice.mapping.getLayout());
}

/// Adds choices to a tensor that is read in another order: it is split along
/// one of its dimensions. The part of a tile may then be contiguous in the
/// other order. If other choices have layouts, these choices would be removed.
void ProgramGraph::addSlabs(unsigned index) {
  if (llvm::any_of(tensors[index].choices, hasLayout))
    return;
  ArrayRef<int64_t> shape = tensors[index].getType().getShape();
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size < 2)
      continue;
    int64_t block = llvm::divideCeil(size, target.getComputeTilesPerReplica());
    int64_t parts = llvm::divideCeil(size, block);
    SmallVector<TileMappingBlock> blocks(shape.size());
    blocks[dim] = {0, block, block};
    addChoice(index, TileMappingAttr::get(context, shape, {parts}, blocks));
  }
}

/// Adds choices to the operands of a step that follow the choices of its
/// result.
void ProgramGraph::addBackward(const PlanStep &step) {
  if (step.kind == PlanStep::Kind::HostStore ||
      step.kind == PlanStep::Kind::HostLoad)
    return;
  if (step.kind == PlanStep::Kind::Copy) {
    // A tensor that is computed on the tiles of the target need not be copied.
    // A tensor that exists before the program, or a variable, need not leave
    // its tiles.
    const PlanOperand &operand = step.operands.front();
    unsigned from = operand.tensor;
    if (step.op && !step.to && !operand.isWhole)
      // The slices of a tensor are copied to the variable one after the other.
      for (const TileMappingChoice &choice : tensors[step.tensor].choices)
        addCopied(from, getTileMappingOfSlices(
                            choice.mapping, operand.view,
                            tensors[from].getType().getNumElements()));
    if (!step.op)
      for (const TileMappingChoice &choice : tensors[step.tensor].choices)
        addCopied(from, getTileMappingOfBuffer(
                            choice.mapping, operand.view,
                            tensors[from].getType().getNumElements()));
    if (step.canForward || (copiesVariable(step) && tensors[from].isLeaf))
      for (const TileMappingChoice &choice : tensors[step.tensor].choices)
        addCopied(from, choice.mapping);
    return;
  }
  ArrayRef<TileMappingChoice> wanted = tensors[step.tensor].choices;
  if (wanted.size() > 1 && !tensors[step.tensor].isPlanned)
    wanted = wanted.drop_front(); // the generic choice
  // Adding choices to operands does not invalidate the choices of the result.
  for (const TileMappingChoice &choice : wanted.take_front(kMaxPropagated))
    for (const PlanOperand &operand : step.operands) {
      int64_t numElements = tensors[operand.tensor].getType().getNumElements();
      TileMappingAttr mapping;
      if (step.kind == PlanStep::Kind::Compute) {
        if (!choice.problem)
          continue;
        mapping = getSpreadTileMapping(choice.inputs[operand.index]);
        // If an operand is moved only for this op, it can be moved to the tiles
        // that read it.
        Operation *op = tensors[operand.tensor].op;
        bool isMoved =
            isa_and_nonnull<TileMoveOpInterface>(op) && op->hasOneUse();
        const PlanTensor &tensor = tensors[operand.tensor];
        bool isCopied = tensor.mayHaveCopies &&
                        (!tensor.isConstant() || tensor.numReaders == 1);
        TileMappingAttr access = choice.inputs[operand.index];
        if (operand.isWhole && (isMoved || isCopied) && access.covers()) {
          addChoice(operand.tensor, access, kMaxMovedChoices);
          // Copies of a constant are free, so this reader needs no other
          // choice.
          if (isCopied && tensor.isConstant() &&
              llvm::any_of(tensor.choices, [&](const TileMappingChoice &own) {
                return own.mapping.isEquivalentTo(access);
              }))
            continue;
        }
      } else {
        mapping = getRescaledTileMapping(
            choice.mapping, tensors[step.tensor].getType().getShape(),
            operand.view.sizes);
      }
      if (mapping)
        addChoice(operand.tensor,
                  getTileMappingOfBuffer(mapping, operand.view, numElements));
    }
}

/// Adds choices to constants with few choices that only this step reads: for
/// each choice of the result, the elements that each tile reads. addBackward()
/// does so before forward choices are complete.
void ProgramGraph::addCopies(const PlanStep &step) {
  if (step.kind != PlanStep::Kind::Compute || hasLayouts(tensors[step.tensor]))
    return;
  for (const TileMappingChoice &choice : tensors[step.tensor].choices)
    for (const PlanOperand &operand : step.operands) {
      const PlanTensor &tensor = tensors[operand.tensor];
      if (choice.problem && operand.isWhole && tensor.isConstant() &&
          tensor.mayHaveCopies && tensor.numReaders == 1 &&
          tensor.choices.size() <= kMaxMovedChoices &&
          choice.inputs[operand.index].covers())
        addChoice(operand.tensor, choice.inputs[operand.index]);
    }
}

/// Returns whether the vertices of the tensor's op read an operand in a certain
/// order of storage.
bool ProgramGraph::hasLayouts(const PlanTensor &tensor) const {
  const PartitionProblem *problem = tensor.choices.front().problem;
  return problem && llvm::any_of(problem->form.inputs, [](const TileAccess &a) {
           return static_cast<bool>(a.layout);
         });
}

void ProgramGraph::addChoices() {
  SmallVector<TileMappingChoice> generic;
  for (PlanTensor &tensor : tensors) {
    const TileMappingChoice &first =
        generic.emplace_back(tensor.choices.front());
    // The operands of elementwise ops are mostly on the tiles that read them.
    // No partition takes fewer bytes than the even partition.
    if (first.problem && first.problem->cost.getKind() == CostKind::Vector)
      tensor.leastBytes = getBytes(first);
  }
  // A reduction that adds rows combines partial values.
  for (const PlanStep &step : steps) {
    const PartitionProblem *problem =
        tensors[step.tensor].choices.front().problem;
    if (step.kind == PlanStep::Kind::Compute && problem &&
        problem->cost.getKind() == CostKind::ReduceColumns &&
        step.operands.front().isWhole)
      tensors[step.operands.front().tensor].partialValues =
          getPartialValues(*problem, /*operand=*/0);
  }
  auto addPlansWhere = [&](function_ref<bool(const PlanTensor &)> isWanted) {
    bool isChanged = false;
    for (unsigned index = 0; index < tensors.size(); ++index) {
      if (!isWanted(tensors[index]))
        continue;
      isChanged = true;
      auto addPlans = [&] { addOwnPlans(index); };
      // A tensor without an op has no plans of its own.
      if (Operation *op = tensors[index].op)
        executeStep<PlanOpAction>(op, addPlans);
      else
        addPlans();
    }
    if (!isChanged)
      return;
    // No tensor should follow the generic choice of an op that requires
    // layouts.
    for (PlanTensor &tensor : tensors)
      if (!tensor.isFixed && tensor.choices.size() > 1 && hasLayouts(tensor) &&
          !tensor.isPlanned) {
        tensor.choices.erase(tensor.choices.begin());
        tensor.isPlanned = true;
      }
    for (const PlanStep &step : steps)
      addForward(step);
    for (const PlanStep &step : llvm::reverse(steps))
      addBackward(step);
    for (const PlanStep &step : llvm::reverse(steps))
      for (const PlanOperand &operand : step.operands)
        if (!operand.isWhole &&
            operand.view.getNumElements() ==
                tensors[operand.tensor].getType().getNumElements())
          addSlabs(operand.tensor);
    // Elementwise ops can follow the choices that addBackward() gave to
    // arguments and moves.
    for (const PlanStep &step : steps)
      addForward(step);
  };
  // Other ops follow the ops that require layouts. An op has plans of its own
  // only if it has no tile mapping to follow.
  addPlansWhere([&](const PlanTensor &tensor) { return hasLayouts(tensor); });
  addPlansWhere([&](const PlanTensor &tensor) {
    return !hasLayouts(tensor) && tensor.choices.size() == 1;
  });
  bool isChanged = false;
  for (const PlanStep &step : steps)
    if (step.kind == PlanStep::Kind::Move &&
        tensors[step.tensor].choices.size() == 1) {
      addSeparated(step);
      isChanged |= tensors[step.tensor].choices.size() > 1;
    }
  if (isChanged)
    for (const PlanStep &step : steps)
      addForward(step);
  for (const PlanStep &step : steps)
    addCopies(step);
  for (auto [tensor, own] : llvm::zip_equal(tensors, generic)) {
    if (tensor.isFixed)
      continue;
    // If a choice has a layout, choices without a layout are removed: exchanges
    // between orders of storage are slow, and so is their analysis.
    if (llvm::any_of(tensor.choices, hasLayout))
      llvm::erase_if(tensor.choices, std::not_fn(hasLayout));
    // A large tensor in row-major order does not fit the partitions of other
    // ops, so that this choice is removed unless the fullest tile of each other
    // choice has more than twice as many elements.
    int64_t fullest = own.mapping.getMaxElements();
    auto isEven = [&](const TileMappingChoice &choice) {
      return choice.mapping.getMaxElements() / 2 <= fullest;
    };
    if (tensor.getType().getNumElements() > kMaxInOrder &&
        tensor.choices.size() > (tensor.isLeaf ? 1 : 2) &&
        tensor.choices.front().mapping == own.mapping &&
        !hasLayout(tensor.choices.front()) &&
        llvm::any_of(llvm::drop_begin(tensor.choices), isEven))
      tensor.choices.erase(tensor.choices.begin());
    // For small tensors, the generic choice is kept, because one exchange fewer
    // may save more cycles than a layout.
    auto hasOwnMapping = [mapping = own.mapping](const auto &choice) {
      return choice.mapping == mapping;
    };
    if (tensor.getType().getNumElements() <= kMaxGeneric &&
        llvm::none_of(tensor.choices, hasOwnMapping))
      tensor.choices.push_back(own);
    // The generic choice may take more than the share.
    auto isWithin = [&, &tensor = tensor](const TileMappingChoice &choice) {
      return fits(tensor, choice);
    };
    if (llvm::any_of(tensor.choices, isWithin))
      llvm::erase_if(tensor.choices, std::not_fn(isWithin));
  }
}

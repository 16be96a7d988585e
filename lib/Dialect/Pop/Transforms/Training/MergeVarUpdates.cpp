//===- MergeVarUpdates.cpp - Merging of updates -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with a function that updates weights. Out: the same module,
// where updates that differ only in their tensors are merged into one update of
// one tensor.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "LaterOps.h"
#include "MergedSteps.h"
#include "OptimizerSteps.h"
#include "TrainedFunction.h"

#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <vector>

namespace mlir::pop {
#define GEN_PASS_DEF_MERGEVARUPDATESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static void remarkStays(OptimizerStepOp step, StringRef reason) {
  remark::missed(step.getLoc(), getGraphRemark("MergeVarUpdates"))
      << ("the update is not merged with others: " + reason).str();
}

//===----------------------------------------------------------------------===//
// Partitions
//===----------------------------------------------------------------------===//

namespace {
/// What steps that can be merged have in common: pointers of attributes, types
/// and values, which are compared and not ordered by.
using Key = std::vector<const void *>;

/// Finds the steps of a function that have the same key.
class Partitioner {
public:
  Partitioner(func::FuncOp function, SymbolTable &symbols, ModuleOp module)
      : function(function), symbols(symbols), users(tables, module) {
    if (auto norms =
            function->getAttrOfType<ArrayAttr>(PopDialect::kClipNormsAttrName))
      for (auto norm : norms.getAsRange<ClipNormAttr>())
        if (norm.getWeights())
          for (auto name : norm.getWeights().getAsRange<StringAttr>())
            clipNorms[name.getValue()] = norm;
  }

  /// Partitions in the order of their first steps.
  SmallVector<SmallVector<OptimizerStepOp>> run();

private:
  Key getKey(OptimizerStepOp step);
  /// Return the value from which the number of updates `count` starts, if only
  /// updates in `block` change it. Return null if this value is not known.
  Attribute getStart(Value count, Block *block);
  Attribute getStart(BlockArgument count, Block *block);
  Attribute getStart(VariableOp variable, Value count, Block *block);

  func::FuncOp function;
  SymbolTable &symbols;
  SymbolTableCollection tables;
  SymbolUserMap users;
  llvm::StringMap<Attribute> clipNorms;
};
} // namespace

static Attribute getStartAttr(Attribute value, Attribute groups) {
  Builder b(value.getContext());
  return b.getArrayAttr({value, groups ? groups : b.getUnitAttr()});
}

/// Returns whether an update in `block` changes `count` to `value`.
/// Several updates may use the same count.
static bool isNext(Value value, Value count, Block *block) {
  auto step = value.getDefiningOp<OptimizerStepOp>();
  if (!step || step->getBlock() != block)
    return false;
  auto number = cast<OpResult>(value).getResultNumber();
  return number > 0 && step.getStates()[number - 1] == count;
}

Attribute Partitioner::getStart(BlockArgument count, Block *block) {
  if (count.getOwner() != &function.getBody().front())
    return {};
  unsigned index = count.getArgNumber();
  Attribute value = function.getArgAttr(index, PopDialect::kDefaultAttrName);
  auto updates = GraphValueAttr::get(function.getContext(),
                                     GraphValueKind::Argument, index);
  Operation *terminator = count.getOwner()->getTerminator();
  bool isUpdated = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    isUpdated |=
        isNext(terminator->getOperand(i), count, block) &&
        function.getResultAttr(i, PopDialect::kUpdatesAttrName) == updates;
  if (!value || !isUpdated)
    return {};
  return getStartAttr(value,
                      function.getArgAttr(index, PopDialect::kGroupsAttrName));
}

Attribute Partitioner::getStart(VariableOp variable, Value count,
                                Block *block) {
  if (variable.getBuffer() || variable.getSharding())
    return {};
  bool isUpdated = false;
  for (Operation *user : users.getUsers(variable)) {
    if (!isa<GetVariableOp>(user))
      return {};
    for (Operation *access : user->getUsers()) {
      if (isa<ReadOp>(access))
        continue;
      auto copy = dyn_cast<CopyInPlaceOp>(access);
      if (!copy || !isNext(copy.getValue(), count, block) ||
          copy->getBlock() != block)
        return {};
      isUpdated = true;
    }
  }
  return isUpdated ? getStartAttr(variable.getValue(), variable.getGroupsAttr())
                   : Attribute();
}

Attribute Partitioner::getStart(Value count, Block *block) {
  if (auto argument = dyn_cast<BlockArgument>(count))
    return getStart(argument, block);
  auto read = count.getDefiningOp<ReadOp>();
  auto get =
      read ? read.getTarget().getDefiningOp<GetVariableOp>() : GetVariableOp();
  auto variable =
      get ? symbols.lookup<VariableOp>(get.getVariable()) : VariableOp();
  return variable ? getStart(variable, count, block) : Attribute();
}

Key Partitioner::getKey(OptimizerStepOp step) {
  UpdatedWeight weight = getUpdatedWeights(step, symbols).front();
  Type gradient = step.getGradient()
                      ? step.getGradient().getType().getElementType()
                      : Type();
  Key key = {step->getBlock(),
             step->getDiscardableAttrDictionary().getAsOpaquePointer(),
             step.getOptimizer().getAsOpaquePointer(),
             step.getAccumulationsAttr().getAsOpaquePointer(),
             step.getWeight().getType().getElementType().getAsOpaquePointer(),
             gradient.getAsOpaquePointer(),
             weight.groups.getAsOpaquePointer(),
             clipNorms.lookup(weight.name).getAsOpaquePointer()};
  for (Value setting : step.getSettings())
    key.push_back(setting.getAsOpaquePointer());
  for (auto [state, value] : llvm::zip_equal(
           getOptimizerStates(step.getOptimizer(), step.getWeight().getType()),
           step.getStates())) {
    if (state.name != kStepState)
      continue;
    Attribute start = getStart(value, step->getBlock());
    if (!start)
      remarkStays(step, "its step count may differ from the step counts of the "
                        "other updates");
    key.push_back(start ? start.getAsOpaquePointer()
                        : step->getResult(0).getAsOpaquePointer());
  }
  return key;
}

SmallVector<SmallVector<OptimizerStepOp>> Partitioner::run() {
  SmallVector<SmallVector<OptimizerStepOp>> partitions;
  std::map<Key, size_t> indices;
  for (OptimizerStepOp step : getOptimizerSteps(function)) {
    if (!updatesElementwise(step.getOptimizer())) {
      remarkStays(step, "it takes the norm of its weight");
      continue;
    }
    if (step.getWeight().getType().getNumElements() == 0)
      continue;
    auto [it, isNew] = indices.try_emplace(getKey(step), partitions.size());
    if (isNew)
      partitions.emplace_back();
    partitions[it->second].push_back(step);
  }
  return partitions;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Drops the steps that depend on others of `steps`, and collects in `later`
/// what has to follow the others.
static void dropDependent(SmallVectorImpl<OptimizerStepOp> &steps,
                          LaterOps &later) {
  llvm::DenseSet<Operation *> wanted, gradients;
  for (OptimizerStepOp step : steps) {
    wanted.insert(step);
    if (step.getGradient())
      gradients.insert(step.getGradient().getDefiningOp());
  }
  Block *block = steps.front()->getBlock();
  Operation *last = steps.back();
  steps.clear();
  for (Operation &op : *block) {
    bool isDependent = later.mustFollow(&op);
    if (wanted.contains(&op) && !isDependent)
      steps.push_back(cast<OptimizerStepOp>(op));
    else if (wanted.contains(&op))
      remarkStays(cast<OptimizerStepOp>(op),
                  "it depends on the result of another update");
    // What overwrites an accumulator waits, too, so that it is not copied.
    if (wanted.contains(&op) || isDependent)
      later.add(&op);
    else if (gradients.contains(&op))
      later.addReadOf(&op);
    if (&op == last)
      break;
  }
}

namespace {
struct MergeVarUpdatesPass
    : pop::impl::MergeVarUpdatesPassBase<MergeVarUpdatesPass> {
  using MergeVarUpdatesPassBase::MergeVarUpdatesPassBase;

  void runOnOperation() override {
    if (threshold < 1) {
      getOperation().emitError()
          << "'" << getArgument()
          << "' expects option 'threshold' to be at least 1 but got "
          << threshold.getValue();
      return signalPassFailure();
    }
    // A pipeline may run on what is not trained.
    if (function.empty() && getOptimizerSteps(getOperation()).empty())
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> trained =
        getTrainedFunction(getOperation(), function, getArgument());
    if (failed(trained))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    ipu::GraphEffects effects(getOperation());
    // Steps are erased when what is known of their addresses is not used again.
    SmallVector<OptimizerStepOp> merged;
    for (SmallVector<OptimizerStepOp> &steps :
         Partitioner(*trained, symbols, getOperation()).run())
      merge(steps, effects, merged);
    for (OptimizerStepOp step : merged)
      eraseStep(step);
  }

private:
  void merge(SmallVector<OptimizerStepOp> &steps,
             const ipu::GraphEffects &effects,
             SmallVectorImpl<OptimizerStepOp> &merged);
};
} // namespace

void MergeVarUpdatesPass::merge(SmallVector<OptimizerStepOp> &steps,
                                const ipu::GraphEffects &effects,
                                SmallVectorImpl<OptimizerStepOp> &merged) {
  LaterOps later(effects);
  dropDependent(steps, later);
  OptimizerStepOp last = steps.back();
  Type elementType = last.getWeight().getType().getElementType();
  int64_t bytes = llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
  int64_t elements = std::max<int64_t>(threshold / bytes, 1);
  SmallVector<int64_t> sizes = llvm::map_to_vector(steps, [](auto step) {
    return step.getWeight().getType().getNumElements();
  });
  SmallVector<SmallVector<StepPart>> groups = cutSteps(sizes, mode, elements);
  unsigned numMerged = mergeSteps(steps, groups, last);
  if (numMerged == 0)
    return;
  later.moveAfter(last);
  llvm::copy_if(steps, std::back_inserter(merged),
                [](auto step) { return step->use_empty(); });
  remark::passed(steps.front().getLoc(), getGraphRemark("MergeVarUpdates"))
      << remark::metric("updates", int64_t(steps.size()))
      << remark::metric("steps", int64_t(groups.size()));
}
